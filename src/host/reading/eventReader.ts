import { Pieces } from '../../base/pieces';
import { shallowJson } from '../../base/shallowJson';

const LF = 0x0a;
const CR = 0x0d;
const MAX_LOOKS = 10;
/** What a further line of an event costs beside its characters, in bytes. */
const LINE_COST = 32;
const BYTE_ORDER_MARK = '\ufeff';

/** One event in a stream (HTML standard: server-sent events). */
export interface ServerSentEvent {
  /** The event's name; undefined: `message`. */
  event: string | undefined;
  data: string;
}

/** Splits an event stream into events, in linear time, keeping at most `maxBytes`. Lines may end in LF, CR or both. */
export class EventReader {
  /** The last `id` received: the point at which the stream can be resumed. */
  lastEventId: string | undefined;
  /** How long the server wants us to wait before we reopen the stream, in milliseconds. */
  retryMs: number | undefined;
  /** The beginning of a line whose end has not arrived. */
  readonly #parts = new Pieces();
  #data: string[] = [];
  #event: string | undefined;
  /** The number of bytes that are kept of the lines of the event. */
  #size = 0;
  #afterCr = false;
  #atStart = true;

  /** Lines of JSON that stands in the stream without the field that should be around it. */
  #bare: string[] = [];
  #bareSize = 0;
  #looks = 0;

  /** @param tooLarge makes what is thrown when an event has more than `maxBytes`. */
  constructor(
    private readonly maxBytes: number,
    private readonly tooLarge: (maxBytes: number) => Error = () => new RangeError('too large'),
  ) {}

  /** Whether an event has begun and not ended. */
  get isWithinEvent(): boolean {
    return this.#size + this.#bareSize + this.#parts.length > 0;
  }

  /** Discards the unfinished event, because another stream begins. */
  reset(): void {
    this.#parts.take();
    this.#afterCr = false;
    this.#atStart = true;
    this.#takeBare();
    this.#endEvent();
  }

  /** The events that end in this chunk, one by one. Throws a `TransportFault` if one is too large. */
  *read(bytes: Uint8Array): Generator<ServerSentEvent> {
    const chunk = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    let start = this.#afterCr && chunk[0] === LF ? 1 : 0;
    if (chunk.length > 0) this.#afterCr = false;
    let lf = chunk.indexOf(LF, start);
    let cr = chunk.indexOf(CR, start);
    while (lf >= 0 || cr >= 0) {
      const end = lf < 0 || (cr >= 0 && cr < lf) ? cr : lf;
      const line = this.#line(chunk.subarray(start, end));
      start = end + 1;
      if (end === cr) {
        if (start === chunk.length) this.#afterCr = true;
        else if (chunk[start] === LF) start++;
      }
      // Each is searched for again only after it has been passed, so that one far away costs nothing.
      if (lf >= 0 && lf < start) lf = chunk.indexOf(LF, start);
      if (cr >= 0 && cr < start) cr = chunk.indexOf(CR, start);
      const event = line === '' ? this.#endEvent() : this.#field(line);
      if (event) yield event;
    }
    if (start < chunk.length) this.#keep(chunk.subarray(start));
  }

  /** The event that the stream ends in, without the empty line that should be behind it; also what is not in a field. */
  end(): ServerSentEvent | undefined {
    const line = this.#parts.length > 0 ? this.#line(Buffer.alloc(0)) : '';
    const last = (line === '' ? undefined : this.#field(line)) ?? this.#endEvent();
    const bare = this.#takeBare();
    return last ?? (bare === '' ? undefined : { event: undefined, data: bare });
  }

  #line(end: Buffer): string {
    const line = this.#decoded(end);
    const atStart = this.#atStart;
    this.#atStart = false;
    return atStart && line.startsWith(BYTE_ORDER_MARK) ? line.slice(1) : line;
  }

  #decoded(end: Buffer): string {
    if (this.#parts.length > 0) {
      this.#keep(end);
      return this.#parts.take().toString('utf8');
    }
    this.#check(end.length);
    return end.toString('utf8');
  }

  #keep(part: Buffer): void {
    this.#parts.add(part);
    this.#check(this.#parts.length);
  }

  /** @param more bytes of the line that is read, beside those of the lines before. */
  #check(more = 0): void {
    if (this.#size + this.#bareSize + more > this.maxBytes) throw this.tooLarge(this.maxBytes);
  }

  #field(line: string): ServerSentEvent | undefined {
    if (this.#bare.length > 0 || /^[{[]/.test(line)) return this.#bareLine(line);
    const colon = line.indexOf(':');
    const name = colon < 0 ? line : line.slice(0, colon);
    if (name === 'data') {
      const data = textAfter(line, colon);
      this.#data.push(data);
      // In characters, because the bytes were counted on arrival; this is close enough for a limit.
      this.#size += data.length + (this.#data.length > 1 ? LINE_COST : 0);
      this.#check();
    } else if (name === 'event') this.#event = textAfter(line, colon) || undefined;
    else if (name === 'id' && !line.includes('\0')) this.lastEventId = textAfter(line, colon) || undefined;
    else if (name === 'retry' && /^\d+$/.test(textAfter(line, colon))) this.retryMs = Number(textAfter(line, colon));
    return undefined;
  }

  #bareLine(line: string): ServerSentEvent | undefined {
    this.#bareSize += line.length + (this.#bare.length > 0 ? LINE_COST : 0);
    this.#check();
    this.#bare.push(line);
    // A value of several lines ends in the first column. A few looks are enough, as each takes as long as all of it.
    const mayEnd = this.#bare.length === 1 || (/^[}\]]/.test(line) && ++this.#looks <= MAX_LOOKS);
    const data = mayEnd ? this.#bare.join('\n') : '';
    if (!mayEnd || shallowJson(data) === undefined) return undefined;
    this.#takeBare();
    return { event: undefined, data };
  }

  #takeBare(): string {
    const text = this.#bare.join('\n');
    this.#bare = [];
    this.#bareSize = 0;
    this.#looks = 0;
    return text;
  }

  #endEvent(): ServerSentEvent | undefined {
    const event = this.#data.length > 0 ? { event: this.#event, data: this.#data.join('\n') } : undefined;
    this.#data = [];
    this.#event = undefined;
    this.#size = 0;
    return event;
  }
}

function textAfter(line: string, colon: number): string {
  if (colon < 0) return '';
  return line.slice(line[colon + 1] === ' ' ? colon + 2 : colon + 1);
}
