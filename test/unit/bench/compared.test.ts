import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { compared, readRows } from '../../bench/compared';
import { absolute, type BenchRow, relative } from '../../bench/row';
import { temporaryFolder } from '../../setup/paths';

describe('a row of the benchmarks', () => {
  it('has the median of the values, its quartiles, and the ratio of medians', () => {
    const row = relative('call', [4, 1, 2, 3, 100], 'µs', [2, 1, 1], 2);
    assert.deepEqual([row.value, row.against, row.ratio, row.spread], [3, 1, 3, [2, 4]]);
    assert.equal(absolute('size', 12.34567, 'KB', 60).spread, null);
    assert.throws(() => absolute('nothing', [], 'ms', 1), /the median of nothing/);
  });
});

describe('the comparison of two runs', () => {
  const row = (name: string, ratio: number): BenchRow => relative(name, ratio, 'ms', 1, 2);

  it('gives for each row the old and new value, and whether it exceeds its budget', () => {
    const before = [row('better', 4), row('worse', 1), row('gone', 1), absolute('free', 0, 'ms', 5)];
    const now = [row('better', 1), row('worse', 3), row('added', 1), absolute('free', 1, 'ms', 5)];
    const lines = compared(before, now).split('\n');
    assert.match(lines[0]!, /^better +4 → +1× +−75\.0 %$/);
    assert.match(lines[1]!, /^worse +1 → +3× +\+200\.0 % {2}over its budget of 2$/);
    assert.match(lines[2]!, /^added +1× +new$/);
    assert.match(lines[3]!, /^free +0 → +1 ms +was 0$/);
    assert.match(lines[4]!, /^gone +not measured now$/);
  });

  it('reads the rows of a run, ignoring other lines', () => {
    const folder = temporaryFolder();
    const file = join(folder, 'old.jsonl');
    writeFileSync(file, `> mcp-host bench\n\n${JSON.stringify(row('call', 1.5))}\n`);
    assert.deepEqual(
      readRows(file).map(({ name, ratio }) => [name, ratio]),
      [['call', 1.5]],
    );
  });
});
