import type { ChildProcess } from 'node:child_process';
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';
import { LineReader } from './lineReader';
import { type Launch, releaseGroup, signalGroup, spawnGroup } from './processGroup';

const MAX_MESSAGE_BYTES = 64 * 1024 * 1024;
const MAX_STDERR_LINE_BYTES = 64 * 1024;
const STDERR_TAIL_LINES = 20;
/** How long output may still arrive after the server has exited; longer means that a grandchild holds the pipe. */
const DRAIN_MS = 250;
const STDIN_END_MS = 2_000;
const SIGTERM_MS = 3_000;

/** How a server's process ended. */
export interface Exit {
  code: number | null;
  signal: NodeJS.Signals | null;
}

export interface StdioListeners {
  /** One line of the server's stderr. */
  stderr(line: string): void;
  /** A line on stdout that is not an MCP message; it is skipped. */
  noise(line: string): void;
}

/**
 * The stdio transport (spec: basic/transports#stdio): one JSON-RPC message a line over the pipes of a child process.
 *
 * Our own because the SDK's reads in quadratic time, ends only the direct child, and misses the end of a server whose
 * grandchild holds the pipe. stderr is always drained. `close` ends the whole process group: end of stdin, then SIGTERM
 * after 2 s, then SIGKILL after another 3 s.
 */
export class StdioTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: Transport['onmessage'];
  /** The SDK takes a transport with `pid` and `stderr` for a pipe and probes the era in place. */
  readonly stderr = null;
  /** The last lines of stderr, oldest first. */
  readonly stderrTail: string[] = [];
  #child: ChildProcess | undefined;
  #exit: Exit | undefined;
  #exited = Promise.withResolvers<void>();
  #closed = false;
  #closing: Promise<void> | undefined;

  constructor(
    private readonly launch: Launch,
    private readonly listeners: StdioListeners,
  ) {}

  get pid(): number | null {
    return this.#child?.pid ?? null;
  }

  /** How the process ended, once it has. */
  get exit(): Exit | undefined {
    return this.#exit;
  }

  /** Starts the process. Rejects with Node's error (`ENOENT`, `EACCES`, …) when it can't be started. */
  async start(): Promise<void> {
    const child = spawnGroup(this.launch);
    this.#child = child;
    this.#readFrom(child);
    child.once('exit', (code, signal) => this.#onExit({ code, signal }));
    await new Promise<void>((resolve, reject) => {
      child.once('spawn', resolve);
      child.once('error', error => {
        this.#exited.resolve();
        this.#fireClosed();
        reject(error);
      });
    });
    child.on('error', error => this.onerror?.(error));
  }

  /** Writes one message; waits while the pipe is full. Rejects when the server is gone. */
  async send(message: JSONRPCMessage): Promise<void> {
    const stdin = this.#child?.stdin;
    if (!stdin?.writable || this.#closed) throw new Error('the server is not running');
    await new Promise<void>((resolve, reject) => {
      stdin.write(`${JSON.stringify(message)}\n`, error => (error ? reject(error) : resolve()));
    });
  }

  /** Ends the server and everything it started. Resolves when its process is gone. */
  close(): Promise<void> {
    this.#closing ??= this.#end();
    return this.#closing;
  }

  async #end(): Promise<void> {
    const child = this.#child;
    if (child?.pid !== undefined && !this.#exit) {
      const { pid } = child;
      child.stdin?.end();
      const timers = [
        setTimeout(() => signalGroup(pid, 'SIGTERM'), STDIN_END_MS),
        setTimeout(() => signalGroup(pid, 'SIGKILL'), STDIN_END_MS + SIGTERM_MS),
      ];
      await this.#exited.promise;
      for (const timer of timers) clearTimeout(timer);
    }
    this.#fireClosed();
  }

  #readFrom(child: ChildProcess): void {
    const messages = new LineReader(
      MAX_MESSAGE_BYTES,
      line => this.#onLine(line),
      bytes => this.onerror?.(new Error(`a message of more than ${bytes} bytes was skipped`)),
    );
    child.stdout?.on('data', (chunk: Buffer) => messages.push(chunk));
    child.stdout?.on('end', () => messages.end());
    const errors = new LineReader(
      MAX_STDERR_LINE_BYTES,
      line => this.#onStderr(line),
      () => this.#onStderr('(a very long line was left out)'),
    );
    child.stderr?.on('data', (chunk: Buffer) => errors.push(chunk));
    child.stderr?.on('end', () => errors.end());
    // A pipe breaks when its process dies; the exit says it better.
    for (const stream of [child.stdin, child.stdout, child.stderr]) stream?.on('error', () => {});
  }

  #onLine(line: string): void {
    if (this.#closed) return;
    let message: JSONRPCMessage;
    try {
      message = JSON.parse(line);
      if (message?.jsonrpc !== '2.0') throw new Error('not JSON-RPC');
    } catch {
      if (line.trim()) this.listeners.noise(line);
      return;
    }
    this.onmessage?.(message);
  }

  #onStderr(line: string): void {
    this.stderrTail.push(line);
    if (this.stderrTail.length > STDERR_TAIL_LINES) this.stderrTail.shift();
    this.listeners.stderr(line);
  }

  #onExit(exit: Exit): void {
    this.#exit = exit;
    const pid = this.#child?.pid;
    const finish = () => {
      clearTimeout(timer);
      if (pid !== undefined) releaseGroup(pid);
      for (const stream of [this.#child?.stdin, this.#child?.stdout, this.#child?.stderr]) stream?.destroy();
      this.#exited.resolve();
      this.#fireClosed();
    };
    const timer = setTimeout(finish, DRAIN_MS);
    this.#child?.once('close', finish);
  }

  #fireClosed(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.onclose?.();
  }
}
