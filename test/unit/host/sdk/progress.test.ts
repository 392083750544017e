import assert from 'node:assert/strict';
import type { Progress, Tool } from '@modelcontextprotocol/client';
import type { ServerConnection } from '../../../../src/host';
import { ProgressGate } from '../../../../src/host/sdk/progress';
import { raw } from '../../../setup/raw';
import { Clock } from '../../clock';
import { hostile, TestHost } from '../testHost';

const tool = (server: ServerConnection, name: string): Tool => server.catalog.tools.find(t => t.name === name)!;

describe('the progress of a call', () => {
  const progressOf = async (...flags: string[]) => {
    await using test = new TestHost();
    const seen: Progress[] = [];
    test.configure({ one: hostile(...flags) });
    const server = await test.loads('one');
    await raw(server).callTool(tool(server, 'echo'), { text: 'x' }, { onProgress: progress => seen.push(progress) });
    const atEnd = seen.length;
    await raw(server).callTool(tool(server, 'echo'), { text: 'x' });
    assert.equal(seen.length, atEnd, 'nothing comes after the call');
    return seen;
  };

  it('is monotonic and valid, whatever the server reports @progress.monotonic-valid-server', async () => {
    const seen = await progressOf('--absurd-progress');
    assert.deepEqual(seen[0], { progress: 5, total: 10, message: 'five' });
    assert.deepEqual(seen.at(-1), { progress: 7, message: 'seven' });
    for (const [i, { progress }] of seen.entries()) assert.ok(i === 0 || progress > seen[i - 1]!.progress);
  });

  it('reaches the caller about 20 times a second at most, with the first and last of a burst @progress.reaches-caller-20', async () => {
    const began = Date.now();
    const seen = await progressOf('--progress-burst=10000');
    assert.ok(seen.length <= 22 + (Date.now() - began) / 50, `${seen.length} updates`);
    assert.equal(seen[0]!.progress, 1);
    assert.deepEqual(seen.at(-1), { progress: 10_000, total: 10_000 });
  });

  const clock = new Clock();
  afterEach(() => clock.stop());

  it('leaves out updates that do not grow @progress.leaves-updates-grow', async () => {
    clock.start();
    const seen: number[] = [];
    const gate = new ProgressGate(({ progress }) => seen.push(progress));
    for (const progress of [5, 3, 5, 6]) {
      gate.update({ progress });
      await clock.pass(100);
    }
    gate.end();
    assert.deepEqual(seen, [5, 6]);
  });

  it('delivers a held-back update after its interval, not only at the end', async () => {
    clock.start();
    const seen: number[] = [];
    const gate = new ProgressGate(({ progress }) => seen.push(progress));
    const first = Array.from({ length: 20 }, (_, i) => i + 1);
    for (const progress of first) gate.update({ progress });
    assert.deepEqual(seen, first, 'a short burst passes whole');
    gate.update({ progress: 21 });
    gate.update({ progress: 22 });
    await clock.pass(49);
    assert.deepEqual(seen, first);
    await clock.pass(1);
    assert.deepEqual(seen, [...first, 22]);
    gate.update({ progress: Number.NaN });
    gate.update({ progress: Number.POSITIVE_INFINITY });
    gate.update({ progress: 23 });
    gate.end();
    gate.update({ progress: 30 });
    assert.deepEqual(seen, [...first, 22, 23]);
  });
});
