import assert from 'node:assert/strict';
import { RecentLines } from '../../../../../src/features/logging/core/recentLines';

describe('RecentLines', () => {
  const line = (text: string) => ({ at: 0, server: 'one', level: 'info', text });

  it('keeps the last lines up to its limit', () => {
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

  it('bounds the characters: long lines push out others, and oversized ones are left out', () => {
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
