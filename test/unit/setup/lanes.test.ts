import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { runInLanes } from '../../setup/lanes';
import { remove, temporaryFolder } from '../../setup/paths';
import { readReport } from '../../setup/report';
import type { Portion } from '../../setup/testProcess';

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
  const room = (atOnce: number, windows = atOnce) => ({ atOnce, windows });

  it('are no more of a layer at once than it may have, while others go on', async () => {
    const [lock, seen] = [path.join(folder, 'lock'), path.join(folder, 'seen')];
    const one = { layer: 'one', most: 1 };
    const other = `describe('another', () => it('runs', () => require('node:fs').writeFileSync(${JSON.stringify(seen)}, '')));`;
    const all = [portion('a', alone(lock, seen), one), portion('b', alone(lock, seen), one), portion('c', other)];
    const { work } = await runInLanes(all, room(3), go);
    assert.deepEqual(
      ['a', 'b', 'c'].map(name => readReport(reportOf(name))?.passes),
      [1, 1, 1],
    );
    assert.ok(fs.existsSync(seen));
    assert.deepEqual(Object.keys(work).sort(), ['one', 'some']);
  });

  it('have no more windows at once than there is room for, whichever layers they are of', async () => {
    const [lock, seen] = [path.join(folder, 'lock'), path.join(folder, 'seen')];
    const other = `describe('another', () => it('runs', () => require('node:fs').writeFileSync(${JSON.stringify(seen)}, '')));`;
    const all = [
      portion('a', alone(lock, seen), { layer: 'one', hasWindow: true }),
      portion('b', alone(lock, seen), { layer: 'two', hasWindow: true }),
      portion('c', other),
    ];
    await runInLanes(all, room(3, 1), go);
    assert.deepEqual(
      ['a', 'b', 'c'].map(name => readReport(reportOf(name))?.passes),
      [1, 1, 1],
    );
  });

  it('say in their report when they die, with the test that was running; the others are run', async () => {
    const dies = "describe('a file', () => it('dies', () => process.exit(7)));";
    const lives = "describe('a file', () => it('lives', () => {}));";
    const printed: string[] = [];
    const print = (text: string) => printed.push(text);
    await runInLanes([portion('dies', dies), portion('lives', lives, { print })], room(1), go);
    assert.match(readReport(reportOf('dies'))?.problem ?? '', /ended with 7 in "a file dies"$/);
    assert.equal(readReport(reportOf('lives'))?.passes, 1);
    assert.match(printed.join(''), /1 passing/);
  });

  it('that die take no file along that was still to come: another one runs those', async () => {
    const text = (name: string, code: string) => `describe('${name}', () => it('runs', () => { ${code} }));`;
    const { files: first } = portion('first', text('first', ''));
    const { files: last } = portion('last', text('last', ''));
    const dies = portion('dies', text('dies', 'process.exit(7)'));
    await runInLanes([{ ...dies, files: [...first, ...dies.files, ...last] }], room(1), go);
    const { passes, problem } = readReport(reportOf('dies')) ?? {};
    assert.equal(passes, 1);
    assert.match(problem ?? '', /ended with 7 in "dies runs"$/);
    const rest = readReport(reportOf('dies-rest'));
    assert.deepEqual([rest?.passes, rest?.failures, rest?.problem], [1, 0, undefined]);
  });

  it('are not started when the run has been stopped', async () => {
    await runInLanes([portion('never', '')], room(1), AbortSignal.abort());
    assert.equal(readReport(reportOf('never')), undefined);
  });

  describe('that are kept', () => {
    const kept: Partial<Portion> = { program: ['uiChild.js'], isKept: true };
    const says = (name: string, code: string) => `describe('${name}', () => it('runs', () => { ${code} }));`;
    /** Appends the id of its process. */
    const tells = (name: string) => {
      const file = JSON.stringify(path.join(folder, 'pids'));
      return says(name, `require('node:fs').appendFileSync(${file}, process.pid + '\\n')`);
    };
    const pids = () => fs.readFileSync(path.join(folder, 'pids'), 'utf8').trim().split('\n');

    it('run one portion after the other; each has its own report, and is shown by itself', async () => {
      const printed: Record<string, string> = {};
      const all = ['a', 'b', 'c'].map(name =>
        portion(name, tells(name), { ...kept, print: text => (printed[name] = (printed[name] ?? '') + text) }),
      );
      await runInLanes(all, room(1), go);
      assert.equal(pids().length, 3);
      assert.equal(new Set(pids()).size, 1);
      for (const name of ['a', 'b', 'c']) {
        assert.equal(readReport(reportOf(name))?.passes, 1);
        assert.match(printed[name] ?? '', new RegExp(`^\\s*${name}\\s[^]*1 passing`));
      }
    });

    it('are replaced when they die, or a test has failed', async () => {
      const all = [
        portion('a', tells('a'), kept),
        portion('dies', says('dies', 'process.exit(7)'), kept),
        portion('b', tells('b'), kept),
        portion('fails', says('fails', "throw new Error('no')"), kept),
        portion('c', tells('c'), kept),
      ];
      await runInLanes(all, room(1), go);
      assert.equal(new Set(pids()).size, 3);
      assert.match(readReport(reportOf('dies'))?.problem ?? '', /dies\.test\.ts ended with 7 in "dies runs"$/);
      const { failures, problem } = readReport(reportOf('fails')) ?? {};
      assert.deepEqual([failures, problem], [1, undefined]);
    });

    it('that die as they wait say so in the report of their last portion, and nothing of the next is lost', async () => {
      const [pid, leave] = [path.join(folder, 'pid'), path.join(folder, 'go')].map(file => JSON.stringify(file));
      const dies = `const fs = require('node:fs');
        fs.writeFileSync(${pid}, String(process.pid));
        setInterval(() => fs.existsSync(${leave}) && process.exit(9), 10);`;
      const waits = `const fs = require('node:fs');
        fs.writeFileSync(${leave}, '');
        const isThere = pid => { try { return process.kill(pid, 0); } catch { return false; } };
        while (isThere(Number(fs.readFileSync(${pid}, 'utf8')))) {}`;
      const [first, between, last] = [
        portion('a', says('a', dies), kept),
        portion('b', says('b', waits), { layer: 'another' }),
        portion('c', tells('c'), kept),
      ];
      await runInLanes([first, between, last], room(1), go);
      assert.match(readReport(reportOf('a'))?.problem ?? '', /a\.test\.ts ended with 9$/);
      assert.equal(readReport(reportOf('c'))?.passes, 1);
    });
  });
});
