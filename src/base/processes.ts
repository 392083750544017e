import type { Readable } from 'node:stream';
import { isDeeper, MAX_LEVELS } from './json';
import { Pieces } from './pieces';
import { beginningOf } from './text';

const NEWLINE = 0x0a;
const CARRIAGE_RETURN = 0x0d;
/** How much of either end of an overlong line is kept. */
const EDGE_BYTES = 1_000;

/**
 * Splits a byte stream into lines in linear time: each chunk is scanned once, and a line that spans many chunks is joined
 * once. Lines are taken one by one with `next`, so that the reader can pause between them. A line longer than `maxBytes` is
 * dropped up to its newline; only its ends are kept. `onTooLong` is called as soon as the limit is passed, `onSkipped` when the line
 * is over, with its first and last characters.
 */
export class LineReader {
  /** The part of the chunk that is not scanned yet. */
  #chunk: Buffer | undefined;
  #start = 0;
  #waiting: Buffer[] = [];
  /** The beginning of a line whose end has not arrived. */
  readonly #parts = new Pieces();
  /** The ends of a line that is too long. */
  #edges: readonly [first: Buffer, last: Buffer] | undefined;

  constructor(
    private readonly maxBytes: number,
    private readonly onTooLong: () => void,
    private readonly onSkipped: (start: string, end: string) => void = () => {},
  ) {}

  push(chunk: Buffer): void {
    if (this.#chunk) this.#waiting.push(chunk);
    else this.#chunk = chunk;
  }

  /** Adds a chunk and returns the lines that it completes, trimmed. Lines with nothing but white space are skipped. */
  *add(chunk: Buffer): Generator<string, void> {
    this.push(chunk);
    for (let line = this.next(); line !== undefined; line = this.next()) if (line.trim()) yield line.trim();
  }

  /** The next complete line without its terminator, or undefined until more is pushed. Empty lines are skipped. */
  next(): string | undefined {
    while (this.#chunk) {
      const chunk = this.#chunk;
      const end = chunk.indexOf(NEWLINE, this.#start);
      if (end < 0) {
        this.#keep(this.#start === 0 ? chunk : chunk.subarray(this.#start));
        this.#chunk = this.#waiting.shift();
        this.#start = 0;
        continue;
      }
      const start = this.#start;
      this.#start = end + 1;
      // Most lines are within one chunk, and are decoded in place.
      if (this.#parts.length === 0 && !this.#edges && end - start <= this.maxBytes) {
        if (end > start) return decode(chunk, start, end);
        continue;
      }
      this.#keep(chunk.subarray(start, end));
      const line = this.rest();
      if (line !== undefined) return line;
    }
    return undefined;
  }

  /** The last line, if it has no terminator; to be called when `next` returns no more and the stream has ended. */
  rest(): string | undefined {
    const edges = this.#edges;
    this.#edges = undefined;
    if (edges) return void this.onSkipped(String(edges[0]), String(edges[1]));
    if (this.#parts.length === 0) return undefined;
    const line = this.#parts.take();
    return decode(line, 0, line.length);
  }

  #keep(part: Buffer): void {
    if (!this.#edges) {
      this.#parts.add(part);
      if (this.#parts.length <= this.maxBytes) return;
      this.onTooLong();
    }
    const [first, last] = this.#edges ?? this.#parts.takeEnds(EDGE_BYTES);
    const end = this.#edges ? Buffer.concat([last, part]) : last;
    this.#edges = [first, Buffer.from(end.subarray(-EDGE_BYTES))];
  }
}

function decode(bytes: Buffer, start: number, end: number): string {
  return bytes.toString('utf8', start, bytes[end - 1] === CARRIAGE_RETURN ? end - 1 : end);
}

const ESC = '\u001b';
/** The 8-bit characters that begin a string. One ends another, as in a terminal. */
const STRINGS = '\u009d\u0090\u0098\u009e\u009f';
/** Ends of strings: BEL, and ST in its 8-bit and 7-bit forms. */
const STRING_END = `(?:\u0007|\u009c|${ESC}\\\\)`;

/**
 * Terminal commands (ECMA-48) in their 7-bit and 8-bit forms: strings such as links and titles, then colours and cursor
 * movements, then everything else. Of an unfinished string only the introducer is matched, so that it hides no text.
 */
const COMMAND = new RegExp(
  [
    `(?:${ESC}[\\]PX^_]|[${STRINGS}])[^\u0007\u009c${ESC}${STRINGS}\\n]{0,10000}${STRING_END}`,
    `(?:${ESC}\\[|\u009b)[0-?]*[ -/]*[@-~]`,
    `${ESC}[ -/]*[0-~]`,
  ].join('|'),
  'g',
);
const HAS_COMMAND = new RegExp(`[${ESC}\u0080-\u009f]`);
const HAS_OVERWRITING = /[\r\b]/;

/**
 * The text that a terminal would end up showing: without colours, links and cursor movements, and with only the last version
 * of what was overwritten, such as progress. Do this before striking out secrets, because a colour code inside a secret
 * would hide it.
 */
export function plainText(text: string): string {
  const bare = HAS_COMMAND.test(text) ? text.replace(COMMAND, '') : text;
  return HAS_OVERWRITING.test(bare) ? bare.split('\n').map(lastWritten).join('\n') : bare;
}

/** The most that is logged of one text. More would not be shown, only searched for secrets. */
export const MAX_LOGGED = 200_000;

/** A JSON value with plain texts, without commands of terminals. @param maxLength of each, in characters. */
export function plainData(data: unknown, maxLength = MAX_LOGGED): unknown {
  if (typeof data === 'string') return plainText(beginningOf(data, maxLength));
  if (typeof data !== 'object' || data === null) return data;
  if (isDeeper(data, MAX_LEVELS)) return `(data of more than ${MAX_LEVELS} levels)`;
  const json = JSON.stringify(data);
  if (json.length > maxLength) return plainText(beginningOf(json, maxLength));
  if (!json.includes('\\u001b') && !HAS_COMMAND.test(json)) return data;
  return JSON.parse(json, (_, part) => (typeof part === 'string' ? part.replace(COMMAND, '') : part));
}

function lastWritten(line: string): string {
  const written = line.split('\r');
  return withoutErased(written.findLast(part => part.trim() !== '') ?? '');
}

function withoutErased(text: string): string {
  if (!text.includes('\b')) return text;
  const left: string[] = [];
  for (const character of text) {
    if (character === '\b') left.pop();
    else left.push(character);
  }
  return left.join('');
}

/** Whether a process with this id exists, whoever owns it. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** How long lines are handled before yielding the event loop. */
const TURN_MS = 8;
/** The clock is read once for this many lines. */
const LINES_PER_LOOK = 32;

interface LinePumpOptions {
  /** Longer lines are dropped: see `LineReader`. */
  maxBytes: number;
  /** Takes one line. `'settle'` lets pending microtasks run before the next. Must not throw. */
  onLine(line: string): 'settle' | undefined;
  onTooLong(): void;
  onSkipped?(start: string, end: string): void;
}

/** Forwards a stream's lines as they are consumed, in short turns between which the stream is paused. */
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
    this.#reader = new LineReader(options.maxBytes, options.onTooLong, options.onSkipped);
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
