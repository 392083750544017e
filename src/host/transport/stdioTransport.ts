import type { ChildProcess } from 'node:child_process';
import type { Socket } from 'node:net';
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';
import { INTERNAL_ERROR } from '../../base/errors';
import { phrase } from '../../base/phrase';
import { LinePump, plainText } from '../../base/processes';
import { isExcessive } from '../../base/shallowJson';
import { beginningOf } from '../../base/text';
import { logMessage, messagesIn } from '../reading/framing';
import type { LaunchableProgram, StartedProgram } from '../sandbox/launcher';
import { type IncomingListeners, LINES_PER_SETTLE, LogGate, type Traffic } from './incomingMessages';
import { MessageWriter, WriteError } from './messageWriter';
import { type TransportFault, tooIntricate, tooLarge } from './transportFault';

const MAX_MESSAGE_BYTES = 64 * 1024 * 1024;
/** Lines of noise accepted at once, and per second. */
const NOISE_BURST = 1_000;
const NOISE_PER_SECOND = 100;
/** Lines of stderr accepted at once. It has no levels, so any line may matter. */
const STDERR_BURST = 250_000;
const MAX_STDERR_LINE_BYTES = 64 * 1024;
/** Enough for the stack below the line that says what went wrong. */
const TAIL_LINES = 200;
const MAX_TAIL_LINE = 16_000;
/** How much of either end of a message that is not read may tell what it answers. */
const EDGE = 1_000;
/** How long output may still arrive after the server has exited; longer means that a grandchild holds the pipe. */
const DRAIN_MS = 250;
/** How long a server may live on without its stdin or stdout before it counts as broken: one that exits loses them first. */
const LONELY_PIPE_MS = 1_000;
const STDIN_END_MS = 2_000;
const SIGTERM_MS = 3_000;

/** How a server's process ended. */
export interface Exit {
  code: number | null;
  signal: NodeJS.Signals | null;
}

/** How a server ended unexpectedly: the exit of its process, or a pipe that it closed while its process continued. */
export interface End {
  exit?: Exit | undefined;
  closedPipe?: 'stdin' | 'stdout' | undefined;
}

