import { type ChildProcess, fork } from 'node:child_process';
import { messageOf } from '../../../base/errors';
import { getOrInsert } from '../../../base/events';
import { visible } from '../../../base/text';
import type { RequestWatch, WatchedSession } from '../../../host/definition';
import {
  BoundedQueue,
  type EndedOperation,
  type FromTelemetry,
  type Operation,
  type SessionFacts,
  type Signal,
  type ToTelemetry,
} from './operation';
import { SessionSpans, type SpanSink } from './sessionSpans';

/** Where spans and metrics go. */
export interface Receiver {
  readonly endpoint: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** In milliseconds. */
export interface ExportTimes {
  /** How long requests wait for others to be sent along. */
  readonly gatherMs: number;
  readonly metricsEveryMs: number;
  /** How long the receiver may take. */
  readonly timeoutMs: number;
  /** How long the program may take to read what it is sent. */
  readonly answerMs: number;
  /** How long it waits before it is started again, at first. */
  readonly restartMs: number;
  /** How long what is left may take at the end. */
  readonly finishMs: number;
}

export interface ExportOptions {
  /** The file that the process runs. */
  readonly program: string;
  /** Whether content goes along: see `TelemetrySettings`. */
  readonly content: boolean;
  /** Of this extension. */
  readonly version: string;
  /** Resolves when its headers are known. Rejects if they will not be: then nothing is sent. */
  readonly receiver: Promise<Receiver>;
  log(level: 'info' | 'warning', text: string): void;
  readonly times?: Partial<ExportTimes>;
}

const TIMES: ExportTimes = {
  gatherMs: 1_000,
  metricsEveryMs: 60_000,
  timeoutMs: 10_000,
  answerMs: 30_000,
  restartMs: 5_000,
  finishMs: 3_000,
};
const MAX_RESTART_MS = 300_000;
/** Requests that wait for the program. */
const MAX_WAITING = 4_096;
/** Requests that are sent to it at once. */
const BATCH = 512;
const HEAP_MB = 128;

/**
 * Reports the requests of all sessions to one receiver, from now on: owns the program that sends spans and metrics, and what
 * waits for it. The program is a process of its own, started with the first request, so that a receiver that hangs slows nothing
 * here: it gets one batch after the other, and what comes meanwhile waits up to a limit, and is then dropped and counted. Its end
 * is noticed, and it is started again.
 */
export class Reporting implements SpanSink {
  readonly #sessions = new WeakMap<WatchedSession, SessionSpans>();
  readonly #queue = new BoundedQueue<EndedOperation>(MAX_WAITING);
  readonly #times: ExportTimes;
  #receiver: Receiver | undefined;
  #child: ChildProcess | undefined;
  /** Size of the batch that the program has not confirmed. */
  #unread = 0;
  #gathering: NodeJS.Timeout | undefined;
  #watch: NodeJS.Timeout | undefined;
  #restartMs: number;
  /** It may not be started before, as a value of `performance.now()`. */
  #notBefore = 0;
  /** What the receiver does not take. */
  readonly #failing = new Set<Signal>();
  #isDropping = false;
  /** Spans and requests that were lost since the receiver took some. */
  #lost = 0;
  #isFinishing = false;

  constructor(private readonly options: ExportOptions) {
    this.#times = { ...TIMES, ...options.times };
    this.#restartMs = this.#times.restartMs;
    options.receiver.then(
      receiver => {
        this.#receiver = receiver;
        this.#gather();
      },
      error => options.log('warning', `Nothing is reported: ${messageOf(error, 300)}`),
    );
  }

  /** Process id of the program, while it runs. */
  get pid(): number | undefined {
    return this.#child?.pid;
  }

  get content(): boolean {
    return this.options.content;
  }

