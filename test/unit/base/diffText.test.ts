import assert from 'node:assert/strict';
import { diffText } from '../../../src/base/diffText';

describe('diffText', () => {
  it('writes one line for each value, indented by its depth', () => {
    const tool = { name: 'add', inputSchema: { type: 'object', required: ['a', 'b'] }, annotations: {}, tags: [] };
    assert.equal(
      diffText(tool),
      [
        'name: add',
        'inputSchema:',
        '  type: object',
        '  required:',
        '    - a',
        '    - b',
        'annotations: {}',
        'tags: []',
      ].join('\n'),
    );
  });

  it('writes null, numbers and booleans, and leaves out what is undefined', () => {
    assert.equal(diffText({ a: null, b: 1.5, c: false, d: undefined }), 'a: null\nb: 1.5\nc: false');
  });

  it('writes a text of several lines below its key', () => {
    assert.equal(diffText({ description: 'one\ntwo' }), 'description: |\n  one\n  two');
  });

  it('wraps long lines at spaces, and elsewhere only when a line has none', () => {
    const lines = diffText('word '.repeat(30).trimEnd()).split('\n').slice(1);
    assert.ok(
      lines.every(line => line.length <= 90 && /^(word ?)+$/.test(line)),
      lines.join('|'),
    );
    assert.deepEqual(
      diffText('x'.repeat(100))
        .split('\n')
        .slice(1)
        .map(line => line.length),
      [90, 10],
    );
  });

  it('shows hidden characters in values and keys', () => {
    assert.equal(diffText({ 'a\u202eb': 'c\u200bd' }), 'a⟨U+202E⟩b: c⟨U+200B⟩d');
  });
});
