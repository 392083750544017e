// Installs the VS Code server (the npm package code-server) into .vscode-test/, once, as @vscode/test-electron does
// with its download. No compiler, no system package and no install script is needed.
import { createHash } from 'node:crypto';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { cache, inRepository, remove } from './paths';
import { run } from './processes';

const source = inRepository('test/setup/vscode-server');
const target = path.join(cache, 'vscode-server');
const stamp = path.join(target, 'installed');
const npmFlags = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];

/** Raised by hand when the steps below change, so that older installs are done again. */
const steps = '1';

/** Whether the server of this lock file is already there. */
export const isServerInstalled = () => fs.existsSync(stamp) && fs.readFileSync(stamp, 'utf8') === fingerprint();

/**
 * The folder of the VS Code server, installed first when it is missing, out of date or half done.
 * @throws Error when npm fails, or on Windows, where the package does not run.
 */
export async function vscodeServer(): Promise<string> {
  const given = process.env.VSCODE_SERVER_ROOT;
  if (given) return given;
  if (process.platform === 'win32') throw new Error('The VS Code server from npm does not run on Windows.');
  if (!isServerInstalled()) await install();
  return path.join(target, 'node_modules/code-server/lib/vscode');
}

/** Installs beside the target and moves it there when it is whole: an interrupted install is never taken for one. */
async function install(): Promise<void> {
  console.log(`Installing the VS Code server (npm) into ${path.relative(process.cwd(), target)} …`);
  const started = Date.now();
  const folder = path.join(cache, `vscode-server-${process.pid}`);
  removeInterrupted();
  fs.mkdirSync(folder, { recursive: true });
  for (const file of ['package.json', 'package-lock.json'])
    fs.copyFileSync(path.join(source, file), path.join(folder, file));
  await run('npm', ['ci', ...npmFlags], { cwd: folder, timeoutMs: 300_000 });

  const vscode = path.join(folder, 'node_modules/code-server/lib/vscode');
  // Its lock file is not in step with its package.json, so `npm ci` refuses; `npm install` still takes the locked
  // versions. The optional packages (a 113 MB model runtime among them) are left out, but for one.
  const add = ['install', '--omit=dev', '--omit=optional', '--no-save', ...npmFlags];
  await run('npm', add, { cwd: vscode, timeoutMs: 300_000 });
  await run('npm', [...add, watcherPackage(vscode)], { cwd: vscode, timeoutMs: 120_000 });
  for (const name of ['spdlog', 'native-watchdog']) {
    fs.copyFileSync(
      path.join(source, 'shims', `${name}.js`),
      path.join(vscode, 'node_modules/@vscode', name, 'index.js'),
    );
  }

  fs.writeFileSync(path.join(folder, path.basename(stamp)), fingerprint());
  remove(target);
  fs.renameSync(folder, target);
  console.log(`Installed the VS Code server in ${((Date.now() - started) / 1000).toFixed(0)} s.`);
}

/** File watching needs the prebuilt binary of this platform, of the version that the server depends on. */
function watcherPackage(vscode: string): string {
  const manifest = path.join(vscode, 'node_modules/@parcel/watcher/package.json');
  const { version } = JSON.parse(fs.readFileSync(manifest, 'utf8')) as { version: string };
  const report = process.report.getReport() as { header?: { glibcVersionRuntime?: string } };
  const libc = process.platform !== 'linux' ? '' : report.header?.glibcVersionRuntime ? '-glibc' : '-musl';
  return `@parcel/watcher-${process.platform}-${process.arch}${libc}@${version}`;
}

function fingerprint(): string {
  const hash = createHash('sha256').update(steps);
  for (const file of ['package-lock.json', 'shims/spdlog.js', 'shims/native-watchdog.js']) {
    hash.update(fs.readFileSync(path.join(source, file)));
  }
  return hash.digest('hex');
}

/** Removes what an install of a process that is gone left behind. */
function removeInterrupted(): void {
  if (!fs.existsSync(cache)) return;
  for (const name of fs.readdirSync(cache)) {
    const pid = /^vscode-server-(\d+)$/.exec(name)?.[1];
    if (pid && !isAlive(Number(pid))) remove(path.join(cache, name));
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
