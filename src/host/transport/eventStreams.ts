import type { JSONRPCMessage, RequestId } from '@modelcontextprotocol/client';
import { isExcessive } from '../../base/shallowJson';
import { Turns } from '../../base/turns';
import { mediaType } from '../reading/answers';
import type { EventReader, ServerSentEvent } from '../reading/eventReader';
import { answerTo, logMessage, messagesIn } from '../reading/framing';
import { type IncomingListeners, LINES_PER_SETTLE, LogGate, type Traffic } from './incomingMessages';
import { tooIntricate } from './transportFault';

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
    const turns = new Turns(TURN_MS);
    let count = 0;
    try {
      for (;;) {
        const { value, done } = await reader.read();
        if (value) this.traffic.received += value.byteLength;
        for (const event of done ? [events.end()] : events.read(value)) {
          if (!event) continue;
          if (event.event !== undefined && event.event !== 'message') named?.(event);
          else {
            const messages = this.#take(event.data, id);
            for (const message of messages) seen?.(message);
            if (messages.some(message => 'method' in message) || ++count % LINES_PER_SETTLE === 0) await settled();
          }
          if (turns.isOver) await turns.next();
        }
        if (done) return;
      }
    } finally {
      end?.removeEventListener('abort', cancel);
      cancel();
    }
  }

  /** Passes on messages that were read elsewhere. @returns them, without log messages. */
  pass(messages: readonly JSONRPCMessage[]): readonly JSONRPCMessage[] {
    return messages.filter(message => {
      const log = logMessage(message);
      if (!log) this.listeners.message(message);
      else if (this.#gate.passes(log.level)) this.listeners.log(log);
      return !log;
    });
  }

  /** @returns its messages, without log messages. */
  #take(text: string, id: RequestId | undefined): readonly JSONRPCMessage[] {
    // Some servers begin a stream with an event that has only an id.
    if (!text) return [];
    this.listeners.wire('received', text);
    const messages = messagesIn(text, this.listeners.leftOut);
    if (messages.length === 0 && isExcessive(text)) {
      if (id !== undefined) throw tooIntricate();
      this.leftOut('a message with too many values or levels');
    } else if (messages.length === 0 && text.trim()) this.listeners.noise(text);
    return this.pass(messages.map(message => answerTo(id, message)));
  }
}

/** Resolves when all pending microtasks have run: a tick requested by a microtask comes after all of them. */
const settled = (): Promise<void> => new Promise(resolve => queueMicrotask(() => process.nextTick(resolve)));

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
  const all = new Headers(headers);
  all.set('content-type', EVENT_STREAM);
  all.delete('content-length');
  return new Response(body, { headers: all });
}
