// Packages of npm that few need: each folder below has a package.json with its lock file, compressed, and is installed into
// .vscode-test/ when something first asks for it. `npm run bench -- --lock <folder>` renews a lock file.
import { createHash } from 'node:crypto';
import * as fs from 'node:fs';
import { createRequire } from 'node:module';
import * as path from 'node:path';
import { processIsAlive } from '../servers/spawn';
import { readCompressed, writeCompressed } from './compressed';
import { cache, inRepository, remove, temporaryFolder } from './paths';
import { run } from './processes';

export const npmFlags = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];

/** Folders below test/bench that have packages of their own. */
export const packageFolders = ['lint', 'npm', 'peers', 'plots', 'slow'] as const;
export type PackageFolder = (typeof packageFolders)[number];

const manifestIn = (folder: string) => path.join(folder, 'package.json');
const lockIn = (folder: string) => path.join(folder, 'package-lock.json');
const sourceOf = (folder: PackageFolder) => inRepository('test/bench', folder);
const storedLock = (folder: PackageFolder) => `${lockIn(sourceOf(folder))}.gz`;

/** The lock file of a folder. */
export const readLock = (folder: PackageFolder): string => readCompressed(storedLock(folder));

/** Brings the lock file of a folder in line with its package.json, keeping the versions that still fit. @throws Error when npm fails. */
export async function renewLock(folder: PackageFolder): Promise<void> {
  const working = temporaryFolder();
  try {
    copyPackages(folder, working);
    const flags = ['--package-lock-only', '--omit-lockfile-registry-resolved', ...npmFlags];
    await run('npm', ['install', ...flags], { cwd: working, timeoutMs: 900_000 });
    const lock = JSON.parse(fs.readFileSync(lockIn(working), 'utf8')) as object;
    writeCompressed(storedLock(folder), { ...lock, name: folder });
  } finally {
    remove(working);
  }
}

function copyPackages(folder: PackageFolder, target: string): void {
  fs.copyFileSync(manifestIn(sourceOf(folder)), manifestIn(target));
  fs.writeFileSync(lockIn(target), readLock(folder));
}

/**
 * Installs the packages of a folder unless they are there already. No install script is run.
 * @returns what a file beside them would require.
 * @throws Error when npm fails.
 */
export async function requireOnDemand(folder: PackageFolder): Promise<NodeJS.Require> {
  const target = path.join(cache, folder);
  const hash = createHash('sha256')
    .update(fs.readFileSync(manifestIn(sourceOf(folder))))
    .update(readLock(folder));
  await installOnce(target, hash.digest('hex'), async installing => {
    console.error(`Installing the packages of test/bench/${folder} (npm ci) …`);
    copyPackages(folder, installing);
    await run('npm', ['ci', '--omit=optional', ...npmFlags], { cwd: installing, timeoutMs: 900_000 });
  });
  return createRequire(manifestIn(target));
}

/** Whether a folder is whole, and of this fingerprint. */
export function isInstalled(folder: string, fingerprint: string): boolean {
  const stamp = path.join(folder, 'installed');
  return fs.existsSync(stamp) && fs.readFileSync(stamp, 'utf8') === fingerprint;
}

/** Installs beside the target and moves it there when it is whole: an interrupted install is never taken for one. */
export async function installOnce(
  target: string,
  fingerprint: string,
  install: (folder: string) => Promise<void>,
): Promise<void> {
  if (isInstalled(target, fingerprint)) return;
  const folder = path.join(cache, `installing-${process.pid}`);
  removeInterrupted();
  fs.mkdirSync(folder, { recursive: true });
  await install(folder);
  fs.writeFileSync(path.join(folder, 'installed'), fingerprint);
  remove(target);
  fs.renameSync(folder, target);
}

/** Removes what an install of a process that is gone left behind. */
function removeInterrupted(): void {
  if (!fs.existsSync(cache)) return;
  for (const name of fs.readdirSync(cache)) {
    const pid = /^installing-(\d+)$/.exec(name)?.[1];
    if (pid && !processIsAlive(Number(pid))) remove(path.join(cache, name));
  }
}
