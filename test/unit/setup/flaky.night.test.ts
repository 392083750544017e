import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { counted, type Layer, runAgain, runLayers, tellFlaky } from '../../setup/layers';
import { inRepository, remove, temporaryFolder } from '../../setup/paths';

describe('failing files with windows', () => {
  let folder: string;
  beforeEach(() => {
    folder = temporaryFolder();
  });
  afterEach(() => {
    remove(inRepository('artifacts', 'made'));
  });

  /** Fails as often as it is told, and passes from then on. */
  function write(name: string, failures: number): void {
    const count = JSON.stringify(path.join(folder, `${name}.count`));
    fs.writeFileSync(
      path.join(folder, `${name}.test.js`),
      `const fs = require('node:fs');
      describe('${name}', () => it('works', () => {
        const before = fs.existsSync(${count}) ? Number(fs.readFileSync(${count}, 'utf8')) : 0;
        fs.writeFileSync(${count}, String(before + 1));
        if (before < ${failures}) throw new Error('failed ' + (before + 1));
        console.log('ran ' + (before + 1));
      }));`,
    );
  }
  /** Runs them, then those that failed once more. */
  async function run({ hasWindow = true, isStrict = false } = {}) {
    const made: Layer = {
      name: 'made',
      folder: path.relative(inRepository('out/test'), folder),
      hasWindow,
      isNightly: () => false,
      most: async () => 2,
      jobs: files =>
        files.map(file => ({
          program: ['child.js'],
          keptMs: 0,
          files: [file],
          timeoutMs: 60_000,
          env: { MOCHA_GREP: '' },
        })),
    };
    const { signal } = new AbortController();
    const results = await runLayers([made], { signal });
    const flaky = await runAgain([made], results, { isStrict, signal });
    const { passed, failed, lines: said } = counted(results.get('made')!);
    const file = path.join(folder, 'flaky.json');
    const lines = tellFlaky(flaky, file);
    const kept = fs.existsSync(file) ? (JSON.parse(fs.readFileSync(file, 'utf8')) as object[]) : [];
    return { passed, failed, said, lines, kept };
  }

  it('and passing alone are named, kept with both outputs, and no failure', async () => {
    write('good', 0);
    write('flaky', 1);
    const { passed, failed, lines, kept } = await run();
    assert.deepEqual([passed, failed], [2, 0]);
    assert.match(lines.join(), /^flaky: \S+flaky\.test\.ts: flaky works: failed 1 \(passed alone/);
    assert.equal(kept.length, 1);
    assert.match(JSON.stringify(kept[0]), /1 failing.*ran 2/);
  });

  it('give a window up after two failures in a row: the rest of its tests fails at once, in the second run too', async () => {
    const [log, spent] = [path.join(folder, 'log'), inRepository('out/test/setup/spent.js')].map(file =>
      JSON.stringify(file),
    );
    fs.writeFileSync(
      path.join(folder, 'window.test.js'),
      `const ran = what => require('node:fs').appendFileSync(${log}, what + ' ');
      const fails = what => it(what, () => { ran(what); throw new Error('broken'); });
      const passes = what => it(what, () => ran(what));
      describe('one', () => {
        before(() => require(${spent}).openingWindow(async () => undefined));
        after(() => ran('closed'));
        fails('a'); passes('b'); fails('c');
        describe('inner', () => { before(() => ran('set')); fails('d'); passes('e'); });
        describe('later', () => { before(() => ran('never')); passes('f'); it.skip('g'); });
      });
      describe('another', () => passes('h'));`,
    );
    const { passed, failed, said } = await run();
    assert.deepEqual([passed, failed], [2, 5]);
    assert.equal(fs.readFileSync(path.join(folder, 'log'), 'utf8'), 'a b c set d closed h '.repeat(2));
    assert.ok(said.includes('one later f: not run: the window was left by "c"'), said.join('\n'));
  });

  it('have each test that a failing hook kept from running among their failures', async () => {
    fs.writeFileSync(
      path.join(folder, 'hook.test.js'),
      `describe('two', () => { before(() => { throw new Error('no window'); }); it('a', () => {}); it('b', () => {}); });`,
    );
    const { passed, failed } = await run();
    assert.deepEqual([passed, failed], [0, 3]);
  });

  it('are failures in strict mode', async () => {
    write('flaky', 1);
    const { passed, failed, lines } = await run({ isStrict: true });
    assert.deepEqual([passed, failed, lines.length], [0, 1, 1]);
  });

  it('are run once more only', async () => {
    write('broken', 2);
    const { failed, lines } = await run();
    assert.deepEqual([failed, lines], [1, []]);
    assert.equal(fs.readFileSync(path.join(folder, 'broken.count'), 'utf8'), '2');
  });

  it('are not repeated when more than three, nor without a window', async () => {
    write('one', 1);
    assert.deepEqual((await run({ hasWindow: false })).failed, 1);
    for (const name of ['two', 'three', 'four', 'five']) write(name, 1);
    const { passed, failed, kept } = await run();
    assert.deepEqual([passed, failed, kept], [1, 4, []]);
  });
});
