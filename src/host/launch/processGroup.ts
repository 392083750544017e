import { type ChildProcess, spawn as nodeSpawn, type StdioOptions } from 'node:child_process';
import { resolve } from 'node:path';
import spawnByShell from 'cross-spawn';
import { findProgram, programAt } from './findProgram';
import { guard, unguard } from './guardian';

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
  const child = spawn(program, [...args], {
    cwd,
    env,
    stdio,
    detached: !onWindows,
    windowsHide: true,
  });
  if (child.pid !== undefined) {
    // While there are none, nothing is left behind in the process that loaded this.
    if (live.size === 0) process.on('exit', killAll);
    live.add(child.pid);
    guard(child.pid);
  }
  return child;
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
  unguard(pid);
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
