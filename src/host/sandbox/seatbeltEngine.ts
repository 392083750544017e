import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { realPlace } from '../../base/filePlace';
import { type Phrase, phrase } from '../../base/phrase';
import { isExecutable } from '../launch/findProgram';
import { signalGroup } from '../launch/processGroup';
import { FilteringProxy } from './proxy';
import type { ConfinedLaunch, Engine, Missing, ReadyToConfine } from './sandboxEngine';
import { seatbeltArguments } from './seatbelt';
import { standIn } from './standIns';

/** Part of the system, which keeps it from being changed. */
const PROGRAM = '/usr/bin/sandbox-exec';
const TRY_MS = 10_000;
const SECRET = 'not to be read';

/** Finds it, and tests whether it really confines a program. */
export async function findSeatbelt(path = PROGRAM): Promise<Engine | Missing> {
  const complaint = isExecutable(path) ? await tried(path) : phrase('it does not exist');
  if (complaint === undefined) return seatbeltEngine(path);
  return {
    isInstalled: true,
    reason: phrase('it must be confined, but "{0}" cannot do that here ({1})', path, complaint),
    remedy: phrase(
      'It is part of macOS. A policy of this Mac may forbid it, and it cannot work where the editor itself is confined. Set "sandbox" to false in its entry to run it with all your rights.',
    ),
  };
}

/** Confines by a profile that the kernel enforces, for a program and all that it starts. */
export const seatbeltEngine = (path: string): Engine => ({
  helpers: [],
  temp: () => ({
    own: newFolder(),
    shared: [...new Set(['/tmp', tmpdir()].flatMap(folder => realPlace(folder) ?? []))],
  }),
  launch: confined => inSeatbelt(confined, path),
});

/** Near the root, as the path of a Unix socket has 104 bytes at most. */
const newFolder = () => mkdtempSync(join(realpathSync.native('/tmp'), 'mcp-host-'));

async function inSeatbelt(
  { launch: { args, cwd }, program, policy, network }: ReadyToConfine,
  path: string,
): Promise<ConfinedLaunch> {
  const proxy = network.isAny ? new FilteringProxy(network) : undefined;
  const way = await proxy?.listen();
  const before = seatbeltArguments(policy, way?.port);
  const leave = standIn(policy, true);
  return {
    command: path,
    args: [...before, program, ...args],
    env: {
      ...withoutLoader(policy.env),
      ...(way && network.variables(way.url)),
      TMPDIR: policy.temp,
    },
    cwd,
    askToEnd: pid => signalGroup(pid, 'SIGTERM'),
    settle: () => network.settle(),
    end: async () => {
      proxy?.close();
      leave();
      empty(policy.temp, path, before);
    },
  };
}

/** Removes variables that load code into programs: `sandbox-exec` itself would load it before it confines anything. */
const withoutLoader = (env: NodeJS.ProcessEnv) =>
  Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith('DYLD_')));

/**
 * Removes a temporary folder. Its contents are removed from inside the sandbox, because a process that has left its group may
 * still create links there, which must lead to nothing else.
 */
function empty(folder: string, path: string, before: readonly string[]): void {
  const removing = spawn(path, [...before, '/bin/rm', '-rf', '--', folder], {
    ...{ cwd: '/', env: {}, stdio: 'ignore', timeout: TRY_MS },
  });
  removing.unref();
  removing.once('error', () => {});
  removing.once('exit', () => {
    try {
      rmdirSync(folder);
    } catch {
      // Something is left in it, or it is gone.
    }
  });
}

/** Why it can't be relied on. Undefined: a test program could do what it may, and nothing else. */
async function tried(path: string): Promise<Phrase | string | undefined> {
  const top = newFolder();
  try {
    const [own, closed] = [join(top, 'own'), join(top, 'closed')];
    for (const folder of [own, closed]) mkdirSync(folder);
    const secret = join(own, 'secret');
    writeFileSync(secret, SECRET);
    const before = seatbeltArguments({
      places: [
        { path: own, isFolder: true, access: 'write' },
        { path: secret, isFolder: false, access: 'hidden' },
      ],
      mayOpenSockets: false,
      temp: own,
    });
    const script = 'echo x > "$1/a"; echo x > "$2/b"; cat "$1/secret"; exit 0';
    const said = await outputOf(path, [...before, '/bin/sh', '-c', script, 'sh', own, closed]);
    if (!existsSync(join(own, 'a'))) return said.trim().split('\n')[0]?.slice(0, 300) || 'no output';
    return existsSync(join(closed, 'b')) || said.includes(SECRET) ? phrase('it blocks nothing') : undefined;
  } finally {
    rmSync(top, { recursive: true, force: true });
  }
}

function outputOf(path: string, args: readonly string[]): Promise<string> {
  return new Promise(resolve => {
    const child = spawn(path, args, { cwd: '/', env: {}, stdio: ['ignore', 'pipe', 'pipe'], timeout: TRY_MS });
    let said = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream?.on('data', chunk => {
        if (said.length < 2_000) said += String(chunk);
      });
    }
    child.once('error', error => resolve(error.message));
    child.once('close', () => resolve(said));
  });
}
