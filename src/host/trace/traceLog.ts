import { type Disposable, Emitter } from '../../base/events';
import { startOf } from '../../base/text';
import type { ServerId } from '../definition/definition';

/** A message as it went over the wire. Its text may contain secrets: to show or write it, use `TraceLog.readable`. */
export interface TraceRecord {
  /** Counts up from 1 in each window; never reused. */
  readonly seq: number;
  /** In milliseconds since 1970, with fractions. */
  readonly at: number;
  readonly server: ServerId;
  readonly direction: 'sent' | 'received';
  /** A line, body or event: a message, a batch, or what came in place of one; its beginning above `MAX_KEPT`. */
  readonly text: string;
  /** How long the whole message was, in characters. */
  readonly size: number;
}

/** The caller of a tool: for `origin` see `ToolCall`. */
export interface Caller {
  readonly origin: string;
  /** Name of the app, extension or agent. */
  readonly name?: string | undefined;
}

/** A tool call. Its messages are among those after `after`, up to `until`. */
export interface TracedCall extends Caller {
  readonly server: ServerId;
  readonly tool: string;
  /** Fingerprint of the arguments. */
  readonly args: string;
  readonly after: number;
  readonly until: number;
}

export interface TraceLimits {
  /** 0: nothing is kept. */
  readonly messages: number;
  /** In characters. */
  readonly size: number;
}

/** How many calls are remembered, at most. */
const MAX_CALLS = 10_000;
/** How much of one message is kept. */
export const MAX_KEPT = 1_000_000;
const OFF: TraceLimits = { messages: 0, size: 0 };
/** How often the fine-grained clock is set by the wall clock, because it may stop while the machine sleeps. */
const SET_CLOCK_MS = 1_000;
/** How far they may diverge. */
const MAX_APART_MS = 100;

/** The kept messages, each at the same index in every column. An object for each would have to be garbage-collected. */
interface Columns {
  readonly text: string[];
  readonly server: ServerId[];
  readonly at: Float64Array;
  readonly size: Float64Array;
  /** 1: sent. */
  readonly sent: Uint8Array;
}

/**
 * The last messages of all servers, in both directions: a ring that drops the oldest. Each server's transport writes to it;
 * parsing is left to readers, so that a message costs next to nothing here, and nothing at all while the trace is off.
 */
export class TraceLog implements Disposable {
  readonly #changed = new Emitter<void>();
  /** Something was written or cleared. Fires for each message, so views should wait a while. */
  readonly onDidChange = this.#changed.event;
  /** The latest calls, in order. */
  readonly calls: TracedCall[] = [];
  /** The number of the newest message when a server last ended: no request up to it is answered any more. */
  readonly ends = new Map<ServerId, number>();
  #limits = OFF;
  #columns = columnsOf(0);
  /** Index of the oldest message still kept. */
  #first = 0;
  #count = 0;
  /** The number of characters that are kept. */
  #size = 0;
  /** The number of the newest. Those before it have consecutive numbers. */
  #seq = 0;
  /** The wall-clock time at which `performance.now()` was 0, and its value when that was last checked. */
  #origin = performance.timeOrigin;
  #lookedAt = 0;

  /** @param redact strikes out secrets. */
  constructor(private readonly redact: (text: string) => string = text => text) {}

  get isOn(): boolean {
    return this.#limits.messages > 0;
  }

  /** Changes the limits, keeping what fits. */
  limit(limits: TraceLimits): void {
    const { messages, size } = limits;
    if (messages === this.#limits.messages && size === this.#limits.size) return;
    const kept = this.records().slice(-messages || this.#count);
    this.#limits = limits;
    this.#columns = columnsOf(messages);
    this.#first = this.#count = this.#size = 0;
    for (const record of kept) this.#keep(record);
    this.#changed.fire();
  }

  /** @param text one line, body or event. */
  write(server: ServerId, direction: TraceRecord['direction'], text: string): void {
    if (this.#limits.messages === 0) return;
    const start = startOf(text, MAX_KEPT);
    this.#seq++;
    this.#keep({ server, direction, text: start, size: text.length, at: this.#now() });
    this.#changed.fire();
  }

  /** Records a call before its messages are sent. @returns a function to call when it has ended. */
  began(call: Omit<TracedCall, 'after' | 'until'>): () => void {
    const traced = { ...call, after: this.#seq, until: Number.POSITIVE_INFINITY };
    if (this.calls.push(traced) > MAX_CALLS) this.calls.splice(0, MAX_CALLS / 2);
    return () => {
      traced.until = this.#seq;
    };
  }

  ended(server: ServerId): void {
    if (!this.isOn || this.ends.get(server) === this.#seq) return;
    this.ends.set(server, this.#seq);
    this.#changed.fire();
  }

  /** Oldest first. @param after leaves out those up to this number, which a follower has read already. */
  records(after = 0): TraceRecord[] {
    const { text, server, at, size, sent } = this.#columns;
    const before = this.#seq - this.#count;
    const skipped = Math.min(this.#count, Math.max(0, after - before));
    return Array.from({ length: this.#count - skipped }, (_, n) => {
      const i = (this.#first + skipped + n) % this.#limits.messages;
      return {
        seq: before + skipped + n + 1,
        at: at[i]!,
        server: server[i]!,
        direction: sent[i] === 1 ? 'sent' : 'received',
        text: text[i]!,
        size: size[i]!,
      };
    });
  }

  /** The text of a record without secrets; if only its beginning was kept, it ends in "…". */
  readable({ text, size }: TraceRecord): string {
    return this.redact(size > text.length ? `${text}…` : text);
  }

  clear(): void {
    this.#empty();
    this.#changed.fire();
  }

  dispose(): void {
    this.#empty();
    this.#changed.dispose();
  }

  #keep({ server, direction, text, size, at }: Omit<TraceRecord, 'seq'>): void {
    const { messages, size: most } = this.#limits;
    if (this.#count === messages) this.#forget();
    const i = (this.#first + this.#count++) % messages;
    const columns = this.#columns;
    columns.text[i] = text;
    columns.server[i] = server;
    columns.at[i] = at;
    columns.size[i] = size;
    columns.sent[i] = direction === 'sent' ? 1 : 0;
    this.#size += text.length;
    while (this.#size > most && this.#count > 1) this.#forget();
  }

  #now(): number {
    const now = performance.now();
    if (now - this.#lookedAt > SET_CLOCK_MS) {
      this.#lookedAt = now;
      const origin = Date.now() - now;
      if (Math.abs(origin - this.#origin) > MAX_APART_MS) this.#origin = origin;
    }
    return this.#origin + now;
  }

  #forget(): void {
    const { text } = this.#columns;
    this.#size -= text[this.#first]!.length;
    text[this.#first] = '';
    this.#first = (this.#first + 1) % this.#limits.messages;
    this.#count--;
  }

  #empty(): void {
    while (this.#count > 0) this.#forget();
  }
}

function columnsOf(length: number): Columns {
  return {
    text: new Array(length).fill(''),
    server: new Array(length).fill(''),
    at: new Float64Array(length),
    size: new Float64Array(length),
    sent: new Uint8Array(length),
  };
}
