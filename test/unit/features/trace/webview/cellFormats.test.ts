import assert from 'node:assert/strict';
import { barOf, formatTime, HUES, ServerMarks } from '../../../../../src/features/trace/webview/cellFormats';

describe('cell formatters of the trace', () => {
  it('format for people', () => {
    assert.equal(formatTime(new Date(2026, 0, 2, 3, 4, 5, 6).getTime()), '03:04:05.006');
    assert.ok(barOf(0) > 0 && barOf(1) < barOf(100) && barOf(1e9) === 1);
  });

  it('give each server a mark of its own, and the same one again', () => {
    const marks = new ServerMarks();
    const names = Array.from({ length: 2 * HUES }, (_, at) => `server ${at}`);
    const given = names.map(name => marks.of(name));
    assert.equal(new Set(given).size, names.length);
    assert.ok(
      given.slice(0, HUES).every(mark => mark < HUES),
      'colours come before rings',
    );
    assert.deepEqual(
      names.map(name => marks.of(name)),
      given,
    );
    assert.ok(marks.of('one more') < HUES);
  });
});
