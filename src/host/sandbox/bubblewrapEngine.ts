import { openSync, readdirSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Duplex } from 'node:stream';
import { bubblewrapOptions, FILTER_FD, OPTIONS_FD, PROXY_FD } from './bubblewrap';
import type { Bubblewrap } from './bubblewrapProgram';
import { FilteringProxy } from './proxy';
import type { ConfinedLaunch, Engine, ReadyToConfine } from './sandboxEngine';
import { systemCallFilter } from './seccomp';
import { standIn } from './standIns';

/** The port of the proxy, in the server's own network. */
const PORT = 3128;
const CLOSED_ON_EXEC = 0o2000000;

/** Confines by namespaces. @param bridge path of the program that passes connections on */
export const bubblewrapEngine = (bubblewrap: Bubblewrap, bridge: string): Engine => ({
  // The editor's program may need the files beside it.
  helpers: [process.execPath, dirname(process.execPath), bridge],
  temp: () => ({ shared: ['/tmp'] }),
  launch: async confined => inBubblewrap(confined, bubblewrap, bridge),
});

function inBubblewrap(
  { launch: { args, cwd }, program, policy, network }: ReadyToConfine,
  { path, extras }: Bubblewrap,
  bridge: string,
): ConfinedLaunch {
  const isOnline = network.isAny;
  const leave = standIn(policy);
  // The bridge takes connections there. The editor's program may be the Node that runs it.
  const online = isOnline && { ...network.variables(`http://127.0.0.1:${PORT}`), ELECTRON_RUN_AS_NODE: '1' };
  const env = { ...policy.env, ...online };
  const command = isOnline ? [process.execPath, bridge, String(PROXY_FD), String(PORT), program] : [program];
  const last = isOnline ? PROXY_FD : FILTER_FD;
  return {
    command: path,
    args: ['--args', String(OPTIONS_FD), '--', ...command, ...args],
    // Bubblewrap's own environment, outside the sandbox: no entry may influence it.
    env: {},
    cwd: '/',
    stdio: [...Array.from({ length: last + 1 }, () => 'pipe' as const), ...overLeaks(last)],
    attach: child => {
      const [options, rules, way] = [OPTIONS_FD, FILTER_FD, PROXY_FD].map(fd => child.stdio[fd] as Duplex | undefined);
      for (const stream of [options, rules]) stream?.on('error', () => {});
      options?.end(
        bubblewrapOptions({ ...policy, env }, cwd, extras)
          .map(option => `${option}\0`)
          .join(''),
      );
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
