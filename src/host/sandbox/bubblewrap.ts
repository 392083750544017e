import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, openSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Duplex } from 'node:stream';
import { text } from 'node:stream/consumers';
import { messageOf } from '../../base/errors';
import { parsedJson } from '../../base/json';
import { type Phrase, phrase } from '../../base/phrase';
import { visible } from '../../base/text';
import { isExecutable } from '../launch/environment';
import type { ConfinedLaunch, Engine, Missing, ReadyToConfine } from './confinement';
import { misplaced } from './mounts';
import { type SandboxPlace, standIn } from './onDisk';
import { FilteringProxy } from './proxy';
import type { SandboxPolicy } from './sandboxPolicy';
import { systemCallFilter } from './systemCallFilter';

/** The port of the proxy, in the server's own network. */
const PORT = 3128;
const CLOSED_ON_EXEC = 0o2000000;

/** Confines by namespaces. @param extras options that this version has beside those that all have */
const bubblewrapEngine = (path: string, extras: readonly string[]): Engine => ({
  // The editor's program may need the files beside it.
  helpers: bridge => [process.execPath, dirname(process.execPath), bridge],
  temp: () => ({ shared: ['/tmp'] }),
  launch: async confined => inBubblewrap(confined, path, extras),
});

function inBubblewrap(
  { launch: { args, cwd }, program, policy, network, bridge, changed, note }: ReadyToConfine,
  path: string,
  extras: readonly string[],
): ConfinedLaunch {
  const isOnline = network.isAny;
  // The bridge takes connections there. The editor's program may be the Node that runs it.
  const online = isOnline && { ...network.variables(`http://127.0.0.1:${PORT}`), ELECTRON_RUN_AS_NODE: '1' };
  const given = withoutNul(bubblewrapOptions({ ...policy, env: { ...policy.env, ...online } }, cwd, extras));
  const leave = standIn(policy);
  const command = isOnline ? [process.execPath, bridge, String(PROXY_FD), String(PORT), program] : [program];
  const last = isOnline ? PROXY_FD : WAIT_FD;
  /** The program waits until it is known that its mounts are the right ones. */
  const begin = async (child: ChildProcess, info: Duplex, wait: Duplex) => {
    const said = parsedJson((await text(info).catch(() => '')) || '{}') as { 'child-pid'?: unknown } | undefined;
    const pid = Number(said?.['child-pid']);
    if (!(pid > 0)) return; // It has ended by now.
    const isAlive = () => child.exitCode === null && child.signalCode === null;
    const wrong = await misplaced(pid, policy.places, await changed(), { isAlive });
    if (!isAlive()) return;
    if (wrong !== undefined) {
      note(`it was ended before it began: another program replaced ${visible(wrong)} meanwhile`);
      child.kill('SIGKILL');
    } else wait.end('x');
  };
  return {
    command: path,
    args: ['--args', String(OPTIONS_FD), '--', ...command, ...args],
    // Bubblewrap's own environment, outside the sandbox: no entry may influence it.
    env: {},
    cwd: '/',
    stdio: [...Array.from({ length: last + 1 }, () => 'pipe' as const), ...overLeaks(last)],
    attach: child => {
      const fds = [OPTIONS_FD, FILTER_FD, INFO_FD, WAIT_FD, PROXY_FD];
      const [options, rules, info, wait, way] = fds.map(fd => child.stdio[fd] as Duplex | undefined);
      for (const stream of [options, rules, info, wait]) stream?.on('error', () => {});
      if (info && wait) void begin(child, info, wait);
      options?.end(given.map(option => `${option}\0`).join(''));
      rules?.end(systemCallFilter(process.arch, policy.mayOpenSockets));
      if (isOnline && way) new FilteringProxy(network).serveOver(way);
    },
    askToEnd: endInside,
    settle: () => network.settle(),
    end: async () => leave(),
  };
}

/**
 * Asks the processes in a sandbox to end. Bubblewrap itself is not signalled, because that would kill all of them
 * immediately.
 * @param pid bubblewrap's process, the parent of the first process in the sandbox.
 */
