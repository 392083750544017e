import type { ServerId } from '../definition';
import { type Disposable, Emitter } from '../events';

/** A message as it went over the wire. Its text may hold secrets: `Redactor` stands before every way out. */
export interface TraceRecord {
  /** Counts up from 1 in a window; never used again. */
  readonly seq: number;
  /** In milliseconds since 1970, with fractions. */
  readonly at: number;
  readonly server: ServerId;
  readonly direction: 'sent' | 'received';
  /** One JSON-RPC message; only its start when it is larger than `MAX_KEPT`. */
  readonly text: string;
  /** How long the whole message was, in characters. */
  readonly size: number;
}

export interface TraceLimits {
  /** 0: nothing is kept. */
  readonly messages: number;
  /** In characters. */
  readonly size: number;
}

/** So much is kept of one message. */
export const MAX_KEPT = 1_000_000;
const OFF: TraceLimits = { messages: 0, size: 0 };

/**
 * The last messages of all servers, both ways: a ring that forgets the oldest. Each server's transport writes to it; to look
 * is left to who reads, so that a message costs next to nothing here, and nothing at all while it is off.
 */
export class TraceLog implements Disposable {
  readonly #changed = new Emitter<void>();
  /** Something was written or cleared. Fires for each message: who draws waits a while. */
  readonly onDidChange = this.#changed.event;
  #limits = OFF;
  #ring: (TraceRecord | undefined)[] = [];
  /** Where the oldest is. */
  #first = 0;
  #count = 0;
  #size = 0;
  #seq = 0;

  get isOn(): boolean {
    return this.#limits.messages > 0;
  }

  /** Keeps what is there, as far as it fits. */
  limit(limits: TraceLimits): void {
    const kept = this.records().slice(-limits.messages || this.#count);
    this.#limits = limits;
    this.#empty();
    if (this.isOn) for (const record of kept) this.#keep(record);
    this.#changed.fire();
  }

  /** @param text a whole JSON-RPC message. */
  write(server: ServerId, direction: TraceRecord['direction'], text: string): void {
    if (!this.isOn) return;
    this.#keep({
      seq: ++this.#seq,
      at: performance.timeOrigin + performance.now(),
      server,
      direction,
      text: text.length > MAX_KEPT ? text.slice(0, MAX_KEPT) : text,
      size: text.length,
    });
    this.#changed.fire();
  }

  /** Oldest first. */
  records(): TraceRecord[] {
    return Array.from({ length: this.#count }, (_, n) => this.#ring[(this.#first + n) % this.#limits.messages]!);
  }

  clear(): void {
    this.#empty();
    this.#changed.fire();
  }

  dispose(): void {
    this.#empty();
    this.#changed.dispose();
  }

  #keep(record: TraceRecord): void {
    const { messages, size } = this.#limits;
    if (this.#count === messages) this.#forget();
    this.#ring[(this.#first + this.#count++) % messages] = record;
    this.#size += record.text.length;
    while (this.#size > size && this.#count > 1) this.#forget();
  }

  #forget(): void {
    this.#size -= this.#ring[this.#first]!.text.length;
    this.#ring[this.#first] = undefined;
    this.#first = (this.#first + 1) % this.#limits.messages;
    this.#count--;
  }

  #empty(): void {
    this.#ring = [];
    this.#first = this.#count = this.#size = 0;
  }
}
