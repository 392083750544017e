import assert from 'node:assert/strict';
import { formatEntry } from '../../../../../src/features/logging/core/logFormat';
import { RecentLines } from '../../../../../src/features/logging/core/recentLines';

describe('a line of a log', () => {
  const server = { source: 'server', level: 'info' } as const;

  it('says where it comes from, with the logger on one line', () => {
    assert.equal(formatEntry({ source: 'lifecycle', level: 'info', data: 'starting' }), 'starting');
    assert.equal(formatEntry({ source: 'stderr', level: 'info', data: 'x' }), '[stderr] x');
    assert.equal(formatEntry({ ...server, logger: 'db\n[error] fake', data: 'x' }), '[server db [error] fake] x');
  });

  it('says the levels that a channel does not tell apart', () => {
    for (const level of ['notice', 'critical', 'alert', 'emergency'] as const)
      assert.equal(formatEntry({ ...server, level, data: 'x' }), `[server] ${level}: x`);
    assert.equal(formatEntry({ ...server, level: 'error', data: 'x' }), '[server] x');
    assert.equal(formatEntry({ ...server, level: 'debug', data: 'x' }, true), '[server] debug: x');
  });

  it('has a little structured data within it', () => {
    assert.equal(
      formatEntry({ ...server, data: { a: [1, 'two\n'], b: {} } }),
      '[server] { "a": [ 1, "two\\n" ], "b": {} }',
    );
    assert.equal(formatEntry({ ...server, data: null }), '[server] null');
    assert.equal(formatEntry({ ...server, data: undefined }), '[server] null');
  });

  it('has more of it under it, indented, after its message', () => {
    const text = formatEntry({ ...server, logger: 'db', data: { message: 'slow query', sql: 'x'.repeat(100) } });
    const [first, ...rest] = text.split('\n');
    assert.equal(first, '[server db] slow query');
    assert.ok(rest.every(line => line.startsWith('  ')));
    assert.deepEqual(JSON.parse(rest.join('\n')), { message: 'slow query', sql: 'x'.repeat(100) });
  });

  it('shows hidden characters, and is bounded', () => {
    assert.equal(formatEntry({ ...server, data: 'a\u202eb' }), '[server] a⟨U+202E⟩b');
    assert.equal(formatEntry({ ...server, data: { a: '\u202e' } }), '[server] { "a": "\\u202e" }');
    assert.ok(formatEntry({ ...server, data: ['x'.repeat(1e6)] }).length < 21_000);
  });
});

describe('the recent lines of all logs', () => {
  const line = (text: string) => ({ at: 0, server: 'one', level: 'info', text });

  it('are the last so many', () => {
    const recent = new RecentLines(3, 1_000);
    for (let i = 1; i <= 20; i++) {
      recent.push(line(`${i}`));
      const expected = Array.from({ length: Math.min(i, 3) }, (_, n) => `${Math.max(i - 3, 0) + n + 1}`);
      assert.deepEqual(
        recent.all.map(({ text }) => text),
        expected,
      );
    }
  });

  it('have no more characters than so many: long ones push out others, and one that is too long is left out', () => {
    const recent = new RecentLines(100, 10);
    for (const text of ['aaaa', 'bbbb', 'cccc']) recent.push(line(text));
    assert.deepEqual(
      recent.all.map(({ text }) => text),
      ['bbbb', 'cccc'],
    );
    recent.push(line('x'.repeat(11)));
    assert.deepEqual(recent.all, []);
    recent.push(line('d'));
    assert.deepEqual(
      recent.all.map(({ text }) => text),
      ['d'],
    );
  });
});
