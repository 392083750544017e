import { existsSync } from 'node:fs';
import { dirname, isAbsolute, join } from 'node:path';
import { isWithin } from '../../base/filePlace';
import { phrase } from '../../base/phrase';
import { visible } from '../../base/text';
import type { ServerDefinition } from '../definition/definition';
import { INSTALL_PACKAGES } from './remedies';

/** What Node prints for a missing module: the name of a package, or the path of a file. */
const LACKS_MODULE = /\bCannot find (?:module|package) '([^']+)'/;
/** Folders of other package managers: which of their commands installs is for the person to know. */
const OTHER_LOCKS = ['pnpm-lock.yaml', 'yarn.lock', 'bun.lock', 'bun.lockb', 'deno.lock'];

/** Explains that a program of Node ended because the packages of its folder were never installed. Undefined: that is not why. */
export function explainUninstalled({ entry }: ServerDefinition, stderrTail: readonly string[] = []) {
  if (entry?.type !== 'stdio' || entry.cwd === undefined) return undefined;
  const { cwd } = entry;
  const missed = stderrTail.map(line => LACKS_MODULE.exec(line)?.[1]).filter(name => name !== undefined);
  if (!missed.some(name => !isAbsolute(name) || isWithin(cwd, name))) return undefined;
  const has = (name: string) => existsSync(join(cwd, name));
  if (!has('package.json') || OTHER_LOCKS.some(has) || hasPackages(cwd)) return undefined;
  return {
    code: 'NOT_INSTALLED' as const,
    reason: phrase('the packages of {0} are not installed', visible(cwd, 300)),
    remedy: phrase('Run {0} in that folder, then start it.', INSTALL_PACKAGES),
  };
}

/** Node looks for packages in the folder, and in all above it. */
function hasPackages(folder: string): boolean {
  for (let at = folder; ; at = dirname(at)) {
    if (existsSync(join(at, 'node_modules'))) return true;
    if (at === dirname(at)) return false;
  }
}
