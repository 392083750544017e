import { type ChildProcess, spawn } from 'node:child_process';
import type { Disposable } from '../../../base/events';

/** The program of Linux and macOS that writes to the system's log: by its path, as PATH is the person's. */
const LOGGER = '/usr/bin/logger';
/** Without these, Linux cuts lines at 1 KB, and keeps silent when there is no log. */
const OF_LINUX = ['--size', '64KiB', '--socket-errors=on'];

/** Writes lines to the system's log as `mcp-host`, in the facility `auth`: by a program that runs as long as the window. */
export class Syslog implements Disposable {
  #child: ChildProcess | undefined;
  #problem: string | undefined;

  /** @param extra more arguments of the program, for tests. */
  constructor(
    private readonly extra: readonly string[] = [],
    private readonly logger = LOGGER,
  ) {}

  /** Writes lines. Rejects with a `code` when those could not be written, or those before: the program tells only later. */
  async write(lines: string): Promise<void> {
    const { stdin } = this.#running();
    await new Promise<void>((resolve, reject) => {
      stdin?.write(lines, error => (error ? reject(this.#failure(error)) : resolve()));
    });
    const problem = this.#problem;
    this.#problem = undefined;
    if (problem !== undefined) throw Object.assign(new Error(`The program ended: ${problem}`), { code: problem });
  }

  dispose(): void {
    this.#child?.stdin?.end();
    this.#child = undefined;
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

  #failure(error: Error): Error {
    const code = this.#problem ?? (error as NodeJS.ErrnoException).code;
    this.#problem = undefined;
    return Object.assign(error, { code });
  }
}