function endInside(pid: number): void {
  try {
    const children = (of: number) =>
      readFileSync(`/proc/${of}/task/${of}/children`, 'utf8').split(' ').filter(Boolean).map(Number);
    const below = (of: number): number[] => children(of).flatMap(child => [child, ...below(child)]);
    for (const inside of children(pid).flatMap(below)) process.kill(inside, 'SIGTERM');
  } catch {
    // They have just ended, or this kernel doesn't tell.
  }
}

/** Closes off descriptors that the editor inherited, and that every process would inherit: in the sandbox they lead nowhere. */
function overLeaks(last: number): ('ignore' | number)[] {
  const isLeak = (fd: number) => {
    try {
      const [, flags = ''] = /^flags:\s*(\d+)/m.exec(readFileSync(`/proc/self/fdinfo/${fd}`, 'utf8')) ?? [];
      return (Number.parseInt(flags, 8) & CLOSED_ON_EXEC) === 0;
    } catch {
      return false;
    }
  };
  const leaks = new Set(
    readdirSync('/proc/self/fd')
      .map(Number)
      .filter(fd => fd > last && isLeak(fd)),
  );
  if (leaks.size === 0) return [];
  nowhere ??= openSync('/dev/null', 'r');
  return Array.from({ length: Math.max(...leaks) - last }, (_, at) => (leaks.has(at + last + 1) ? nowhere! : 'ignore'));
}
let nowhere: number | undefined;

/** Where systems install it. PATH is not searched, because others may have put a program of this name there. */
const USUAL = ['/usr/bin/bwrap', '/bin/bwrap', '/usr/local/bin/bwrap', '/run/current-system/sw/bin/bwrap'];
/** Versions before 0.8 lack it. Without it a program may make namespaces of its own, in which nothing more is visible. */
const EXTRAS = ['--disable-userns'];
const TRY_MS = 10_000;

/** Finds it, and tests whether it really confines a program. */
export async function findBubblewrap(places: readonly string[] = USUAL): Promise<Engine | Missing> {
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
  if (withExtras === undefined) return bubblewrapEngine(path, EXTRAS);
  if (without === undefined) return bubblewrapEngine(path, []);
  return {
    isInstalled: true,
    reason: phrase('it must be confined, but the system does not allow bubblewrap to do that ({0})', without),
    remedy: phrase(
      'Allow user namespaces: on Ubuntu by an AppArmor profile for bwrap, in a container by its seccomp profile. Then start it again.',
    ),
  };
}

/**
 * Tries what a confined program must not do, with what a shell has itself: changing a file and the kernel, seeing other processes and
 * networks, privileges, calls without a filter. Prints what is not refused.
 */
const ATTEMPTS = `
  { echo x > "$1/changed"; } 2>/dev/null && echo files
  for setting in sys/kernel/core_pattern sys/kernel/modprobe sys/kernel/hostname sysrq-trigger irq/default_smp_affinity; do
    [ -w "/proc/$setting" ] && echo "/proc/$setting"
  done
  [ -d "/proc/$2" ] && echo processes
  while read -r name value; do
    case "$name$value" in
      Seccomp:[01] | NoNewPrivs:0 | CapEff:*[1-9a-f]*) echo "$name$value" ;;
    esac
  done < /proc/self/status
  while read -r name value; do
    case "$name" in lo:* | Inter-* | face*) ;; *:*) echo network ;; esac
  done < /proc/self/net/dev
  exit 0`;
/** Lower ones exist in each sandbox, too. */
const LEAST_PID = 50;

