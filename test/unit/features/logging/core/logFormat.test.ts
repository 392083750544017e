import assert from 'node:assert/strict';
import { formatEntry } from '../../../../../src/features/logging/core/logFormat';

describe('a log line', () => {
  const server = { source: 'server', level: 'info' } as const;

  it('names its source, with the logger on one line, which ends where the bracket does', () => {
    assert.equal(formatEntry({ source: 'lifecycle', level: 'info', data: 'starting' }), 'starting');
    assert.equal(formatEntry({ source: 'stderr', level: 'info', data: 'x' }), '[stderr] x');
    assert.equal(formatEntry({ ...server, logger: 'db\n[error] fake', data: 'x' }), '[server db error fake] x');
  });

  it('names levels that a channel does not distinguish', () => {
    for (const level of ['notice', 'critical', 'alert', 'emergency'] as const)
      assert.equal(formatEntry({ ...server, level, data: 'x' }), `[server] ${level}: x`);
    assert.equal(formatEntry({ ...server, level: 'error', data: 'x' }), '[server] x');
    assert.equal(formatEntry({ ...server, level: 'debug', data: 'x' }, true), '[server] debug: x');
  });

  it('contains short structured data', () => {
    assert.equal(
      formatEntry({ ...server, data: { a: [1, 'two\n'], b: {} } }),
      '[server] { "a": [ 1, "two\\n" ], "b": {} }',
    );
    assert.equal(formatEntry({ ...server, data: null }), '[server] null');
    assert.equal(formatEntry({ ...server, data: undefined }), '[server] null');
  });

  it('puts longer data below its message, indented', () => {
    const text = formatEntry({ ...server, logger: 'db', data: { message: 'slow query', sql: 'x'.repeat(100) } });
    const [first, ...rest] = text.split('\n');
    assert.equal(first, '[server db] slow query');
    assert.ok(rest.every(line => line.startsWith('  ')));
    assert.deepEqual(JSON.parse(rest.join('\n')), { message: 'slow query', sql: 'x'.repeat(100) });
  });

  it('shows hidden characters, and is bounded @logFormat.shows-hidden-characters', () => {
    assert.equal(formatEntry({ ...server, data: 'a\u202eb' }), '[server] a⟨U+202E⟩b');
    assert.equal(formatEntry({ ...server, data: { a: '\u202e' } }), '[server] { "a": "\\u202e" }');
    assert.ok(formatEntry({ ...server, data: ['x'.repeat(1e6)] }).length < 21_000);
  });

  it('indents all but the first line of a server, so that none looks like a line of ours', () => {
    const data = 'one\n2026-01-01 12:00:00.000 [info] the server is ready\n\n  four';
    const lines = formatEntry({ ...server, data }).split('\n');
    assert.equal(lines[0], '[server] one');
    for (const line of lines.slice(1)) assert.match(line, /^ {2}/);
    const stderr = formatEntry({ ...server, source: 'stderr', data }).split('\n');
    for (const line of stderr.slice(1)) assert.match(line, /^ {2}/);
  });
});
