import assert from 'node:assert/strict';
import { namedFor, refusedForModel, restored, revealedData } from '../../../src/base/modelData';

const HIDDEN = /\p{Default_Ignorable_Code_Point}/u;

const schema = {
  type: 'object',
  properties: {
    'pa\u200bth': { type: 'string', enum: ['a\u200bb', 'plain', '👨‍👩‍👧'], default: 'a\u200bb', title: 'T\u{e0041}' },
    list: { type: 'array', items: { const: 'x\ufe0f' }, examples: [{ 'k\u2065': 'v\u3164' }] },
  },
  required: ['pa\u200bth'],
};

describe('definitions for a model', () => {
  it('show hidden characters in names, enum, default, const, examples and titles', () => {
    const shown = revealedData(schema);
    assert.doesNotMatch(JSON.stringify(shown).replace(/\p{RGI_Emoji}/gv, ''), HIDDEN);
    assert.deepEqual(shown.required, ['pa⟨U+200B⟩th']);
    const property = shown.properties['pa⟨U+200B⟩th' as keyof typeof shown.properties] as unknown;
    assert.deepEqual(property, {
      type: 'string',
      enum: ['a⟨U+200B⟩b', 'plain', '👨‍👩‍👧'],
      default: 'a⟨U+200B⟩b',
      title: 'T⟨U+E0041⟩',
    });
  });

  it('are the identical object when nothing is hidden, however deep or large', () => {
    let deep: object = { text: 'é 👨‍👩‍👧' };
    for (let i = 0; i < 100_000; i++) deep = { deep };
    for (const data of [deep, { text: 'a\nb\tc' }, [], null, undefined, 'x'.repeat(1_000_000)])
      assert.equal(revealedData(data), data);
  });

  it("map the model's shown names and values back to the original ones @modelData.map-model-shown", () => {
    const args = { 'pa⟨U+200B⟩th': 'a⟨U+200B⟩b', list: ['x⟨U+FE0F⟩', { 'k⟨U+2065⟩': 'v⟨U+3164⟩', other: 1 }] };
    assert.deepEqual(restored(schema, args), {
      'pa\u200bth': 'a\u200bb',
      list: ['x\ufe0f', { 'k\u2065': 'v\u3164', other: 1 }],
    });
    assert.deepEqual(restored(schema, { list: ['plain', '👨‍👩‍👧', 'not a⟨U+200B⟩b'] }), {
      list: ['plain', '👨‍👩‍👧', 'not a⟨U+200B⟩b'],
    });
  });

  it("take the model's text literally where the schema has that too @modelData.take-model-text", () => {
    const both = { enum: ['a\u200b', 'a⟨U+200B⟩'] };
    assert.equal(restored(both, 'a⟨U+200B⟩'), 'a⟨U+200B⟩');
    const plainArgs = { a: 'a⟨U+200B⟩' };
    assert.equal(restored({ enum: ['a'] }, plainArgs), plainArgs);
  });

  it('are found by the shown name, after an exact match of the real name', () => {
    const tools = [{ name: 'a\u200b' }, { name: 'a⟨U+200B⟩b' }, { name: 'a\u200bb' }];
    assert.equal(namedFor(tools, 'a⟨U+200B⟩'), tools[0]);
    assert.equal(namedFor(tools, 'a⟨U+200B⟩b'), tools[1]);
    assert.equal(namedFor(tools, 'b'), undefined);
  });
});

describe('a refusal for a model', () => {
  it('asks it not to insist, and to go on', () => {
    const told = 'The user denied it. Do not make this call again. Continue without it, or ask the user.';
    assert.equal(refusedForModel('The user denied it.'), told);
  });
});
