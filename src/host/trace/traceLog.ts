import type { ServerId } from '../definition';
import { type Disposable, Emitter } from '../events';

/** A message as it went over the wire. Its text may hold secrets: whoever shows or writes it takes `TraceLog.readable`. */
export interface TraceRecord {
  /** Counts up from 1 in a window; never used again. */
  readonly seq: number;
  /** In milliseconds since 1970, with fractions. */
  readonly at: number;
  readonly server: ServerId;
  readonly direction: 'sent' | 'received';
  /**
   * What was one line, body or event: a JSON-RPC message, a batch of them, or what a server sent in place of one; only its start when it is larger than `MAX_KEPT`.
   */
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
/** Read once: it is slow to read. */
const { timeOrigin } = performance;

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

  /** @param redact strikes out secrets. */
  constructor(private readonly redact: (text: string) => string = text => text) {}

  get isOn(): boolean {
    return this.#limits.messages > 0;
  }

  /** Keeps what is there, as far as it fits. */
  limit(limits: TraceLimits): void {
    if (limits.messages === this.#limits.messages && limits.size === this.#limits.size) return;
    const kept = this.records().slice(-limits.messages || this.#count);
    this.#limits = limits;
    this.#empty();
    if (this.isOn) for (const record of kept) this.#keep(record);
    this.#changed.fire();
  }

  /** @param text what was one line, body or event. */
  write(server: ServerId, direction: TraceRecord['direction'], text: string): void {
    if (!this.isOn) return;
    this.#keep({
      seq: ++this.#seq,
      at: timeOrigin + performance.now(),
      server,
      direction,
      text: text.length > MAX_KEPT ? startOf(text) : text,
      size: text.length,
    });
    this.#changed.fire();
  }

  /** Oldest first. */
  records(): TraceRecord[] {
    return Array.from({ length: this.#count }, (_, n) => this.#ring[(this.#first + n) % this.#limits.messages]!);
  }

  /** The text of a record without secrets; one of which only the start was kept ends in "…". */
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

/** A copy: V8 would keep all of a text for the sake of a slice of it. */
function startOf(text: string): string {
  return Buffer.from(text.slice(0, MAX_KEPT), 'utf16le').toString('utf16le');
}
