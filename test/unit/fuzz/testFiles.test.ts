import assert from 'node:assert/strict';
import fc from 'fast-check';
import { MAX_TEST_FILE, readTestFile } from '../../../src/features/authors/core/readTestFile';
import { announce, holds } from './fuzz';
import { character, hostile, oneOf, pick } from './texts';

/** Pieces of YAML, of test files and of what breaks parsers. */
const piece = oneOf<string>(
  [6, pick('server: x\n', 'tests:\n', '  - name: a\n', '    steps:\n', '      - list: tools\n', '- ', '  ', '\n')],
  [4, pick('{', '}', '[', ']', ',', ': ', '? ', '|\n', '>-\n', '"', "'", '#', '%', '@', '`', '\\', '--- ', '...\n')],
  [
    4,
    pick('&a ', '*a ', '&a', '<<: *a\n', '!!omap ', '!!binary ', '!<x> ', '%YAML 1.1\n', '~', 'null', '0x1f', '.inf'),
  ],
  [2, pick('\0', '\t', '\r', '\ufeff', '\u2028', '\ud800', '𝕌', '__proto__: 1\n', 'constructor: {}\n')],
  [2, hostile],
  [1, fc.string({ unit: character, maxLength: 20 })],
);
const pieces = fc.array(piece, { minLength: 1, maxLength: 30 });
const fileName = pick('a.mcptest.yaml', 'a.mcptest.json');

/** Reads a text as a test file, which never throws: what is wrong is said at places that are there, and briefly. */
function read(text: string, name: string): void {
  const { file, problems } = readTestFile(text, name);
  assert.equal(file === undefined, problems.length > 0);
  assert.ok(problems.length <= 50, `${problems.length} problems`);
  const lines = text.split('\n').length;
  for (const { place } of problems) assert.ok(place.line >= 0 && place.line < lines && place.column >= 0);
}

describe('fuzz: test files', () => {
  before(announce);

  holds(
    'are read without an error, whatever is in them',
    'testFiles',
    fc.record({ parts: pieces, name: fileName }),
    ({ parts, name }) => read(parts.join(''), name),
  );

  holds(
    'take work in proportion to their length, whatever is repeated in them',
    'longTestFiles',
    fc.record({ head: pieces, parts: pieces, numbered: fc.boolean(), name: fileName }),
    ({ head, parts, numbered, name }) => {
      const part = parts.join('');
      const count = Math.floor(MAX_TEST_FILE / (part.length + (numbered ? 8 : 1)));
      const repeated = Array.from({ length: count }, (_, n) => (numbered ? part.replaceAll('a', `a${n}`) : part));
      read(head.join('') + repeated.join(''), name);
    },
  );
});
