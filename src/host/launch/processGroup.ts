import { type ChildProcess, spawn as nodeSpawn, type StdioOptions } from 'node:child_process';
import { resolve } from 'node:path';
import spawnByShell from 'cross-spawn';
import { findProgram, programAt } from './environment';

const onWindows = process.platform === 'win32';

/** Live groups, killed immediately if this process ends before they were closed. */
const live = new Set<number>();
const killAll = (): void => {
  for (const pid of live) signalGroup(pid, 'SIGKILL');
};

export interface Launch {
  command: string;
  args: readonly string[];
  env: NodeJS.ProcessEnv;
  cwd: string;
  /** Programs in these folders are not found by name. */
  clearOf?: readonly string[];
  /** `cwd` is ours: it is made when it is not there. */
  makesFolder?: boolean;
  /** Default: three pipes. */
  stdio?: StdioOptions;
}

/**
 * Starts a program as the leader of its own process group, so that all its processes can be ended together. `.cmd` and `.bat`
 * files work on Windows. Failure to start arrives as the child's `error` event.
 *
 * @throws Node's error (`ENOENT`) when there is no such program in PATH; on Windows also when there is none at its path.
 */
export function spawnGroup(launch: Launch): ChildProcess {
  const { args, env, cwd, stdio = ['pipe', 'pipe', 'pipe'] } = launch;
  const program = programOf(launch);
  // Only files that are not programs themselves (`.cmd`, scripts) need the Windows shell, whose exit code 1 says little.
  const spawn = onWindows && !/\.(exe|com)$/i.test(program) ? spawnByShell : nodeSpawn;
  const line = onWindows ? shellLine(program, args) : undefined;
  const child = spawn(program, line ?? [...args], {
    cwd,
    env,
    stdio,
    detached: !onWindows,
    windowsHide: true,
    windowsVerbatimArguments: line !== undefined,
  });
  if (child.pid !== undefined) {
    // While there are none, nothing is left behind in the process that loaded this.
    if (live.size === 0) process.on('exit', killAll);
    live.add(child.pid);
    guardian ??= startGuardian();
    guardian?.stdin?.write(`+${child.pid}\n`);
  }
  return child;
}

/** The arguments of `cmd /d /s /c line`, which reads between the outermost quotes. Undefined for any others. */
export function shellLine(program: string, args: readonly string[]): string[] | undefined {
  const [line, ...more] = args.slice(3);
  const isForShell = /(^|[\\/])cmd(\.exe)?$/i.test(program) && /^\/d \/s \/c$/i.test(args.slice(0, 3).join(' '));
  return isForShell && line !== undefined && more.length === 0 ? ['/d', '/s', '/c', `"${line}"`] : undefined;
}

/**
 * Resolves the program of a launch here, if the system would search other places than PATH or must not find every program.
 *
 * @param always whether to resolve it in any case.
 * @throws Node's error (`ENOENT`) when there is none.
 */
export function programOf({ command, env, cwd, clearOf = [] }: Launch, always = false): string {
  const isPath = (onWindows ? /[/\\]/ : /\//).test(command);
  if (!onWindows && (isPath || (clearOf.length === 0 && !always))) return command;
  const found = isPath ? programAt(resolve(cwd, command), env) : findProgram(command, env, clearOf);
  if (found !== undefined) return found;
  throw Object.assign(new Error(`spawn ${command} ENOENT`), { code: 'ENOENT', syscall: `spawn ${command}` });
}

/** Forgets a group whose leader has ended; what is left of it is killed first. */
export function releaseGroup(pid: number): void {
  // On Windows the tree of a leader that is gone can't be found, and its id may be another's by now.
  if (!onWindows) signalGroup(pid, 'SIGKILL');
  if (live.delete(pid) && live.size === 0) process.off('exit', killAll);
  guardian?.stdin?.write(`-${pid}\n`);
}

/** Signals every process of the group. A group that has ended is no error. */
export function signalGroup(pid: number, signal: 'SIGTERM' | 'SIGKILL'): void {
  try {
    if (onWindows) endTree(pid);
    else process.kill(-pid, signal);
  } catch {
    // ESRCH: the group has ended.
  }
}

/**
 * Ends a running leader and its whole process tree, because Windows has no groups and no polite signal. If policies forbid
 * its tool for that, only the leader is ended; its children notice by their pipes.
 * @param taskkill its path. By name, another program could be found in the editor's working folder.
 */
export function endTree(
  pid: number,
  taskkill = `${process.env.SystemRoot ?? 'C:\\Windows'}\\System32\\taskkill.exe`,
): void {
  const endLeader = () => {
    try {
      // Its id is not reused until its end has been observed.
      if (live.has(pid)) process.kill(pid, 'SIGKILL');
    } catch {
      // It has just ended.
    }
  };
  const killing = nodeSpawn(taskkill, ['/pid', String(pid), '/T', '/F'], { stdio: 'ignore', windowsHide: true });
  killing.once('error', endLeader);
  killing.once('exit', code => code !== 0 && endLeader());
}

/**
 * The guardian's script: remembers the process groups that it is given (`+pid`, `-pid`), and ends them when its stdin ends.
 * Servers have just lost their stdin too, so they get a moment to leave by themselves; then the group is killed and, on Linux,
 * the rest of its session. A shell, for it is there in a millisecond and a Node of its own would slow the first server's start.
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
finish() {
  for group in $groups; do kill -s "$1" -- "-$group" 2>/dev/null; done
  for stat in /proc/[0-9]*/stat; do
    { read -r line <"$stat"; } 2>/dev/null || continue
    set -- "$1" \${line##*) }
    [ "$4" = "$5" ] && continue # in the group: a second SIGTERM would make some leave at once
    case "$groups " in *" $5 "*) kill -s "$1" "\${line%% *}" 2>/dev/null ;; esac
  done
}
[ -n "$groups" ] || exit 0
sleep 1
finish TERM
sleep 2
finish KILL
`;

let guardian: ChildProcess | undefined;

/** Ends process groups with this process, even if it is killed: one small process watches all. Not on Windows. */
function startGuardian(): ChildProcess | undefined {
  if (process.platform === 'win32') return undefined;
  const child = nodeSpawn('/bin/sh', ['-c', PROGRAM, 'mcp-host-guardian'], {
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
