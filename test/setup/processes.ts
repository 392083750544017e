// Child processes that never outlive the program that started them.
import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { patience } from './patience';

const cleanups = new Set<() => void>();
process.on('exit', () => {
  for (const cleanup of cleanups) cleanup();
});
for (const [signal, number] of [
  ['SIGHUP', 1],
  ['SIGINT', 2],
  ['SIGTERM', 15],
] as const) {
  // A program with a listener of its own ends in its own way, which still passes through 'exit'.
  process.on(signal, () => process.listenerCount(signal) === 1 && process.exit(128 + number));
}

/**
 * Runs `cleanup` when this process exits, on a signal too. It must be synchronous.
 * @returns a function that takes the cleanup back.
 */
export function atExit(cleanup: () => void): () => void {
  cleanups.add(cleanup);
  return () => cleanups.delete(cleanup);
}

/** Ends this process, with its cleanups, soon after the one that started it is gone: that one may have been killed. */
export function endWithStarter(): void {
  const starter = process.ppid;
  setInterval(() => process.ppid !== starter && process.exit(1), 500).unref();
}

/** Ends a process that leads its own group, and everything in that group. */
export function killGroup(child: ChildProcess): void {
  try {
    if (child.pid === undefined) return;
    if (process.platform === 'win32') child.kill('SIGKILL');
    else process.kill(-child.pid, 'SIGKILL');
  } catch {
    // The group is empty already.
  }
}

/** Starts a process in a group of its own, which ends with this process at the latest. */
export function spawnGroup(command: string, args: string[], options: SpawnOptions): ChildProcess {
  const child = spawn(command, args, { ...options, detached: process.platform !== 'win32' });
  const forget = atExit(() => killGroup(child));
  child.once('exit', forget);
  return child;
}

/** Asks a group to end, and ends it after `graceMs`. Resolves when its leader is gone. */
export async function stopGroup(child: ChildProcess, graceMs = 3_000): Promise<void> {
  if (child.exitCode === null && child.signalCode === null && child.pid !== undefined) {
    const gone = new Promise(resolve => child.once('exit', resolve));
    child.kill('SIGTERM');
    const timer = setTimeout(() => killGroup(child), graceMs);
    await gone;
    clearTimeout(timer);
  }
  killGroup(child); // what the leader left behind: extension hosts, terminals, MCP servers
}

export interface RunOptions {
  cwd?: string;
  env?: NodeJS.ProcessEnv;
  /** Ends the command after this time. */
  timeoutMs: number;
}

/**
 * Runs a command to its end and returns what it printed.
 * @throws Error with the command and its output when it fails or takes longer than `timeoutMs`.
 */
export function run(command: string, args: string[], { cwd, env, timeoutMs }: RunOptions): Promise<string> {
  return new Promise((resolve, reject) => {
    const shell = process.platform === 'win32' && !command.endsWith('.exe'); // npm is npm.cmd there
    const child = spawnGroup(command, args, { cwd, env, shell, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    child.stdout?.on('data', data => (output += data));
    child.stderr?.on('data', data => (output += data));
    let late = false;
    const timer = setTimeout(() => {
      late = true;
      killGroup(child);
    }, timeoutMs);
    child.once('error', reject);
    child.once('close', (code, signal) => {
      clearTimeout(timer);
      if (code === 0) return resolve(output);
      const why = late ? `took longer than ${timeoutMs} ms` : `ended with ${code ?? signal}`;
      reject(new Error(`${[command, ...args].join(' ')} ${why}\n${output}`));
    });
  });
}

/** How long a process may live on after its last test: enough for the close of idle sockets. */
const leakGraceMs = 10_000;

/** Ends this process with 3 if something keeps it alive although its tests are over, and says what. */
export function endIfKeptAlive(): void {
  setTimeout(() => {
    console.error('The tests are over, but something keeps their process alive:', process.getActiveResourcesInfo());
    process.exit(3);
  }, leakGraceMs * patience()).unref();
}
