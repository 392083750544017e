import { spawn } from 'node:child_process';
import { phrase } from '../../base/phrase';
import { isExecutable } from '../launch/findProgram';
import { NAMESPACES } from './bubblewrap';
import type { Missing } from './sandboxEngine';

/** Where systems install it. PATH is not searched, because others may have put a program of this name there. */
const USUAL = ['/usr/bin/bwrap', '/bin/bwrap', '/usr/local/bin/bwrap', '/run/current-system/sw/bin/bwrap'];
/** Versions before 0.8 lack it. Without it a program may make namespaces of its own, in which nothing more is visible. */
const EXTRAS = ['--disable-userns'];
const TRY_MS = 10_000;

/** A working bubblewrap. */
export interface Bubblewrap {
  readonly path: string;
  /** Options that this version has beside those that all have. */
  readonly extras: readonly string[];
}

/** Finds it and tries whether the system lets it work. */
export async function findBubblewrap(places: readonly string[] = USUAL): Promise<Bubblewrap | Missing> {
  const path = places.find(place => isExecutable(place));
  if (path === undefined) {
    return {
      isInstalled: false,
      reason: phrase('it must be confined, but the program for that, bubblewrap, is not installed'),
      remedy: phrase(
        'Install the package "bubblewrap" of your system, for example with {0}, then start it again.',
        'sudo apt install bubblewrap',
      ),
    };
  }
  const [without, withExtras] = await Promise.all([tried(path, []), tried(path, EXTRAS)]);
  if (withExtras === undefined) return { path, extras: EXTRAS };
  if (without === undefined) return { path, extras: [] };
  return {
    isInstalled: true,
    reason: phrase('it must be confined, but the system does not allow bubblewrap to do that ({0})', without),
    remedy: phrase(
      'Allow user namespaces: on Ubuntu by an AppArmor profile for bwrap, in a container by its seccomp profile. Then start it again.',
    ),
  };
}

/** Its error output. Undefined: it works. */
function tried(path: string, extras: readonly string[]): Promise<string | undefined> {
  return new Promise(resolve => {
    const child = spawn(path, [...NAMESPACES, ...extras, '--', '/bin/sh', '-c', ':'], {
      ...{ cwd: '/', env: {}, stdio: ['ignore', 'ignore', 'pipe'], timeout: TRY_MS },
    });
    let said = '';
    child.stderr?.on('data', chunk => {
      if (said.length < 500) said += String(chunk);
    });
    child.once('error', error => resolve(error.message));
    child.once('close', code =>
      resolve(code === 0 ? undefined : said.trim().split('\n')[0]?.slice(0, 300) || `exit code ${code}`),
    );
  });
}