/**
 * The stdio transport (spec: basic/transports#stdio): one JSON-RPC message a line over the pipes of a child process.
 *
 * Our own because the SDK's reads in quadratic time, ends only the direct child, and misses the end of a server whose
 * grandchild holds the pipe. stderr is always drained. A notification is handled before the next message is handed over:
 * progress that arrives together with the answer is not lost. `close` ends the whole process group: end of stdin, then SIGTERM
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
  /** The last lines of stdout that are not MCP messages, oldest first. */
  readonly noiseTail: string[] = [];
  #starting: Promise<void> | undefined;
  #program: StartedProgram | undefined;
  #pumps: LinePump[] = [];
  #writer: MessageWriter | undefined;
  #logLines = 0;
  readonly #gate: LogGate;
  readonly #noiseGate: LogGate;
  readonly #stderrGate: LogGate;
  #exit: Exit | undefined;
  #closedPipe: End['closedPipe'];
  #lonely: NodeJS.Timeout | undefined;
  readonly #exited = Promise.withResolvers<void>();
  /** Settles with `onclose`. */
  readonly #gone = Promise.withResolvers<void>();
  #closed = false;
  #closing: Promise<void> | undefined;
  /** Settles when its sandbox has put everything in order. */
  #settled: Promise<void> | undefined;

  constructor(
    private readonly program: Pick<LaunchableProgram, 'ready'>,
    private readonly listeners: IncomingListeners & { stderr(line: string): void },
    private readonly maxMessageBytes = MAX_MESSAGE_BYTES,
    private readonly readsInput = true,
  ) {
    this.#gate = new LogGate(count =>
      listeners.leftOut(`${count} log messages below "warning" that came faster than they could be read`),
    );
    this.#noiseGate = new LogGate(
      count => listeners.leftOut(`${count} lines on stdout that are not MCP messages`),
      NOISE_BURST,
      NOISE_PER_SECOND,
    );
    this.#stderrGate = new LogGate(
      count => listeners.leftOut(`${count} lines on stderr that came faster than they could be read`),
      STDERR_BURST,
    );
  }

  get pid(): number | null {
    return this.#program?.child.pid ?? null;
  }

  /** Counted by its pipes. */
  get traffic(): Traffic {
    const { stdin, stdout } = (this.#program?.child ?? {}) as { stdin?: Socket; stdout?: Socket };
    return { received: stdout?.bytesRead ?? 0, sent: stdin?.bytesWritten ?? 0 };
  }

  /** How the process ended, once it has. Undefined when the command was never run. */
  get exit(): Exit | undefined {
    return this.#exit;
  }

  /** The pipe that the server closed although its process went on. */
  get closedPipe(): End['closedPipe'] {
    return this.#closedPipe;
  }

  /** Starts the process, once. Rejects with Node's error (`ENOENT`, `EACCES`, …) when it can't be started. */
  start(): Promise<void> {
    this.#starting ??= this.#start();
    return this.#starting;
  }

  async #start(): Promise<void> {
    const ready = await this.program.ready();
    if (this.#closing !== undefined) {
      await ready.drop();
      throw new WriteError(phrase('it was closed'));
    }
    const program = ready.start();
    this.#program = program;
    const { child } = program;
    this.#attach(child);
    child.once('exit', (code, signal) => this.#onExit({ code, signal }));
    // cross-spawn emits no exit if the program vanished after it was found.
    child.once('close', (code, signal) => child.pid !== undefined && !this.#exit && this.#onExit({ code, signal }));
    child.on('error', error => child.pid !== undefined && this.onerror?.(error));
    await new Promise<void>((resolve, reject) => {
      child.once('spawn', resolve);
      child.once('error', error => {
        if (child.pid !== undefined) return;
        this.#settled = program.release();
        this.#exited.resolve();
        this.#fireClosed();
        reject(error);
      });
    });
  }

  /** The server is ready: a sandbox no longer lets it fetch what it runs. */
  settle(): void {
    this.#program?.settle();
  }

  /** Writes one message; resolves when the pipe has taken it. Rejects when the server is gone, or reads nothing. */
  async send(message: JSONRPCMessage): Promise<void> {
    if (!this.#writer || this.#closed) throw new WriteError(phrase('it is not running'));
    try {
      await this.#writer.write(message);
    } catch (error) {
      // How a process ends says more than its broken pipe, and is known a moment later.
      if (this.#program?.child.stdin?.destroyed && this.#closing === undefined) await this.#gone.promise;
      throw error;
    }
  }

  /** Ends the server and everything it started. Resolves when its process is gone. */
  close(): Promise<void> {
    this.#closing ??= this.#end();
    return this.#closing;
  }

  async #end(): Promise<void> {
    clearTimeout(this.#lonely);
    const program = this.#program;
    if (program?.child.pid !== undefined && !this.#exit) {
      this.#writer?.end();
      // A server that has closed its stdin, or never reads it, does not notice its end.
      const patienceMs = this.#closedPipe === 'stdin' || !this.readsInput ? 0 : STDIN_END_MS;
      const timer = setTimeout(() => program.end(SIGTERM_MS), patienceMs);
      await this.#exited.promise;
      clearTimeout(timer);
    }
    this.#fireClosed();
    await this.#settled;
  }

  #attach({ stdin, stdout, stderr }: ChildProcess): void {
    // A program that could not be started has no pipes.
    if (!stdin || !stdout || !stderr) return;
    this.#writer = new MessageWriter(stdin, this.maxMessageBytes, text => this.listeners.wire('sent', text));
    this.#pumps = [
      new LinePump(stdout, {
        maxBytes: this.maxMessageBytes,
        onLine: line => this.#onLine(line),
        onTooLong: () => this.#onTooLong(),
        onSkipped: (start, end) => this.#fail(start, end, tooLarge(this.maxMessageBytes)),
      }),
      new LinePump(stderr, {
        maxBytes: MAX_STDERR_LINE_BYTES,
        onLine: line => this.#onStderr(line),
        onTooLong: () => this.#onStderr('(a very long line was omitted)'),
      }),
    ];
    // A pipe breaks when its process dies; the exit is the better explanation.
    for (const stream of [stdin, stdout, stderr]) stream.on('error', () => {});
    stdin.once('close', () => this.#onPipeClosed('stdin'));
    stdout.once('close', () => this.#onPipeClosed('stdout'));
  }

  /** Unless its process ends now, this server can never answer again: that is an end too. */
  #onPipeClosed(pipe: NonNullable<End['closedPipe']>): void {
    if (this.#exit || this.#closing !== undefined) return;
    this.#lonely ??= setTimeout(() => {
      this.#closedPipe = pipe;
      this.#fireClosed();
      void this.close();
    }, LONELY_PIPE_MS);
  }

  #onLine(line: string): 'settle' | undefined {
    if (this.#closed) return undefined;
    this.listeners.wire('received', line);
    try {
      const messages = messagesIn(line, this.listeners.leftOut);
      if (messages.length === 0 && isExcessive(line)) {
        this.listeners.leftOut('a message with too many values or levels');
        this.#fail(line.slice(0, EDGE), line.slice(-EDGE), tooIntricate());
      } else if (messages.length === 0 && line.trim() && this.#noiseGate.passes('info')) {
        if (!line.includes('"jsonrpc"')) keep(this.noiseTail, plainText(beginningOf(line, MAX_TAIL_LINE))); // half a message says nothing
        this.listeners.noise(line);
      }
      let settle: 'settle' | undefined;
      for (const message of messages) settle = this.#take(message) ?? settle;
      return settle;
    } catch (error) {
      // For instance a message nested so deeply that handling it overflows the stack.
      this.onerror?.(error instanceof Error ? error : new Error(String(error)));
      return undefined;
    }
  }

  #take(message: JSONRPCMessage): 'settle' | undefined {
    const log = logMessage(message);
    if (log) {
      if (this.#gate.passes(log.level)) this.listeners.log(log);
      return this.#afterLogLine();
    }
    this.onmessage?.(message);
    return 'method' in message ? 'settle' : undefined;
  }

  #onTooLong(): void {
    const what = `a message of more than ${this.maxMessageBytes} bytes`;
    this.listeners.leftOut(what);
    this.onerror?.(new Error(`${what} was skipped`));
  }

  /** What waits for the answer with these ends learns that it won't come, as over HTTP. */
  #fail(start: string, end: string, data: TransportFault): void {
    const id = answeredId(start, end);
    const error = { code: INTERNAL_ERROR, message: data.message, data };
    if (id !== undefined) this.onmessage?.({ jsonrpc: '2.0', id, error });
  }

  #onStderr(raw: string): 'settle' | undefined {
    const line = plainText(raw);
    if (line.trim() === '' || !this.#stderrGate.passes('info')) return undefined;
    keep(this.stderrTail, line);
    this.listeners.stderr(line);
    return this.#afterLogLine();
  }

  /** The editor writes its logs asynchronously: that work has to run now and then, so that its time counts. */
  #afterLogLine(): 'settle' | undefined {
    return ++this.#logLines % LINES_PER_SETTLE === 0 ? 'settle' : undefined;
  }

  #onExit(exit: Exit): void {
    this.#exit = exit;
    clearTimeout(this.#lonely);
    const program = this.#program!;
    const { child } = program;
    const finish = async () => {
      clearTimeout(timer);
      child.off('close', finish);
      await program.ended();
      this.#settled = program.release();
      await Promise.all(this.#pumps.map(pump => pump.close()));
      for (const stream of [child.stdin, child.stdout, child.stderr]) stream?.destroy();
      this.#exited.resolve();
      this.#fireClosed();
    };
    const timer = setTimeout(finish, DRAIN_MS);
    child.once('close', finish);
  }

  #fireClosed(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#gate.report();
    this.#noiseGate.report();
    this.#stderrGate.report();
    this.onclose?.();
    this.#gone.resolve();
  }
}

function keep(tail: string[], line: string): void {
  tail.push(beginningOf(line, MAX_TAIL_LINE));
  if (tail.length > TAIL_LINES) tail.shift();
}

/** To which of our requests a message with these edges is the answer: SDKs put `id` first or last. Undefined: that can't be told. */
function answeredId(start: string, end: string): number | undefined {
  const [, first, result] =
    /^\s*\{\s*(?:"id"\s*:\s*(\d+)\s*,\s*)?("result")/.exec(start.replace(/"jsonrpc"\s*:\s*"2\.0"\s*,\s*/, '')) ?? [];
  const [, last] = /,\s*"id"\s*:\s*(\d+)(?:\s*,\s*"jsonrpc"\s*:\s*"2\.0")?\s*\}\s*$/.exec(end) ?? [];
  const id = first ?? (result && last);
  return id === undefined ? undefined : Number(id);
}
