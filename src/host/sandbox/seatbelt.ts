import { posix } from 'node:path';
import { isWithin } from '../../base/filePlace';
import type { SandboxPlace } from './onDisk';
import type { SandboxPolicy } from './sandboxPolicy';

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
    const name = names.get(path) ?? `P${names.size}`;
    names.set(path, name);
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

/**
 * Places that must not be moved, because a program could then change protected contents elsewhere: each writable place, and
 * the folders in it that lead to others.
 */
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
