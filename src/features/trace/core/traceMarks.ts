import { Emitter } from '../../../base/events';
import type { TraceRecord } from '../../../host';

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
