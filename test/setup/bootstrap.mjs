// The one step between a fresh clone and a running command: node test/setup/bootstrap.mjs <command> [args…]
// Needs nothing but Node 20 and npm: installs the packages when they are missing or out of date, builds, and runs the program of
// the command with the Node that the packages bring.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';

/** The program of each command, below out/test. */
const PROGRAMS = {
  start: 'start/run.js',
  test: 'setup/test.js',
  pictures: 'setup/test.js',
  bench: 'bench/run.js',
  conformance: 'conformance/run.js',
  soak: 'soak/run.js',
  compat: 'compat/run.js',
  package: 'release/package.js',
  release: 'release/run.js',
};

const root = resolve(import.meta.dirname, '../..');
const windows = process.platform === 'win32';
const node = join(root, 'node_modules', 'node', 'bin', windows ? 'node.exe' : 'node');
const [command, ...given] = process.argv.slice(2);
const args = command === 'pictures' ? ['test/ui/walkthrough.night.test.ts'] : given;

if (!Object.hasOwn(PROGRAMS, command ?? ''))
  fail(`usage: node test/setup/bootstrap.mjs <${Object.keys(PROGRAMS).join('|')}> [args…]`);
if (outOfDate()) install();
if (!existsSync(node)) {
  fail(
    `${node} is missing: the install script of the package "node" did not run. Run "npm rebuild node", then try again.`,
  );
}
run(node, ['esbuild.js', ...(command === 'bench' ? ['--production'] : [])]);
run(node, ['esbuild.js', '--tests']);
if (command === 'pictures') process.env.TEST_PICTURES = '1';
handOver(node, [...(command === 'soak' ? ['--expose-gc'] : []), join('out', 'test', PROGRAMS[command]), ...args]);

/** npm writes node_modules/.package-lock.json at the end of an install: older than the lock file means out of date. */
function outOfDate() {
  const installed = join(root, 'node_modules', '.package-lock.json');
  return !existsSync(installed) || statSync(installed).mtimeMs < statSync(join(root, 'package-lock.json')).mtimeMs;
}

function install() {
  console.log('Installing the packages of package-lock.json (npm ci) …');
  const started = Date.now();
  run(windows ? 'npm.cmd' : 'npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], { shell: windows });
  console.log(`Installed the packages in ${((Date.now() - started) / 1000).toFixed(0)} s.`);
}

/** Runs a program in the repository to its end; a failure ends this one too. */
function run(program, programArgs, { shell = false } = {}) {
  const { error, status } = spawnSync(program, programArgs, { cwd: root, stdio: 'inherit', shell });
  if (error) fail(`${program} could not be started: ${error.message}`);
  if (status !== 0) fail(`${program} ${programArgs.join(' ')} failed with code ${status}`);
}

/** The command itself: it gets every signal that comes here, cleans up after itself, and its exit code is ours. */
function handOver(program, programArgs) {
  const child = spawn(program, programArgs, { cwd: root, stdio: 'inherit' });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.on('error', error => fail(`${program} could not be started: ${error.message}`));
  child.on('exit', code => process.exit(code ?? 1));
}

function fail(message) {
  console.error(message);
  process.exit(1);
}
