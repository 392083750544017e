import assert from 'node:assert/strict';
import { readYaml, valueOfYaml } from '../../../src/base/yamlText';

const limits = { characters: Number.POSITIVE_INFINITY, aliases: 100 };
const indented = (line: string) => (times: number) =>
  Array.from({ length: Math.min(times, 3_000) }, (_, level) => ' '.repeat(level) + line).join('\n');

/** Texts that open a level with each repetition. */
const SHAPES: { readonly [name: string]: (times: number) => string } = {
  lists: times => '['.repeat(times),
  'objects, closed again': times => '{'.repeat(times) + '}'.repeat(times),
  'lists behind a quote within a word': times => `[a", ${'['.repeat(times)}`,
  'lists with quoted brackets': times => '[ "]", '.repeat(times),
  dashes: times => '- '.repeat(times),
  'explicit keys': times => '? '.repeat(times),
  pairs: times => '[a: '.repeat(times),
  'indented keys': indented('a:'),
  'indented items': indented('-'),
};

describe('reading YAML', () => {
  it('makes nesting of any depth a mistake, however it is written @yamlText.makes-nesting-depth', () => {
    for (const [name, shape] of Object.entries(SHAPES))
      for (const times of [1_000, 5_000, 50_000])
        assert.match(readYaml(shape(times), limits).mistakes[0]?.message ?? '', /more than 500 levels/, name);
  });

  it('reads what is nested in 400 levels', () => {
    const { mistakes, document } = readYaml('['.repeat(400) + ']'.repeat(400), limits);
    assert.deepEqual(mistakes, []);
    assert.ok(document);
  });

  it('makes aliases that stand for too much, or for nothing, a mistake that repeats no text @yamlText.makes-aliases-stand', () => {
    const levels = Array.from({ length: 40 }, (_, level) => `l${level + 1}: &l${level + 1} [*l${level}, *l${level}]`);
    const wrong = {
      'lists of lists': ['l0: &l0 [x, x]', ...levels].join('\n'),
      'objects of objects': [
        'l0: &l0 {a: x}',
        ...levels.map(line => line.replace(/\[(.*), (.*)\]/, '{a: $1, b: $2}')),
      ].join('\n'),
      'keys of keys': ['? &l0 [x, x]', ...levels.slice(0, 30).map(line => line.replace(/^\w+: /, '? '))].join('\n'),
      'nothing, or itself': 'a: &s3cret-text [*s3cret-text]',
    };
    for (const [name, text] of Object.entries(wrong)) {
      const { mistakes } = readYaml(text, limits);
      assert.match(mistakes[0]?.message ?? '', /^(an alias that|aliases that) stands? for (nothing|more than)/, name);
    }
    const few = readYaml('a: &a {x: 1}\nb: *a\nc: [*a, *a]', limits);
    assert.deepEqual(valueOfYaml(few), { a: { x: 1 }, b: { x: 1 }, c: [{ x: 1 }, { x: 1 }] });
  });

  it('reads the first document of several, and an empty text', () => {
    assert.deepEqual(readYaml('a: 1\n---\nb: 2\n', limits).document?.toJS(), { a: 1 });
    assert.equal(readYaml('', limits).document?.toJS(), null);
  });
});
