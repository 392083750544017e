import assert from 'node:assert/strict';
import { layOut, rowsText, wrap } from '../../../../../src/features/review/core/reviewLayout';

const json = (value: unknown) => JSON.stringify(value, null, 2);
const text = (value: unknown, columns?: number) => rowsText(layOut(json(value), columns));
const widthOf = (row: string) => [...row.replace(/^↪ /, '')].length;

/** Always the same numbers (mulberry32): a failure can be repeated. */
function seeded(seed: number): (below: number) => number {
  let state = seed;
  return below => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

/** What such a string may be made of: everything that was ever used to hide something, and what looks like our marks. */
const PIECES = [
  'a', 'word', ' ', '  ', '\n', '\t', '\r', '\\', '"', '\\n', '⟨', '⟩', '⟨120 spaces⟩', '⟨U+202E⟩', '⟨9 × \\n⟩', '↪ ', '\n↪ ',
  '\u202e', '\u200b', '\u00a0', '\u2003', '\u2028', '\ufe0f', '\u{e0041}', '\ud800', '\udfff', '👩‍👩‍👧', '漢字', 'א', 'e\u0301', '\u0336',
  '\u0000', '\u001b[31m', '\u2800', '\u3164', '](command:x)', '```', '\\u202e',
]; // biome-ignore format: one list

function randomValue(below: (count: number) => number, depth = 0): unknown {
  const kind = below(depth > 4 ? 4 : 7);
  if (kind === 0) return [null, true, false, 0, -1.5e300, 12][below(6)];
  if (kind <= 3) return randomString(below);
  const length = below(5);
  if (kind === 4) return Array.from({ length }, () => randomValue(below, depth + 1));
  return Object.fromEntries(Array.from({ length }, () => [randomString(below), randomValue(below, depth + 1)]));
}

function randomString(below: (count: number) => number): string {
  return Array.from({ length: below(6) }, () => {
    const piece = PIECES[below(PIECES.length)]!;
    return piece.repeat(below(8) === 0 ? below(300) : 1 + below(3));
  }).join('');
}

describe('the review layout', () => {
  it('contains every character and can be turned back into the same JSON: 3,000 random values @reviewLayout.contains-character-turned', () => {
    const below = seeded(7);
    for (let number = 0; number < 3_000; number++) {
      const columns = [100, 60, 20][number % 3]!;
      const source = json(randomValue(below));
      const rows = layOut(source, columns);
      const shown = rowsText(rows);
      assert.equal(fromRows(shown), source, `value ${number}`);
      assert.doesNotMatch(shown.replaceAll('\n', ''), /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]|(?! )\p{Zs}/u, `value ${number}`);
      assert.doesNotMatch(shown.replace(/^(?:↪ | {0,40})/gm, ''), / {9,}/, `value ${number}`);
    }
  });

  it('distinguishes its marks from text that looks like them', () => {
    for (const [one, other] of [
      [' '.repeat(120), '⟨120 spaces⟩'],
      ['\u202e', '⟨U+202E⟩'],
      ['\n'.repeat(9), '⟨9 × \\n⟩'],
      [`${'a'.repeat(300)}`, `⟨300 characters⟩${'a'.repeat(300)}`],
      ['a\nb', 'a\n↪ b'],
    ])
      assert.notEqual(text(one), text(other));
  });

  it('counts gaps, line breaks and tabs, and gives the length of strings', () => {
    assert.equal(text({ a: `x${' '.repeat(120)}y` }), '{\n  "a": "x⟨120 spaces⟩y"\n}');
    assert.equal(text({ a: `x${'\n'.repeat(200)}y` }), '{\n  "a": ⟨202 characters⟩"x⟨200 × \\n⟩\n↪ y"\n}');
    assert.equal(text({ a: `x${'\t'.repeat(40)}y` }), '{\n  "a": "x⟨40 × \\t⟩y"\n}');
    assert.match(text({ a: 'a'.repeat(15_000) }), /"a": ⟨15000 characters⟩"a/);
  });

  it('ends a row at a line break and at its width, for any characters', () => {
    assert.equal(text(['one\ntwo']), '[\n  "one\\n\n↪ two"\n]');
    for (const filler of ['a', 'ab ', '\u202e', 'e\u0301', '\u0336', '漢', '\\'])
      for (const row of text([filler.repeat(3_000)]).split('\n')) assert.ok(widthOf(row) <= 100, row);
  });

  it('numbers lines of the JSON, not rows', () => {
    const rows = layOut(json({ a: 'x'.repeat(250), b: 1 }), 100);
    assert.deepEqual(
      rows.map(({ line }) => line),
      [1, 2, undefined, undefined, 3, 4],
    );
  });

  it('shows each of many accents on one character', () => {
    assert.equal(text('a\u0336\u0336\u0336\u0336'), '"a⟨U+0336⟩⟨U+0336⟩⟨U+0336⟩⟨U+0336⟩"');
  });

  it('lays out megabytes row by row', () => {
    const line = 'payload '.repeat(20);
    const rows = layOut(json([Array.from({ length: 10_000 }, () => line).join('\n')]));
    assert.ok(rows.length >= 20_000 && rows.length < 30_000, `${rows.length}`);
  });

  it('only wraps text that is already visible', () => {
    const source = `Command: ⟨U+202E⟩ \\n "a\n${'x'.repeat(230)}\n\n${'漢'.repeat(60)}`;
    const rows = wrap(source);
    assert.equal(rowsText(rows).replaceAll('\n↪ ', ''), source);
    assert.deepEqual(
      rows.map(({ line }) => line),
      [1, 2, undefined, undefined, 3, 4, undefined],
    );
  });
});

/** Restores the JSON from English rows of `rowsText`. */
function fromRows(text: string): string {
  const joined = text.replaceAll('\n↪ ', '');
  return joined.replace(/⟨([^⟩]*)⟩/g, (mark, label: string) => {
    const point = /^U\+([\dA-F]+)$/.exec(label);
    if (point) return String.fromCodePoint(Number.parseInt(point[1]!, 16));
    const spaces = /^(\d+) spaces$/.exec(label);
    if (spaces) return ' '.repeat(Number(spaces[1]));
    const repeated = /^(\d+) × (\\\w)$/.exec(label);
    if (repeated) return repeated[2]!.repeat(Number(repeated[1]));
    if (/^\d+ characters$/.test(label)) return '';
    throw new Error(`No mark of a layout: ${mark}`);
  });
}