  watch(session: WatchedSession): RequestWatch {
    return getOrInsert(this.#sessions, session, () => new SessionSpans(session, this));
  }

  /** Whether the program has read all that it is to send. */
  get isIdle(): boolean {
    return this.#queue.size === 0 && this.#unread === 0;
  }

  /** Adds what has ended. Costs next to nothing: it is sent later, with others. */
  ended(ended: EndedOperation): void {
    if (!this.#queue.push(ended)) this.#dropped();
    else if (this.#queue.size === 1) this.#gather();
    else if (this.#queue.size === BATCH) setImmediate(() => this.#send());
  }

  /** Counts a request that is not reported. */
  lost(): void {
    this.#queue.lose(1);
    this.#dropped();
  }

  /** Sends what is left, and ends the program. Resolves when it is gone, after `finishMs` at most. */
  async close(): Promise<void> {
    if (this.#isFinishing) return;
    this.#isFinishing = true;
    clearTimeout(this.#gathering);
    if (this.#queue.size > 0) this.#start();
    const child = this.#child;
    if (child) {
      const ended = Promise.withResolvers<void>();
      child.once('exit', () => ended.resolve());
      const timer = setTimeout(() => child.kill('SIGKILL'), this.#times.finishMs);
      // All of it, whether or not the program has read what it was sent before: the pipe has room for that.
      this.#sendBatch(child, MAX_WAITING);
      this.#tell(child, { type: 'finish' });
      await ended.promise;
      clearTimeout(timer);
    }
    clearTimeout(this.#watch);
    this.#countLost();
    if (this.#lost > 0) this.options.log('warning', `${this.#lost} requests were not reported.`);
  }

  #gather(): void {
    if (this.#gathering || this.#isFinishing) return;
    this.#gathering = setTimeout(() => {
      this.#gathering = undefined;
      this.#send();
    }, this.#times.gatherMs);
    this.#gathering.unref();
  }

  #send(): void {
    if (this.#isFinishing || this.#unread > 0 || this.#queue.size === 0) return;
    const waitMs = this.#notBefore - performance.now();
    if (waitMs > 0) {
      this.#gather();
      return;
    }
    this.#start();
    if (this.#child) this.#sendBatch(this.#child, BATCH);
  }

  #sendBatch(child: ChildProcess, most: number): void {
    const batch = this.#queue.take(most);
    if (batch.length === 0) return;
    this.#unread += batch.length;
    clearTimeout(this.#watch);
    this.#watch = setTimeout(() => child.kill('SIGKILL'), this.#times.answerMs);
    this.#watch.unref();
    this.#tell(child, packed(batch));
  }

  #start(): void {
    if (this.#child || !this.#receiver) return;
    const { program, version } = this.options;
    const { metricsEveryMs, timeoutMs } = this.#times;
    const { NODE_EXTRA_CA_CERTS } = process.env;
    const child = fork(program, [], {
      // It inherits nothing else: no variable may change where it sends. In a desktop, Node is a part of the editor's program.
      env: { ELECTRON_RUN_AS_NODE: '1', ...(NODE_EXTRA_CA_CERTS && { NODE_EXTRA_CA_CERTS }) },
      execArgv: [`--max-old-space-size=${HEAP_MB}`],
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      windowsHide: true,
    });
    this.#child = child;
    // It ends with the window, and must not keep the window's process.
    child.unref();
    child.channel?.unref();
    child.on('message', (message: FromTelemetry) => this.#onMessage(message));
    child.on('error', error => this.#onEnd(child, visible(error.message, 300)));
    child.once('exit', (code, signal) => this.#onEnd(child, `exit code ${code}, signal ${signal}`));
    this.#tell(child, { type: 'start', version, metricsEveryMs, timeoutMs, ...this.#receiver });
  }

  /** Errors are noticed by the end of the program. */
  #tell(child: ChildProcess, message: ToTelemetry): void {
    if (child.connected) child.send(message, () => {});
  }

  #onMessage(message: FromTelemetry): void {
    switch (message.type) {
      case 'taken':
        clearTimeout(this.#watch);
        this.#unread = 0;
        this.#restartMs = this.#times.restartMs;
        if (this.#queue.size >= BATCH) this.#send();
        else if (this.#queue.size > 0) this.#gather();
        return;
      case 'failing':
        if (!this.#failing.has(message.signal))
          this.options.log('warning', `The receiver takes no ${message.signal}: ${this.#harmless(message.reason)}`);
        this.#failing.add(message.signal);
        return;
      case 'lost':
        this.#lost += message.spans;
        return;
      case 'delivered':
        this.#delivered(message.signal);
        return;
      case 'finished':
        return;
    }
  }

  #delivered(signal: Signal): void {
    const wasFailing = this.#failing.delete(signal);
    if (signal === 'spans') this.#countLost();
    if (signal === 'spans' && this.#lost > 0) {
      this.options.log('warning', `The receiver takes spans again. ${this.#lost} requests were not reported.`);
      this.#lost = 0;
      this.#isDropping = false;
    } else if (wasFailing) this.options.log('info', `The receiver takes ${signal} again.`);
  }

  #onEnd(child: ChildProcess, how: string): void {
    if (this.#child !== child) return;
    this.#child = undefined;
    clearTimeout(this.#watch);
    this.#queue.lose(this.#unread);
    this.#unread = 0;
    if (this.#isFinishing) return;
    const waitS = Math.ceil(this.#restartMs / 1_000);
    this.options.log('warning', `The telemetry program ended unexpectedly (${how}). It starts again in ${waitS} s.`);
    this.#notBefore = performance.now() + this.#restartMs;
    this.#restartMs = Math.min(this.#restartMs * 2, MAX_RESTART_MS);
    this.#gather();
  }

  #dropped(): void {
    if (this.#isDropping) return;
    this.#isDropping = true;
    this.options.log('warning', 'Requests come faster than they can be reported: some are left out.');
  }

  #countLost(): void {
    this.#lost += this.#queue.takeDropped();
  }

  /** What a receiver says may hold what it was sent. */
  #harmless(text: string): string {
    const values = Object.values(this.#receiver?.headers ?? {}).filter(value => value.length > 3);
    return values.reduce((safe, value) => safe.replaceAll(value, '…'), visible(text, 1_000));
  }
}

/** A batch with each object of facts once. */
function packed(batch: readonly EndedOperation[]): ToTelemetry {
  const facts = new Map<SessionFacts, number>();
  const operations: Operation[] = [];
  const of: number[] = [];
  const sessions: { session: number; seconds: number }[] = [];
  for (const ended of batch) {
    const session = getOrInsert(facts, ended.facts, () => facts.size);
    if ('operation' in ended) {
      operations.push(ended.operation);
      of.push(session);
    } else sessions.push({ session, seconds: ended.sessionSeconds });
  }
  return { type: 'ended', facts: [...facts.keys()], operations, of, sessions };
}
