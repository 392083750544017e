import { type ChildProcess, spawn } from 'node:child_process';
import type { Disposable } from '../../../base/events';

/** The program of Linux and macOS that writes to the system's log: by its path, as PATH is the person's. */
const LOGGER = '/usr/bin/logger';
/** Without these, Linux cuts lines at 1 KB, and keeps silent when there is no log. */
const OF_LINUX = ['--size', '64KiB', '--socket-errors=on'];
/** So many characters may wait for the program. */
const MAX_WAITING = 1_000_000;
/** How long it may go on at the end, in milliseconds. */
const FINISH_MS = 2_000;

/** Writes lines to the system's log as `mcp-host`, in the facility `auth`: by a program that runs as long as the window. */
export class Syslog implements Disposable {
  #child: ChildProcess | undefined;
  #problem: string | undefined;

  /** @param extra more arguments of the program, for tests. */
  constructor(
    private readonly extra: readonly string[] = [],
    private readonly logger = LOGGER,
  ) {}

  /** Passes lines on; never waits for the program. Rejects with a `code` if it ended since, or does not read: then lines are lost. */
  async write(lines: string): Promise<void> {
    const { stdin } = this.#running();
    const isFull = stdin !== null && stdin.writableLength > MAX_WAITING;
    if (!isFull) stdin?.write(lines);
    const problem = isFull ? 'it does not read' : this.#problem;
    this.#problem = undefined;
    if (problem !== undefined) throw Object.assign(new Error(`${this.logger}: ${problem}`), { code: problem });
  }

  /** The program ends when it has read everything. */
  dispose(): void {
    const child = this.#child;
    this.#child = undefined;
    if (!child) return;
    child.stdin?.end();
    const timer = setTimeout(() => child.kill('SIGKILL'), FINISH_MS);
    timer.unref();
    child.once('exit', () => clearTimeout(timer));
  }

  #running(): ChildProcess {
    if (this.#child) return this.#child;
    const own = process.platform === 'linux' ? OF_LINUX : [];
    const child = spawn(this.logger, ['-t', 'mcp-host', '-p', 'auth.info', ...own, ...this.extra], {
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    this.#child = child;
    // It ends with the window, and must not keep the window's process.
    child.unref();
    child.stdin.on('error', () => {});
    child.on('error', error => this.#ended(child, (error as NodeJS.ErrnoException).code ?? error.message));
    child.once('exit', (code, signal) => this.#ended(child, code === null ? `${signal}` : `exit code ${code}`));
    return child;
  }

  #ended(child: ChildProcess, problem: string): void {
    if (this.#child !== child) return;
    this.#child = undefined;
    this.#problem = problem;
  }
}
