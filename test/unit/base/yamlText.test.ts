import assert from 'node:assert/strict';
import { readYaml } from '../../../src/base/yamlText';

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

  it('reads the first document of several, and an empty text', () => {
    assert.deepEqual(readYaml('a: 1\n---\nb: 2\n', limits).document?.toJS(), { a: 1 });
    assert.equal(readYaml('', limits).document?.toJS(), null);
  });
});
