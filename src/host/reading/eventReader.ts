import { parsedJson } from '../../base/json';

const LF = 0x0a;
const CR = 0x0d;
const MAX_LOOKS = 10;
const BYTE_ORDER_MARK = '\ufeff';

/** One event in a stream (HTML standard: server-sent events). */
export interface ServerSentEvent {
  /** The event's name; undefined: `message`. */
  event: string | undefined;
  data: string;
}

/**
 * Splits the bytes of an event stream into events, in linear time, and keeps no more of an unfinished one than
 * `maxBytes`. Lines may end in LF, CR or both.
 */
export class EventReader {
  /** The last `id` received: the point at which the stream can be resumed. */
  lastEventId: string | undefined;
  /** How long the server wants us to wait before we reopen the stream, in milliseconds. */
  retryMs: number | undefined;
  /** The beginning of a line whose end has not arrived. */
  #parts: Buffer[] = [];
  #data: string[] = [];
  #event: string | undefined;
  /** The number of bytes that are kept. */
  #size = 0;
  #afterCr = false;
  #atStart = true;

  /** Lines of JSON that stands in the stream without the field that should be around it. */
  #bare: string[] = [];
  #looks = 0;

  /** @param tooLarge makes what is thrown when an event has more than `maxBytes`. */
  constructor(
    private readonly maxBytes: number,
    private readonly tooLarge: (maxBytes: number) => Error = () => new RangeError('too large'),
  ) {}

  /** Whether an event has begun and not ended. */
  get isWithinEvent(): boolean {
    return this.#size > 0;
  }

  /** Discards the unfinished event, because another stream begins. */
  reset(): void {
    this.#parts = [];
    this.#afterCr = false;
    this.#atStart = true;
    this.#bare = [];
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
    const bare = this.#bare.splice(0).join('\n');
    return last ?? (bare === '' ? undefined : { event: undefined, data: bare });
  }

  #line(end: Buffer): string {
    const line = this.#decoded(end);
    const atStart = this.#atStart;
    this.#atStart = false;
    return atStart && line.startsWith(BYTE_ORDER_MARK) ? line.slice(1) : line;
  }

  #decoded(end: Buffer): string {
    if (this.#parts.length === 0) {
      this.#count(end.length);
      this.#size -= end.length;
      return end.toString('utf8');
    }
    this.#keep(end);
    const line = Buffer.concat(this.#parts);
    this.#parts = [];
    this.#size -= line.length;
    return line.toString('utf8');
  }

  #keep(part: Buffer): void {
    this.#count(part.length);
    this.#parts.push(part);
  }

  #count(bytes: number): void {
    this.#size += bytes;
    if (this.#size > this.maxBytes) throw this.tooLarge(this.maxBytes);
  }

  #field(line: string): ServerSentEvent | undefined {
    if (this.#bare.length > 0 || /^[{[]/.test(line)) return this.#bareLine(line);
    const colon = line.indexOf(':');
    const name = colon < 0 ? line : line.slice(0, colon);
    if (name === 'data') {
      const data = textAfter(line, colon);
      this.#data.push(data);
      // In characters, because the bytes were counted on arrival; this is close enough for a limit.
      this.#count(data.length);
    } else if (name === 'event') this.#event = textAfter(line, colon) || undefined;
    else if (name === 'id' && !line.includes('\0')) this.lastEventId = textAfter(line, colon) || undefined;
    else if (name === 'retry' && /^\d+$/.test(textAfter(line, colon))) this.retryMs = Number(textAfter(line, colon));
    return undefined;
  }

  #bareLine(line: string): ServerSentEvent | undefined {
    this.#count(line.length);
    this.#bare.push(line);
    // A value of several lines ends in the first column. A few looks are enough, as each takes as long as all of it.
    const mayEnd = this.#bare.length === 1 || (/^[}\]]/.test(line) && ++this.#looks <= MAX_LOOKS);
    const data = mayEnd ? this.#bare.join('\n') : '';
    if (!mayEnd || parsedJson(data) === undefined) return undefined;
    this.#bare = [];
    this.#looks = 0;
    this.#size = 0;
    return { event: undefined, data };
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
