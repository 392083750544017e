import { type ChildProcess, spawn } from 'node:child_process';

/**
 * The program of the guardian: keeps the process groups it is told of (`+pid`, `-pid`), and ends them when its stdin ends.
 * Servers have just lost their stdin too, so they get a moment to leave by themselves; then the group is killed.
 */
const PROGRAM = `
const groups = new Set();
const signal = name => { for (const pid of groups) { try { process.kill(-pid, name); } catch {} } };
let text = '';
process.stdin.setEncoding('utf8').on('data', chunk => {
  text += chunk;
  const lines = text.split('\\n');
  text = lines.pop();
  for (const line of lines) line[0] === '+' ? groups.add(+line.slice(1)) : groups.delete(+line.slice(1));
}).on('end', () => {
  setTimeout(() => signal('SIGTERM'), 1000);
  setTimeout(() => { signal('SIGKILL'); process.exit(); }, 3000);
}).on('error', () => {});
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(name, () => {});
`;

let guardian: ChildProcess | undefined;

/**
 * Makes sure that a process group ends with this process, also when this process is killed and can do nothing about it.
 * One small process watches for all; it is started with the first server. Not on Windows, which has no groups.
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
  const child = spawn(process.execPath, ['-e', PROGRAM], {
    env: { PATH: process.env.PATH, ELECTRON_RUN_AS_NODE: '1' },
    stdio: ['pipe', 'ignore', 'ignore'],
    // A session of its own: what ends this process's group must not end it.
    detached: true,
  });
  // It must never be a reason for this process to go on; without it there is still the end of stdin.
  child.unref();
  (child.stdin as unknown as { unref(): void }).unref();
  child.on('error', () => {});
  child.stdin?.on('error', () => {});
  child.once('exit', () => {
    if (guardian === child) guardian = undefined;
  });
  return child;
}
