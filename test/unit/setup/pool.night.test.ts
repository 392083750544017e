import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { temporaryFolder } from '../../setup/paths';
import { type FileResult, type Job, runJobs } from '../../setup/pool';

describe('the pool of test processes', () => {
  let folder: string;
  beforeEach(() => {
    folder = temporaryFolder();
  });

  /** A process for one file with this text. */
  function job(name: string, text: string, more: Partial<Job> = {}): Job {
    const file = path.join(folder, `${name}.test.js`);
    fs.writeFileSync(file, text);
    return {
      layer: 'some',
      most: 3,
      hasWindow: false,
      program: ['child.js'],
      keptMs: 60_000,
      files: [file],
      timeoutMs: 60_000,
      env: { MOCHA_GREP: '' },
      print: () => {},
      ...more,
    };
  }
  const says = (name: string, code: string) => `describe('${name}', () => it('runs', async () => { ${code} }));`;
  /** Fails when another one holds the lock, and holds it itself until there is a file. */
  const alone = (lock: string, until: string) =>
    says(
      'a file',
      `require('node:fs').mkdirSync(${JSON.stringify(lock)});
      while (!require('node:fs').existsSync(${JSON.stringify(until)})) await new Promise(setImmediate);
      require('node:fs').rmdirSync(${JSON.stringify(lock)});`,
    );
  /** Appends the id of its process. */
  const tells = (name: string) => {
    const file = JSON.stringify(path.join(folder, 'pids'));
    return says(name, `require('node:fs').appendFileSync(${file}, process.pid + '\\n')`);
  };
  const pids = () => fs.readFileSync(path.join(folder, 'pids'), 'utf8').trim().split('\n');
  const go = new AbortController().signal;
  const room = (atOnce: number, windows = atOnce) => ({ atOnce, windows });
  /** By the names of the files: how many tests passed, and what failed. */
  const told = (files: readonly FileResult[]) =>
    Object.fromEntries(
      files.map(({ source, passes, failures }) => [
        path.posix.basename(source, '.test.ts'),
        [passes, ...failures.map(({ message }) => message)],
      ]),
    );

  it('runs at most the allowed number of a layer, while others continue', async () => {
    const [lock, seen] = [path.join(folder, 'lock'), path.join(folder, 'seen')];
    const one = { layer: 'one', most: 1 };
    const other = says('another', `require('node:fs').writeFileSync(${JSON.stringify(seen)}, '')`);
    const all = [job('a', alone(lock, seen), one), job('b', alone(lock, seen), one), job('c', other)];
    const { files, work } = await runJobs(all, room(3), go);
    assert.deepEqual(told(files), { a: [1], b: [1], c: [1] });
    assert.deepEqual(Object.keys(work).sort(), ['one', 'some']);
  });

  it('has at most the allowed number of windows, across layers', async () => {
    const [lock, seen] = [path.join(folder, 'lock'), path.join(folder, 'seen')];
    // Nothing is shown: these windows are only counted.
    const windows = { hasWindow: true, program: ['child.js'] as [string] };
    const all = [
      job('a', alone(lock, seen), { ...windows, layer: 'one' }),
      job('b', alone(lock, seen), { ...windows, layer: 'two' }),
      job('c', says('another', `require('node:fs').writeFileSync(${JSON.stringify(seen)}, '')`)),
    ];
    assert.deepEqual(told((await runJobs(all, room(3, 1), go)).files), { a: [1], b: [1], c: [1] });
  });

  it('runs one file after the other, each with its own result and output', async () => {
    const printed: Record<string, string> = {};
    const all = ['a', 'b', 'c'].map(name =>
      job(name, tells(name), { print: text => (printed[name] = (printed[name] ?? '') + text) }),
    );
    const { files } = await runJobs(all, room(1), go);
    assert.deepEqual(told(files), { a: [1], b: [1], c: [1] });
    assert.equal(new Set(pids()).size, 1);
    for (const { source, output } of files) {
      const name = path.posix.basename(source, '.test.ts');
      assert.match(output, new RegExp(`^\\s*${name}\\s[^]*1 passing`));
      assert.equal(printed[name], output);
    }
  });

  it('replaces processes that worked long enough, died, or failed a test', async () => {
    const all = [
      job('a', tells('a'), { keptMs: 0 }),
      job('b', tells('b')),
      job('dies', says('dies', 'process.exit(7)')),
      job('c', tells('c')),
      job('fails', says('fails', "throw new Error('no')")),
      job('d', tells('d')),
    ];
    const { files } = await runJobs(all, room(1), go);
    assert.equal(new Set(pids()).size, 4);
    const died = 'ended with 7 in "dies runs"';
    assert.deepEqual(told(files), { a: [1], b: [1], dies: [0, died], c: [1], fails: [0, 'no'], d: [1] });
  });

  it('loses no pending file when one dies: another one runs it', async () => {
    const { files: first } = job('first', says('first', ''));
    const { files: last } = job('last', says('last', ''));
    const dies = job('dies', says('dies', 'process.exit(7)'));
    const { files } = await runJobs([{ ...dies, files: [...first, ...dies.files, ...last] }], room(1), go);
    assert.deepEqual(told(files), { first: [1], dies: [0, 'ended with 7 in "dies runs"'], last: [1] });
  });

  it('reports a crash with the current file and still runs the next', async () => {
    const [pid, leave] = [path.join(folder, 'pid'), path.join(folder, 'go')].map(file => JSON.stringify(file));
    const dies = `const fs = require('node:fs');
      fs.writeFileSync(${pid}, String(process.pid));
      setInterval(() => fs.existsSync(${leave}) && process.exit(9), 10);`;
    const waits = `const fs = require('node:fs');
      fs.writeFileSync(${leave}, '');
      const isThere = pid => { try { return process.kill(pid, 0); } catch { return false; } };
      while (isThere(Number(fs.readFileSync(${pid}, 'utf8')))) {}`;
    const all = [job('a', says('a', dies)), job('b', says('b', waits), { layer: 'another' }), job('c', tells('c'))];
    const { files } = await runJobs(all, room(1), go);
    assert.deepEqual(told(files), { a: [1, 'ended with 9'], b: [1], c: [1] });
  });

  it('starts no process when the run was stopped', async () => {
    assert.deepEqual((await runJobs([job('never', '')], room(1), AbortSignal.abort())).files, []);
  });
});
