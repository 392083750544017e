import { Emitter, type Event, Owner } from '../../../base/events';
import { fingerprint } from '../../../base/fingerprint';
import { isObject } from '../../../base/json';
import { firstNotBefore } from '../../../base/sorted';
import type { Caller, ServerSet, TracedCall, TraceLog, TraceRecord } from '../../../host';

/** Where messages come from: the window's servers, or a file. */
export interface TraceSource {
  readonly isOn: boolean;
  readonly onDidChange: Event<void>;
  readonly marks: TraceMarks;
  /** Oldest first, with those that are kept because a person has marked them. */
  records(): readonly TraceRecord[];
  /** The redacted text of a message; ends with `…` if only its start is kept. */
  readable(record: TraceRecord): string;
  /** When servers have ended: see `TraceLog`. */
  readonly ends: ReadonlyMap<string, number>;
  /** Who made the call of a tool that a message asks for. */
  callerOf(record: TraceRecord): Caller | undefined;
  clear(): void;
}

/** The messages of the window's servers. The log exists once the host does. */
export class LiveTrace extends Owner implements TraceSource {
  readonly #changed = this.own(new Emitter<void>());
  readonly onDidChange = this.#changed.event;
  readonly marks = new TraceMarks();
  readonly #callers = new Callers(() => this.#attached?.calls ?? []);
  #attached: TraceLog | undefined;

  constructor(private readonly servers: ServerSet) {
    super();
    this.#attach();
    this.own(servers.onDidChange(() => this.#attach()));
  }

  get isOn(): boolean {
    return this.#attached?.isOn ?? true;
  }

  records(): readonly TraceRecord[] {
    const records = this.#attached?.records() ?? [];
    return this.marks.among(records);
  }

  get ends(): ReadonlyMap<string, number> {
    return this.#attached?.ends ?? new Map();
  }

  readable(record: TraceRecord): string {
    return this.#attached?.readable(record) ?? '';
  }

  callerOf(record: TraceRecord): Caller | undefined {
    return this.#callers.of(record);
  }

  clear(): void {
    this.#attached?.clear();
  }

  #attach(): void {
    const { trace } = this.servers;
    if (!trace || trace === this.#attached) return;
    this.#attached = trace;
    this.own(trace.onDidChange(() => this.#changed.fire()));
    this.#changed.fire();
  }
}

/** Longer texts are not read for who has sent them. */
const MAX_READ = 200_000;
/** The number of messages whose caller is kept, more than a trace has by default. */
const MAX_FOUND = 20_000;
/** More calls do not begin while one waits to be sent. */
const MAX_BETWEEN = 1_000;

/**
 * Tells which of the calls that were made a message is of. The way of a call has nothing for that: a call is known by its
 * server, tool and arguments, among the messages between its beginning and its end. Of calls that are the same in all that, the
 * one that was made first was sent first.
 */
export class Callers {
  readonly #found = new Map<number, Caller | undefined>();
  readonly #taken = new WeakSet<TracedCall>();

  constructor(private readonly calls: () => readonly TracedCall[]) {}

  of({ seq, server, direction, text }: TraceRecord): Caller | undefined {
    if (direction !== 'sent' || !text.slice(0, 200).includes('"tools/call"')) return undefined;
    if (this.#found.has(seq)) return this.#found.get(seq);
    const made = this.#before(seq).filter(call => call.server === server && seq <= call.until);
    const call = made.length > 0 ? this.#choose(made, text) : undefined;
    if (call) this.#taken.add(call);
    const caller = call && { origin: call.origin, ...(call.name !== undefined && { name: call.name }) };
    this.#found.set(seq, caller);
    // One that is older and still there is one that a person has marked.
    if (this.#found.size > MAX_FOUND) this.#found.delete(this.#found.keys().next().value!);
    return caller;
  }

  /** The last calls that began before this message, in order. */
  #before(seq: number): readonly TracedCall[] {
    const calls = this.calls();
    const end = firstNotBefore(calls, ({ after }) => after < seq);
    return calls.slice(Math.max(0, end - MAX_BETWEEN), end);
  }

  #choose(made: readonly TracedCall[], text: string): TracedCall | undefined {
    const { name, args } = text.length > MAX_READ ? beginningOf(text) : callOf(text);
    const same = made.filter(call => call.tool === name && (args === undefined || call.args === args));
    // One that was repeated because its server had ended is taken already.
    return same.find(call => !this.#taken.has(call)) ?? same.at(-1);
  }
}

function callOf(text: string): { readonly name: unknown; readonly args: string | undefined } {
  try {
    const { params }: { params?: unknown } = JSON.parse(text);
    if (!isObject(params)) return { name: undefined, args: undefined };
    return { name: params.name, args: fingerprint(params.arguments ?? {}) };
  } catch {
    return { name: undefined, args: undefined };
  }
}

/** Reads only the name of a call with long arguments, which it precedes. */
function beginningOf(text: string): ReturnType<typeof callOf> {
  const name = /"params":\{"name":("(?:[^"\\]|\\.)*")/.exec(text.slice(0, 4_000))?.[1];
  return { name: name && JSON.parse(name), args: undefined };
}

/** The person's marks on a row. */
export interface Mark {
  /** It stays in sight, whatever is filtered. */
  readonly isPinned?: boolean;
  /** The person's note. */
  readonly remark?: string;
}

/** The length of what is written on a row, in characters. */
export const MAX_REMARK = 300;
/** So many rows can be marked at once: what they have is not dropped. */
export const MAX_MARKS = 500;

/** The rows that a person has pinned or written on. Their messages are kept, also when the trace has dropped them. */
export class TraceMarks {
  readonly #marks = new Map<number, Mark>();
  /** The messages of those rows, and of their counterparts. */
  readonly #records = new Map<number, TraceRecord>();
  readonly #changed = new Emitter<number>();
  /** The row with this number. */
  readonly onDidChange = this.#changed.event;

  of(seq: number): Mark | undefined {
    return this.#marks.get(seq);
  }

  get isFull(): boolean {
    return this.#marks.size >= MAX_MARKS;
  }

  /** @param records that of the row, and that of its counterpart if it has one. */
  change(records: readonly [TraceRecord, ...TraceRecord[]], change: Mark): void {
    const [{ seq }] = records;
    const { isPinned, remark } = { ...this.#marks.get(seq), ...change };
    const mark = { ...(isPinned && { isPinned }), ...(remark && { remark: remark.slice(0, MAX_REMARK) }) };
    if (Object.keys(mark).length === 0) {
      this.#marks.delete(seq);
      for (const record of records) if (!this.#marks.has(record.seq)) this.#records.delete(record.seq);
    } else if (this.#marks.has(seq) || !this.isFull) {
      this.#marks.set(seq, mark);
      this.keep(records);
    }
    this.#changed.fire(seq);
  }

  /** Keeps messages that belong to a marked row. */
  keep(records: readonly TraceRecord[]): void {
    for (const record of records) this.#records.set(record.seq, record);
  }

  /** All messages, oldest first, with those that are kept. @param present the messages that the trace still has. */
  among(present: readonly TraceRecord[]): readonly TraceRecord[] {
    const first = present[0]?.seq ?? Number.POSITIVE_INFINITY;
    const dropped = [...this.#records.values()].filter(({ seq }) => seq < first);
    return dropped.length === 0 ? present : [...dropped.sort((one, other) => one.seq - other.seq), ...present];
  }
}
