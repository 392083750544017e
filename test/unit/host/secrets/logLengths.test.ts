import assert from 'node:assert/strict';
import type { LogEntry } from '../../../../src/host/definition/ports';
import { LogLengths } from '../../../../src/host/secrets/logLengths';
import { guardPorts, Redactor } from '../../../../src/host/secrets/redactor';

describe('how much is logged', () => {
  const long = { text: 'x'.repeat(100_000) };

  it('of long messages is their beginning while one server logs too much, and whole again later', () => {
    let now = 0;
    const lengths = new LogLengths(() => now);
    const whole = () => lengths.of('a', long) > 100_000;
    let count = 0;
    while (whole()) count++;
    assert.ok(count >= 40 && count < 50, `${count} were whole`);
    assert.ok(lengths.of('b', long) > 100_000);
    assert.ok(lengths.of('a', 'x'.repeat(1_000)) > 1_000);
    now = 5_000;
    assert.ok(whole());
  });

  it('is cut with a mark, and no line is lost', () => {
    const entries: LogEntry[] = [];
    const ports = { log: { log: (_: unknown, entry: LogEntry) => void entries.push(entry) } };
    const { log } = guardPorts(ports as never, new Redactor(), {} as never);
    for (let n = 0; n < 100; n++) log.log({ id: 'a' } as never, { source: 'server', level: 'error', data: long });
    assert.equal(entries.length, 100);
    assert.deepEqual(entries[0]!.data, long);
    assert.match(String(entries.at(-1)!.data), /^\{"text":"x{1991}…$/);
  });
});