/** Why it can't be relied on. Undefined: it works, and refuses what must be refused. */
async function tried(path: string, extras: readonly string[]): Promise<Phrase | string | undefined> {
  const folder = mkdtempSync(join(tmpdir(), 'mcp-host-'));
  try {
    const options = [...NAMESPACES, ...extras, '--seccomp', String(TRIED_FILTER_FD)];
    const pid = process.pid < LEAST_PID ? 0 : process.pid;
    const { ended, output, complaint } = await outputOf(path, [
      ...options,
      '--',
      '/bin/sh',
      '-c',
      ATTEMPTS,
      'sh',
      folder,
      String(pid),
    ]);
    if (!ended) return complaint;
    const allowed = [...new Set(output.split('\n').filter(Boolean))];
    return allowed.length === 0 ? undefined : phrase('it does not refuse all that it must: {0}', allowed.join(', '));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const TRIED_FILTER_FD = 3;

function outputOf(
  path: string,
  args: readonly string[],
): Promise<{ ended: boolean; output: string; complaint: string }> {
  return new Promise(resolve => {
    const stdio = ['ignore', 'pipe', 'pipe', 'pipe'] as const;
    const child = spawn(path, args, { cwd: '/', env: {}, timeout: TRY_MS, stdio: [...stdio] });
    const said = ['', ''];
    for (const [at, stream] of [child.stdout, child.stderr].entries())
      stream?.on('data', (chunk: Buffer) => {
        said[at] = (said[at] + String(chunk)).slice(0, 10_000);
      });
    const filter = child.stdio[TRIED_FILTER_FD] as Duplex;
    filter.on('error', () => {});
    filter.end(systemCallFilter(process.arch));
    child.once('error', error => resolve({ ended: false, output: '', complaint: messageOf(error, 300) }));
    child.once('close', (code, signal) => {
      const [output = '', errors = ''] = said;
      resolve({ ended: code === 0, output, complaint: firstLine(errors) || `exit ${code ?? signal}` });
    });
  });
}

export const firstLine = (said: string) => said.trim().split('\n')[0]!.slice(0, 300);

/** Descriptors that bubblewrap reads, one by which it tells its process, one that it waits for, and the one that leads to our proxy. */
const [OPTIONS_FD, FILTER_FD, INFO_FD, WAIT_FD, PROXY_FD] = [3, 4, 5, 6, 7];

/** Options that apply under every policy: separate namespaces, no privileges, nothing left at the end. */
const NAMESPACES: readonly string[] = [
  ...['--unshare-user', '--unshare-pid', '--unshare-net', '--unshare-ipc', '--unshare-uts', '--unshare-cgroup-try'],
  ...['--die-with-parent', '--cap-drop', 'ALL', '--ro-bind', '/', '/', '--dev', '/dev', '--proc', '/proc'],
  // Settings of the kernel: root may change them without any capability.
  ...['--ro-bind', '/proc/sys', '/proc/sys'],
];

/**
 * The options of bubblewrap for a policy. They are passed by a descriptor, because the environment may hold secrets and all
 * users can see a command line.
 * @param more further options that this version supports.
 */
function bubblewrapOptions(
  { places, links, env, temp }: SandboxPolicy,
  cwd: string,
  more: readonly string[],
): string[] {
  const sealed = places.filter(({ access, isFolder }) => access === 'hidden' && isFolder);
  return [
    ...NAMESPACES,
    ...more,
    ...['--tmpfs', temp],
    ...places.flatMap(mountOf),
    ...links.flatMap(({ path, target }) => ['--symlink', target, path]),
    // Where it runs may be hidden.
    ...['--dir', cwd],
    // Last, after everything visible inside them has been mounted.
    ...sealed.flatMap(({ path }) => ['--remount-ro', path]),
    ...['--seccomp', String(FILTER_FD), '--info-fd', String(INFO_FD), '--block-fd', String(WAIT_FD)],
    ...Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : ['--setenv', name, value])),
    ...['--setenv', 'TMPDIR', temp, '--chdir', cwd],
  ];
}

/** Each is read up to a NUL: what stands behind one would be an option of its own. */
function withoutNul(options: readonly string[]): readonly string[] {
  if (options.some(option => option.includes('\0'))) throw new Error('An option contains a NUL.');
  return options;
}

function mountOf({ path, isFolder, access, isMissing }: SandboxPlace): string[] {
  if (isMissing) return ['--tmpfs', path, '--remount-ro', path];
  if (access === 'hidden') return isFolder ? ['--tmpfs', path] : ['--ro-bind', '/dev/null', path];
  return [access === 'write' ? '--bind' : '--ro-bind', path, path];
}
