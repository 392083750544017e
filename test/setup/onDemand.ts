// Packages of npm that few need: each folder below has a package.json with its lock file, and is installed into .vscode-test/
// when something first asks for it.
import { createHash } from 'node:crypto';
import * as fs from 'node:fs';
import { createRequire } from 'node:module';
import * as path from 'node:path';
import { processIsAlive } from '../servers/spawn';
import { cache, inRepository, remove } from './paths';
import { run } from './processes';

export const npmFlags = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];

/** Folders below test/bench that have packages of their own. */
export type PackageFolder = 'lint' | 'npm' | 'peers' | 'plots';

/**
 * Installs the packages of a folder unless they are there already. No install script is run.
 * @returns what a file beside them would require.
 * @throws Error when npm fails.
 */
export async function requireOnDemand(folder: PackageFolder): Promise<NodeJS.Require> {
  const source = inRepository('test/bench', folder);
  const target = path.join(cache, folder);
  const names = ['package.json', 'package-lock.json'];
  const hash = createHash('sha256');
  for (const name of names) hash.update(fs.readFileSync(path.join(source, name)));
  await installOnce(target, hash.digest('hex'), async installing => {
    console.error(`Installing the packages of test/bench/${folder} (npm ci) …`);
    for (const name of names) fs.copyFileSync(path.join(source, name), path.join(installing, name));
    await run('npm', ['ci', '--omit=optional', ...npmFlags], { cwd: installing, timeoutMs: 900_000 });
  });
  return createRequire(path.join(target, 'package.json'));
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
