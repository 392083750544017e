import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { type Portion, runInLanes } from '../../setup/lanes';
import { remove, temporaryFolder } from '../../setup/paths';
import { readReport } from '../../setup/report';

describe('processes with tests', () => {
  let folder: string;
  beforeEach(() => {
    folder = temporaryFolder();
  });
  afterEach(() => remove(folder));

  const reportOf = (name: string) => path.join(folder, `${name}.json`);
  /** A process for one file with this text. */
  function portion(name: string, text: string, more: Partial<Portion> = {}): Portion {
    const file = path.join(folder, `${name}.test.js`);
    fs.writeFileSync(file, text);
    const own = { layer: 'some', most: 3, timeoutMs: 60_000, print: () => {}, env: { MOCHA_GREP: '' } };
    return { ...own, program: ['mochaChild.js'], files: [file], report: reportOf(name), ...more };
  }
  /** Fails when another one holds the lock, and holds it itself until there is a file. */
  const alone = (lock: string, until: string) => `describe('a file', () => it('is alone', async () => {
    require('node:fs').mkdirSync(${JSON.stringify(lock)});
    while (!require('node:fs').existsSync(${JSON.stringify(until)})) await new Promise(setImmediate);
    require('node:fs').rmdirSync(${JSON.stringify(lock)});
  }));`;
  const go = new AbortController().signal;

  it('are no more of a layer at once than it may have, while others go on', async () => {
    const [lock, seen] = [path.join(folder, 'lock'), path.join(folder, 'seen')];
    const one = { layer: 'one', most: 1 };
    const other = `describe('another', () => it('runs', () => require('node:fs').writeFileSync(${JSON.stringify(seen)}, '')));`;
    const all = [portion('a', alone(lock, seen), one), portion('b', alone(lock, seen), one), portion('c', other)];
    const { work } = await runInLanes(all, 3, go);
    assert.deepEqual(
      ['a', 'b', 'c'].map(name => readReport(reportOf(name))?.passes),
      [1, 1, 1],
    );
    assert.ok(fs.existsSync(seen));
    assert.deepEqual(Object.keys(work).sort(), ['one', 'some']);
  });

  it('say in their report when they die, with the test that was running; the others are run', async () => {
    const dies = "describe('a file', () => it('dies', () => process.exit(7)));";
    const lives = "describe('a file', () => it('lives', () => {}));";
    const printed: string[] = [];
    const print = (text: string) => printed.push(text);
    await runInLanes([portion('dies', dies), portion('lives', lives, { print })], 1, go);
    assert.match(readReport(reportOf('dies'))?.problem ?? '', /ended with 7 in "a file dies"$/);
    assert.equal(readReport(reportOf('lives'))?.passes, 1);
    assert.match(printed.join(''), /1 passing/);
  });

  it('are not started when the run has been stopped', async () => {
    await runInLanes([portion('never', '')], 1, AbortSignal.abort());
    assert.equal(readReport(reportOf('never')), undefined);
  });
});
