import { execFile, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, posix } from 'node:path';
import { attempt } from '../../base/errors';
import { getOrInsert } from '../../base/events';
import { isWithin, realPlace } from '../../base/filePlace';
import { type Phrase, phrase } from '../../base/phrase';
import { isExecutable } from '../launch/environment';
import { signalGroup } from '../launch/processGroup';
import { firstLine } from './bubblewrap';
import type { ConfinedLaunch, Engine, Missing, ReadyToConfine } from './confinement';
import { type SandboxPlace, standIn } from './onDisk';
import { FilteringProxy } from './proxy';
import type { SandboxPolicy } from './sandboxPolicy';

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
  helpers: () => [],
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
  const leave = standIn(policy);
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
      await leave();
      empty(policy.temp, path, before);
    },
  };
}

/** Removes variables that load code into programs: `sandbox-exec` itself would load it before it confines anything. */
const withoutLoader = (env: NodeJS.ProcessEnv) =>
  Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith('DYLD_')));

/** Empties a temporary folder from inside the sandbox, where links that are created meanwhile lead nowhere else. */
function empty(folder: string, path: string, before: readonly string[]): void {
  const removing = spawn(path, [...before, '/bin/rm', '-rf', '--', folder], {
    cwd: '/',
    env: {},
    stdio: 'ignore',
    timeout: TRY_MS,
  });
  removing.unref();
  removing.once('error', () => {});
  removing.once('exit', () => {
    attempt(() => rmdirSync(folder)); // Something is left in it, or it is gone.
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
    if (!existsSync(join(own, 'a'))) return firstLine(said) || 'no output';
    return existsSync(join(closed, 'b')) || said.includes(SECRET) ? phrase('it blocks nothing') : undefined;
  } finally {
    rmSync(top, { recursive: true, force: true });
  }
}

function outputOf(path: string, args: readonly string[]): Promise<string> {
  return new Promise(resolve => {
    execFile(path, args, { cwd: '/', env: {}, timeout: TRY_MS }, (error, stdout, stderr) =>
      // A text: it could not be started.
      resolve(typeof error?.code === 'string' ? error.message : stdout + stderr),
    );
  });
}

/**
 * Rules for what programs need from the system besides files. They exclude key rings (`securityd`), certificate checks over
 * the network (`trustd`), starting applications (Launch Services), and other processes with their arguments.
 */
const BASE = `(version 1)
(deny default)
(allow process-exec)
(allow process-fork)
(allow process-info* (target same-sandbox))
(allow signal (target same-sandbox))
(allow mach-priv-task-port (target same-sandbox))
(allow mach-host*)
(allow sysctl-read)
(deny sysctl-read (sysctl-name-prefix "kern.proc"))
(allow sysctl-read (sysctl-name-prefix "kern.proc.pid.") (sysctl-name-prefix "kern.proc.pgrp."))
(allow sysctl-write (sysctl-name "kern.tcsm_enable") (sysctl-name "kern.grade_cputype"))
(allow user-preference-read)
(allow iokit-get-properties)
(allow ipc-posix-sem)
(allow ipc-posix-shm)
(allow system-socket (require-all (socket-domain AF_SYSTEM) (socket-protocol 2)))
(allow mach-lookup
  (global-name "com.apple.SystemConfiguration.configd")
  (global-name "com.apple.bsd.dirhelper")
  (global-name "com.apple.logd")
  (global-name "com.apple.system.logger")
  (global-name "com.apple.system.notification_center")
  (global-name "com.apple.system.opendirectoryd.libinfo")
  (global-name "com.apple.system.opendirectoryd.membership"))
(allow pseudo-tty)
(allow file-read*)
(deny file-read* (regex #"^/dev/(tty|pty|cu|bpf|disk|rdisk)"))
(allow file-read* file-write* file-ioctl (literal "/dev/ptmx"))
(allow file-read* file-write* file-ioctl
  (require-all (regex #"^/dev/ttys[0-9]+") (extension "com.apple.sandbox.pty")))
(allow file-read* file-write-data file-ioctl
  (literal "/dev/null") (literal "/dev/zero") (literal "/dev/random") (literal "/dev/urandom")
  (literal "/dev/dtracehelper") (literal "/dev/tty"))
(allow file-write-data (literal "/dev/stdout") (literal "/dev/stderr") (subpath "/dev/fd"))`;

/**
 * The arguments of `sandbox-exec` for a policy, before the program. Paths are passed as parameter values, which are never
 * parsed as rules. The last matching rule decides.
 * @param port the only port on the network that it reaches; absent: none
 */
export function seatbeltArguments(
  policy: Pick<SandboxPolicy, 'places' | 'mayOpenSockets' | 'temp'> & Partial<Pick<SandboxPolicy, 'links'>>,
  port?: number,
): string[] {
  const { places, links = [], mayOpenSockets, temp } = policy;
  const names = new Map<string, string>();
  const named = (path: string) => {
    const name = getOrInsert(names, path, () => `P${names.size}`);
    return `(param "${name}")`;
  };
  const sockets = `(subpath ${named(temp)})`;
  const profile = [
    BASE,
    ...places.flatMap(place => rulesOf(place, named)),
    ...literals('allow file-read-metadata', waysTo(places, links), named),
    ...literals('deny file-write-unlink', keptInPlace(places), named),
    ...(port === undefined ? [] : [`(allow network-outbound (remote ip "localhost:${port}"))`]),
    ...(mayOpenSockets
      ? [
          '(allow system-socket (socket-domain AF_UNIX))',
          `(allow network-bind (local unix-socket ${sockets}))`,
          `(allow network-outbound (remote unix-socket ${sockets}))`,
        ]
      : []),
  ];
  const values = [...names].map(([path, name]) => `-D${name}=${path}`);
  return ['-p', profile.join('\n'), ...values, '--'];
}

function rulesOf({ path, access }: SandboxPlace, named: (path: string) => string): string[] {
  const there = `(subpath ${named(path)})`;
  if (access === 'hidden') return [`(deny file-read* file-write* ${there})`];
  if (access === 'write') return [`(allow file-read* file-write* ${there})`];
  return [`(allow file-read* ${there})`, `(deny file-write* ${there})`];
}

const literals = (rule: string, paths: Iterable<string>, named: (path: string) => string) =>
  [...paths].map(path => `(${rule} (literal ${named(path)}))`);

/** Hidden folders on the way to visible places. Programs examine each folder of a path. */
function waysTo(places: readonly SandboxPlace[], links: SandboxPolicy['links']): Set<string> {
  const visible = places.filter(({ access }) => access !== 'hidden').flatMap(({ path }) => above(path));
  const seen = [...visible, ...links.flatMap(({ path }) => [path, ...above(path)])];
  return new Set(seen.filter(path => accessAt(places, path) === 'hidden'));
}

/** Places that must not move, or protected contents could change: writable ones, and folders that lead to others. */
function keptInPlace(places: readonly SandboxPlace[]): Set<string> {
  const whole = places.filter(({ access }) => access === 'write').map(({ path }) => path);
  const ways = places.flatMap(({ path }) => above(path)).filter(path => accessAt(places, path) === 'write');
  return new Set([...whole, ...ways]);
}

const accessAt = (places: readonly SandboxPlace[], path: string) =>
  places.findLast(place => isWithin(place.path, path, { platform: 'darwin', path: posix }))?.access ?? 'read';

function above(path: string): string[] {
  const parent = posix.dirname(path);
  return parent === path ? [] : [parent, ...above(parent)];
}
