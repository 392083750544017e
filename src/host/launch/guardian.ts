import { type ChildProcess, spawn } from 'node:child_process';

/**
 * The program of the guardian: keeps the process groups it is told of (`+pid`, `-pid`), and ends them when its stdin ends.
 * Servers have just lost their stdin too, so they get a moment to leave by themselves; then the group is killed. A shell,
 * for it is there in a millisecond and a Node of its own would slow the first server's start.
 */
const PROGRAM = `
trap '' INT TERM HUP
groups=
while read -r line; do
  pid=\${line#?}
  case $line in
    +*) groups="$groups $pid" ;;
    -*) others=
        for group in $groups; do [ "$group" = "$pid" ] || others="$others $group"; done
        groups=$others ;;
  esac
done
finish() { for group in $groups; do kill -s "$1" -- "-$group" 2>/dev/null; done; }
[ -n "$groups" ] || exit 0
sleep 1
finish TERM
sleep 2
finish KILL
`;

let guardian: ChildProcess | undefined;

/**
 * Ensures that a process group ends with this process, even if this process is killed. One small process watches all groups;
 * it starts with the first server. Not on Windows, which has no groups.
 */
export function guard(pid: number): void {
  guardian ??= start();
  guardian?.stdin?.write(`+${pid}\n`);
}

export function unguard(pid: number): void {
  guardian?.stdin?.write(`-${pid}\n`);
}

function start(): ChildProcess | undefined {
  if (process.platform === 'win32') return undefined;
  const child = spawn('/bin/sh', ['-c', PROGRAM, 'mcp-host-guardian'], {
    env: { PATH: '/usr/bin:/bin' },
    stdio: ['pipe', 'ignore', 'ignore'],
    // A session of its own: what ends this process's group must not end it.
    detached: true,
  });
  // It must not keep this process alive. Without it, servers still notice the end of stdin.
  child.unref();
  (child.stdin as unknown as { unref(): void }).unref();
  child.on('error', () => {});
  child.stdin?.on('error', () => {});
  child.once('exit', () => {
    if (guardian === child) guardian = undefined;
  });
  return child;
}
