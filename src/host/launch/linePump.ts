import type { Readable } from 'node:stream';
import { LineReader } from '../../base/processes';

/** How long lines are handled before yielding the event loop. */
const TURN_MS = 8;
/** The clock is read once for this many lines. */
const LINES_PER_LOOK = 32;

interface LinePumpOptions {
  /** Longer lines are dropped, and reported once each. */
  maxBytes: number;
  /**
   * Takes one line. `'settle'` lets everything run that is already promised (all pending microtasks) before the next
   * line. Must not throw.
   */
  onLine(line: string): 'settle' | undefined;
  onTooLong(): void;
}

/**
 * Forwards a stream's lines in order, as fast as they are consumed but only in short turns. The stream is paused while other
 * work has its turn, so little is buffered.
 */
export class LinePump {
  readonly #reader: LineReader;
  /** Time spent on lines, and on their immediate consequences, since the last yield. */
  #spentMs = 0;
  /** A continuation is scheduled: lines must wait for it. */
  #scheduled = false;
  #ended = false;
  #done = Promise.withResolvers<void>();

  constructor(
    private readonly stream: Readable,
    private readonly options: LinePumpOptions,
  ) {
    this.#reader = new LineReader(options.maxBytes, options.onTooLong);
    stream.on('data', this.#onData);
    stream.once('end', () => this.#end());
  }

  /** Stops reading. Resolves when every line read so far has been passed on. */
  close(): Promise<void> {
    this.stream.off('data', this.#onData);
    // A paused stream may have buffered data.
    for (let chunk = this.stream.read(); chunk !== null; chunk = this.stream.read()) this.#reader.push(chunk);
    this.#end();
    return this.#done.promise;
  }

  readonly #onData = (chunk: Buffer): void => {
    this.#reader.push(chunk);
    if (!this.#scheduled) this.#run();
  };

  #end(): void {
    if (this.#ended) return;
    this.#ended = true;
    if (!this.#scheduled) this.#run();
  }

  #run(): void {
    const start = performance.now();
    let settle = false;
    let lines = 0;
    for (let line = this.#reader.next(); line !== undefined; line = this.#reader.next()) {
      settle = this.options.onLine(line) === 'settle';
      if (settle || (++lines % LINES_PER_LOOK === 0 && this.#spentMs + performance.now() - start > TURN_MS)) break;
    }
    this.#spentMs += performance.now() - start;
    if (this.#spentMs > TURN_MS) this.#giveWay();
    else if (settle) this.#continueWhenSettled();
    else if (this.#ended) this.#finish();
  }

  #giveWay(): void {
    this.#scheduled = true;
    this.stream.pause();
    setImmediate(() => {
      this.#spentMs = 0;
      this.#scheduled = false;
      // It flows from the next tick, unless this turn ends with a pause again.
      if (!this.#ended) this.stream.resume();
      this.#run();
    });
  }

  /** A tick requested by a microtask comes when no microtask is left. */
  #continueWhenSettled(): void {
    this.#scheduled = true;
    const start = performance.now();
    queueMicrotask(() =>
      process.nextTick(() => {
        this.#scheduled = false;
        // What the lines have triggered keeps others waiting too.
        this.#spentMs += performance.now() - start;
        this.#run();
      }),
    );
  }

  #finish(): void {
    const last = this.#reader.rest();
    if (last !== undefined) this.options.onLine(last);
    this.#done.resolve();
  }
}
