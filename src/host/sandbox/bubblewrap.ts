import type { SandboxPlace } from './onDisk';
import type { SandboxPolicy } from './sandboxPolicy';

/** Descriptors that bubblewrap reads, and the one that leads to our proxy. */
export const [OPTIONS_FD, FILTER_FD, PROXY_FD] = [3, 4, 5];

/** Options that apply under every policy: separate namespaces, no privileges, nothing left at the end. */
export const NAMESPACES: readonly string[] = [
  ...['--unshare-user', '--unshare-pid', '--unshare-net', '--unshare-ipc', '--unshare-uts', '--unshare-cgroup-try'],
  ...['--die-with-parent', '--cap-drop', 'ALL', '--ro-bind', '/', '/', '--dev', '/dev', '--proc', '/proc'],
];

/**
 * The options of bubblewrap for a policy. They are passed by a descriptor, because the environment may hold secrets and all
 * users can see a command line.
 * @param more further options that this version supports.
 */
export function bubblewrapOptions(
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
    ...['--seccomp', String(FILTER_FD)],
    ...Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : ['--setenv', name, value])),
    ...['--setenv', 'TMPDIR', temp, '--chdir', cwd],
  ];
}

function mountOf({ path, isFolder, access, isMissing }: SandboxPlace): string[] {
  if (isMissing) return ['--tmpfs', path, '--remount-ro', path];
  if (access === 'hidden') return isFolder ? ['--tmpfs', path] : ['--ro-bind', '/dev/null', path];
  return [access === 'write' ? '--bind' : '--ro-bind', path, path];
}
