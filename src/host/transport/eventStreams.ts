import { setImmediate as nextTurn } from 'node:timers/promises';
import type { JSONRPCMessage, RequestId } from '@modelcontextprotocol/client';
import { answerTo } from '../sdk/oddMessages';
import {
  type IncomingListeners,
  LINES_PER_SETTLE,
  LogGate,
  logMessage,
  messagesIn,
  type Traffic,
} from './incomingMessages';
import { mediaType } from './postAnswer';
import { tooLarge } from './transportFault';

/** How long events are handled before yielding the event loop. */
const TURN_MS = 8;

export interface MessageListeners extends IncomingListeners {
  message(message: JSONRPCMessage): void;
}

interface ReadOptions {
  /** The request that the stream answers. */
  id?: RequestId;
  message?(message: JSONRPCMessage): void;
  named?(event: ServerSentEvent): void;
  end?: AbortSignal;
}

/** Passes on the messages of all event streams of one server, log messages at a limited rate, and counts bytes. */
export class EventRelay {
  readonly traffic: Traffic = { received: 0, sent: 0 };
  readonly #gate: LogGate;

  constructor(
    private readonly listeners: MessageListeners,
    createGate = (onLeftOut: (count: number) => void) => new LogGate(onLeftOut),
  ) {
    this.#gate = createGate(count =>
      listeners.leftOut(`${count} log messages below "warning" that came faster than they could be read`),
    );
  }

  leftOut(what: string): void {
    this.listeners.leftOut(what);
  }

  /** Reports what has not been reported yet. */
  close(): void {
    this.#gate.report();
  }

  /**
   * Reads one stream to its end, no faster than its messages are consumed. A notification is handled before the next message
   * is passed on. Rejects if the stream breaks, or with a `TransportFault` if an event is too large; the stream is always
   * closed.
   * @param options `message` sees each message after it was handed over, `named` each event that has a name of its own;
   * `end` ends the reading as the end of the stream does.
   */
  async read(
    body: ReadableStream<Uint8Array>,
    events: EventReader,
    { id, message: seen, named, end }: ReadOptions,
  ): Promise<void> {
    events.reset();
    const reader = body.getReader();
    const cancel = () => void reader.cancel().catch(() => {});
    end?.addEventListener('abort', cancel);
    let turn = performance.now();
    let count = 0;
    try {
      for (;;) {
        const { value, done } = await reader.read();
        if (done) return;
        this.traffic.received += value.byteLength;
        for (const event of events.read(value)) {
          if (event.event !== undefined && event.event !== 'message') named?.(event);
          else {
            const messages = this.#take(event.data, id);
            for (const message of messages) seen?.(message);
            if (messages.some(message => 'method' in message) || ++count % LINES_PER_SETTLE === 0) await settled();
          }
          if (performance.now() - turn > TURN_MS) {
            await nextTurn();
            turn = performance.now();
          }
        }
      }
    } finally {
      end?.removeEventListener('abort', cancel);
      cancel();
    }
  }

  /** @returns its messages, without log messages. */
  #take(text: string, id: RequestId | undefined): readonly JSONRPCMessage[] {
    // Some servers begin a stream with an event that has only an id.
    if (!text) return [];
    this.listeners.wire('received', text);
    const messages = messagesIn(text, this.listeners.leftOut);
    if (messages.length === 0 && text.trim()) this.listeners.noise(text);
    return messages.flatMap(read => {
      const message = answerTo(id, read);
      const log = logMessage(message);
      if (!log) this.listeners.message(message);
      else if (this.#gate.passes(log.level)) this.listeners.log(log);
      return log ? [] : [message];
    });
  }
}

/** Resolves when all pending microtasks have run: a tick requested by a microtask comes after all of them. */
function settled(): Promise<void> {
  return new Promise(resolve => queueMicrotask(() => process.nextTick(resolve)));
}

const LF = 0x0a;
const CR = 0x0d;
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

  constructor(private readonly maxBytes: number) {}

  /** Discards the unfinished event, because another stream begins. */
  reset(): void {
    this.#parts = [];
    this.#afterCr = false;
    this.#atStart = true;
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
    if (this.#size > this.maxBytes) throw tooLarge(this.maxBytes);
  }

  #field(line: string): undefined {
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

const encoder = new TextEncoder();

const EVENT_STREAM = 'text/event-stream';

/** Whether a response contains events; one with status 202 never does, whatever it claims. */
export function isEventStream(response: Response): boolean {
  return response.ok && response.status !== 202 && mediaType(response) === EVENT_STREAM;
}

/**
 * A substitute for an event stream that the host reads itself: it ends with that stream and contains only what `run`
 * forwards. `run` begins when the SDK begins to read, because the SDK knows the session by then.
 */
export function standInFor(
  headers: Headers | undefined,
  run: (passOn: (event: ServerSentEvent) => void) => Promise<void>,
): Response {
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        await run(({ event, data }) => {
          const lines = data.split('\n').map(line => `data: ${line}\n`);
          controller.enqueue(encoder.encode(`event: ${event}\n${lines.join('')}\n`));
        });
        controller.close();
      },
    },
    { highWaterMark: 0 },
  );
  return new Response(body, { headers: headers ?? { 'content-type': EVENT_STREAM } });
}
