import { setImmediate as nextTurn } from 'node:timers/promises';
import type { JSONRPCMessage, RequestId } from '@modelcontextprotocol/client';
import { answerTo } from '../sdk/oddMessages';
import type { EventReader, ServerSentEvent } from './eventReader';
import { type LogMessage, logMessage, messagesIn, type Wire } from './incomingMessages';
import { LINES_PER_SETTLE, LogGate } from './logGate';
import type { Traffic } from './traffic';

/** How long events are handled before yielding the event loop. */
const TURN_MS = 8;

export interface MessageListeners {
  /** A message for the SDK. */
  message(message: JSONRPCMessage): void;
  /** A log message from the server. It bypasses the SDK, which would take ten times as long. */
  log(message: LogMessage): void;
  /** The data of an event that is not an MCP message; it is skipped. */
  noise(text: string): void;
  /** Something was dropped: log messages in a flood, or a message over the limit. Says what, and how many. */
  leftOut(what: string): void;
  wire: Wire;
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
   * is passed on. Rejects if the stream breaks, or with an `HttpFault` if an event is too large; the stream is always
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
