import assert from 'node:assert/strict';
import { defaultsOf, fieldsOf, fitsSummary, valueText } from '../../../../../src/features/elicitation/core/formFields';
import { coerce } from '../../../../../src/features/tools/core/fieldChecks';

const fields = (properties: object, required: string[] = []) => fieldsOf({ type: 'object', properties, required });

describe('the fields of a form', () => {
  it('take kind, title, choices and default from the schema', () => {
    const found = fields(
      {
        name: { type: 'string', title: 'Name', minLength: 2 },
        age: { type: 'integer', minimum: 18, default: 30 },
        yes: { type: 'boolean', default: true },
        pet: { type: 'string', enum: ['c', 'd'], enumNames: ['Cat', 'Dog'], default: 'd' },
        hero: { type: 'string', oneOf: [{ const: 'h1', title: 'Superman' }] },
        fish: { type: 'array', items: { anyOf: [{ const: 'f1', title: 'Tuna' }] }, minItems: 1, default: ['f1'] },
      },
      ['name'],
    );
    assert.deepEqual(
      found.map(({ label, step }) => [label, step.kind, step.required]),
      [
        ['Name', 'string', true],
        ['age', 'number', false],
        ['yes', 'boolean', false],
        ['pet', 'choice', false],
        ['hero', 'choice', false],
        ['fish', 'list', false],
      ],
    );
    const content: Record<string, unknown> = defaultsOf(found);

    assert.deepEqual({ ...content }, { age: 30, yes: true, pet: 'd', fish: ['f1'] });
    const shown = found.map(field => valueText(field, content[field.name]));
    assert.deepEqual(shown, [undefined, '30', 'true', 'Dog', undefined, 'Tuna']);
  });

  it('drop a default that does not fit', () => {
    assert.deepEqual(defaultsOf(fields({ a: { type: 'integer', maximum: 3, default: 9 }, b: { type: 'string' } })), {});
    assert.deepEqual(defaultsOf(fields({ a: { type: 'string', enum: ['x'], default: 'y' } })), {});
  });

  it('can be fifty, each a separate question, also with odd names', () => {
    const names = ['constructor', '__proto__x', ...Array.from({ length: 48 }, (_, i) => `f${i}`)];
    const found = fields(Object.fromEntries(names.map(name => [name, { type: 'string' }])));
    assert.deepEqual(
      found.map(({ name }) => name),
      names,
    );
  });

  it('detect those that ask for secrets, whose values are never shown', () => {
    const found = fields({
      password: { type: 'string' },
      apiKey: { type: 'string' },
      t: { type: 'string', title: 'Access token' },
      tokenUrl: { type: 'string' },
      name: { type: 'string' },
    });
    assert.deepEqual(
      found.map(({ isSecret }) => isSecret),
      [true, true, true, false, false],
    );
    assert.equal(valueText(found[0]!, 'hunter2'), '••••');
  });

  it('check formats, bounds and real dates', () => {
    const [email, uri, date, time, number] = fields({
      email: { type: 'string', format: 'email' },
      uri: { type: 'string', format: 'uri' },
      date: { type: 'string', format: 'date' },
      time: { type: 'string', format: 'date-time' },
      number: { type: 'number', minimum: 0, maximum: 1 },
    });
    const problem = (field: typeof email, text: string) => 'problem' in coerce(field!.step, text);
    for (const [field, good, ...bad] of [
      [email, 'a@b.c', 'a', 'a b@c'],
      [uri, 'https://x.y/z', 'x', '/a'],
      [date, '2026-02-28', '2026-02-30', '2026-13-01', '1.2.2026'],
      [time, '2026-01-31T08:00:00Z', '2026-01-31', 'now'],
      [number, '0.5', '2', '-1', 'x'],
    ] as const) {
      assert.equal(problem(field, good), false, good);
      for (const text of bad) assert.equal(problem(field, text), true, text);
    }
  });

  it('fit into a summary only when it shows all that would be sent', () => {
    const found = fields({
      text: { type: 'string' },
      pet: { type: 'string', enum: ['c'.repeat(90)], enumNames: ['Cat'] },
      apiKey: { type: 'string' },
      age: { type: 'integer' },
    });
    const fits = (content: object) => fitsSummary(found, { ...content });
    assert.ok(fits({ text: 'short', pet: 'c'.repeat(90), apiKey: 'k'.repeat(90), age: 1 }));
    for (const text of ['x'.repeat(61), `a${' '.repeat(40)}b`, 'two\nlines', '\u202ehidden', ' before'])
      assert.ok(!fits({ text }), JSON.stringify(text));
  });
});
