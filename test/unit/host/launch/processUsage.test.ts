import assert from 'node:assert/strict';
import { groupFromPs, ProcessMeter } from '../../../../src/host/launch/processUsage';
import { waitFor } from '../../../servers/spawn';
import { hostile, TestHost } from '../testHost';

describe('processesOf', () => {
  it('measures the whole group on this system @processUsage.measures-whole-group', async function () {
    if (process.platform === 'win32') return assert.equal(await new ProcessMeter().look(process.pid), undefined);
    this.timeout(60_000);
    await using test = new TestHost();
    test.configure({ one: hostile() });
    await test.loads('one');
    const meter = new ProcessMeter();
    const first = await meter.look(test.pid('one'));
    assert.ok(first && first.memoryBytes > 5_000_000 && first.processes >= 1 && first.cpu === undefined);
    let second = first;
    const measured = async () => {
      second = (await meter.look(test.pid('one')))!;
      return second.cpu !== undefined;
    };
    await waitFor(measured, { what: 'a second look' });
    assert.ok(second.cpu !== undefined && second.cpu >= 0 && second.cpu < 64);
  });

  it('returns nothing for an ended process, and on Windows', async () => {
    assert.equal(await new ProcessMeter().look(2 ** 30), undefined);
    assert.equal(await new ProcessMeter('win32').look(process.pid), undefined);
  });

  it('reads the output of ps', async () => {
    const output = '  501  10240   1:02.50 node x.js\n  7 1 0:00.01 sh\n 501 2048 1-01:00:01.00 /bin/cat\n';
    const found = await Promise.all(groupFromPs(output, 501).map(async one => ({ ...one, words: await one.words() })));
    assert.deepEqual(found, [
      { memoryBytes: 10_485_760, cpuSeconds: 62.5, words: ['node', 'x.js'] },
      { memoryBytes: 2_097_152, cpuSeconds: 90_001, words: ['/bin/cat'] },
    ]);
  });
});
