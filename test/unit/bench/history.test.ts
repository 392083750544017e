import assert from 'node:assert/strict';
import { baselineOf, complaints, type RecordedRun } from '../../bench/history';
import { figures } from '../../bench/page';
import { absolute, type BenchRow, relative } from '../../bench/row';

const row = (ratio: number, budget = 3): BenchRow => relative('call', ratio, 'ms', 1, budget);
const runs = (...ratios: number[]): RecordedRun[] =>
  ratios.map(ratio => ({
    date: '2026-11-24T10:00:00Z',
    commit: 'abc',
    machine: 'one',
    seconds: {},
    rows: [row(ratio)],
  }));

describe('the baseline of a benchmark row', () => {
  it('is the median of the last five runs, with the distance of the farthest as noise', () => {
    assert.deepEqual(baselineOf('call', runs(9, 1, 1, 1.2, 1, 1)), { value: 1, noise: 0.19999999999999996 });
  });

  it('has a wide noise until three runs are recorded, and never less than 5 %', () => {
    assert.equal(baselineOf('call', runs(1, 1))?.noise, 0.3);
    assert.equal(baselineOf('call', runs(1, 1, 1))?.noise, 0.05);
    assert.equal(baselineOf('new', runs(1)), undefined);
  });
});

describe('the gate of the benchmarks', () => {
  it('complains of a ratio that is worse than its baseline by more than its noise', () => {
    assert.deepEqual(complaints([row(1.04)], runs(1, 1, 1)), []);
    assert.deepEqual(complaints([row(1.06)], runs(1, 1, 1)), [
      'call: 1.06× is worse than 1× by more than its noise of 5 %',
    ]);
  });

  it('complains of each row over its budget, recorded or not', () => {
    const slow = absolute('start', 20, 'ms', 15);
    assert.deepEqual(complaints([slow, row(4)], []), [
      'start: 20 ms is over its budget of 15',
      'call: 4× is over its budget of 3',
    ]);
  });

  it('holds a value without a reference against its budget alone', () => {
    const history = runs(1).map(run => ({ ...run, rows: [absolute('start', 1, 'ms', 15)] }));
    assert.deepEqual(complaints([absolute('start', 10, 'ms', 15)], history), []);
  });
});

describe('the table of benchmarks in the docs', () => {
  it('names the run, and marks what is over its budget', () => {
    const [run] = runs(4);
    const lines = figures(run!).split('\n');
    assert.equal(lines[0], 'One run of 2026-11-24 at abc: one.');
    assert.match(lines.at(-1)!, /^\| call \| ≤ 3× \| \*\*4× \(4 ms\)\*\* \| 1 ms \|/);
  });
});
