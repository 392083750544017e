import { firstNotBefore } from '../../../base/sorted';
import { type Caller, isNotSupported, type TraceRecord } from '../../../host';
import { type MessageHead, messageHead } from './messageHead';

/** `unsupported`: the server lacks what the host asked for, no error. `ended`: it ended before it answered. */
export type TraceStatus = 'ok' | 'error' | 'pending' | 'cancelled' | 'unsupported' | 'ended';

/** A message as a table shows it; a request and its answer know each other, and share method and subject. */
export interface TraceRow extends Pick<MessageHead, 'id' | 'kind' | 'method' | 'note' | 'subject'> {
  readonly record: TraceRecord;
  readonly status?: TraceStatus | undefined;
  /** From the request to its answer, in milliseconds. */
  readonly ms?: number | undefined;
  /** Sequence number of the answer to a request, or of the request of an answer. */
  readonly pair?: number | undefined;
  /** Sequence number of the request that this belongs to: see `Nesting`. */
  readonly parent?: number | undefined;
  /** Who made the call of a tool. */
  readonly caller?: Caller | undefined;
  /** A keep-alive check: a ping, or a `server/discover` after the first one of a session. */
  readonly isCheck?: boolean | undefined;
}

/** Rows before the sequence number `first` are forgotten, but for those that are kept. */
interface Bounds {
  readonly first: number;
  readonly kept: readonly number[];
}

interface RowChanges extends Bounds {
  /** New and changed rows, oldest first. */
  readonly rows: readonly TraceRow[];
  /** There are more new messages than were asked for. */
  readonly isCut: boolean;
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/** Joins each answer with its request, by server, direction and id (spec: basic#responses), message by message. */
export class TraceRows {
  readonly #rows = new Map<number, Mutable<TraceRow>>();
  /** Requests without an answer, by server, sender and id. */
  readonly #open = new Map<string, Mutable<TraceRow>>();
  /** The last requests to each server that ask what it is. */
  readonly #probes = new Map<string, Mutable<TraceRow>[]>();
  /** The last id that was sent to each server. */
  readonly #lastIds = new Map<string, number>();
  readonly #nesting = new Nesting();
  #last = 0;

  constructor(private readonly callerOf: (record: TraceRecord) => Caller | undefined = () => undefined) {}

  get(seq: number): TraceRow | undefined {
    return this.#rows.get(seq);
  }

  /** Oldest first. */
  all(): IterableIterator<TraceRow> {
    return this.#rows.values();
  }

  /**
   * Takes over what is new, and forgets what is not there any more.
   * @param records all of them, oldest first.
   * @param maxSize stops after so many characters of new messages: call again for the rest, until it is not cut.
   * @param ends see `TraceLog`.
   */
  update(
    records: readonly TraceRecord[],
    maxSize = Number.POSITIVE_INFINITY,
    ends: ReadonlyMap<string, number> = new Map(),
  ): RowChanges {
    const bounds = this.bounds(records);
    this.#forget(bounds);
    const changed = new Set<TraceRow>();
    let size = 0;
    let at = firstNotBefore(records, ({ seq }) => seq <= this.#last);
    for (; at < records.length && size < maxSize; at++) {
      const record = records[at]!;
      size += record.text.length;
      this.#last = record.seq;
      this.#add(record, changed);
    }
    for (const row of this.#open.values()) {
      if (row.status !== 'pending' || row.record.seq > (ends.get(row.record.server) ?? 0)) continue;
      row.status = 'ended';
      changed.add(row);
    }
    return { rows: [...changed].sort((a, b) => a.record.seq - b.record.seq), isCut: at < records.length, ...bounds };
  }

  /** Messages before `first` are gone, but for a few that are kept: the others have consecutive numbers. */
  bounds(records: readonly TraceRecord[]): Bounds {
    const last = records.at(-1)?.seq ?? 0;
    let start = records.length;
    while (start > 0 && last >= this.#last && last - records[start - 1]!.seq === records.length - start) start--;
    return { first: records[start]?.seq ?? this.#last + 1, kept: records.slice(0, start).map(({ seq }) => seq) };
  }

  #forget({ first, kept }: Bounds): void {
    const stay = new Set(kept);
    for (const [seq, row] of this.#rows) {
      if (seq >= first) break;
      if (stay.has(seq)) continue;
      this.#rows.delete(seq);
      if (row.kind === 'request' && this.#open.get(keyOf(row.record, row.id)) === row) {
        this.#open.delete(keyOf(row.record, row.id));
      }
      const partner = row.pair === undefined ? undefined : this.#rows.get(row.pair);
      if (partner) partner.pair = undefined;
    }
  }

  #add(record: TraceRecord, changed: Set<TraceRow>): void {
    const head = messageHead(record);
    const row = rowOf(record, head, this.#nesting.parentOf(record, head));
    this.#rows.set(record.seq, row);
    changed.add(row);
    const { server, direction } = record;
    if (head.kind === 'request') {
      if (head.method === 'tools/call') row.caller = this.callerOf(record);
      if (direction === 'sent' && this.#isCheck(server, head)) row.isCheck = true;
      if (head.method === 'initialize') this.#sayUnknown(server, changed);
      const earlier = this.#open.get(keyOf(record, head.id));
      // Ids begin anew with each session: what was asked in the one before is not answered any more.
      if (earlier?.status === 'pending') {
        earlier.status = 'cancelled';
        changed.add(earlier);
      }
      this.#open.set(keyOf(record, head.id), row);
      if (head.method === 'server/discover')
        this.#probes.set(server, [...(this.#probes.get(server) ?? []), row].slice(-MAX_PROBES));
      if (direction === 'sent' && !row.isCheck) this.#nesting.began(row, head.token);
      return;
    }
    if (head.cancels !== undefined) {
      const request = this.#open.get(keyOf(record, head.cancels));
      if (!request) return;
      request.status = 'cancelled';
      row.subject = [request.method, request.subject].filter(Boolean).join(' ');
      changed.add(request);
      return;
    }
    if (head.id === undefined) return;
    const key = keyOf({ server, direction: direction === 'sent' ? 'received' : 'sent' }, head.id);
    const request = this.#open.get(key);
    if (!request) return;
    this.#open.delete(key);
    join(request, row, head.code);
    this.#nesting.answered(request);
    changed.add(request);
  }

  /** A server that did not answer what it is in time is initialized as one that does not know the question. */
  #sayUnknown(server: string, changed: Set<TraceRow>): void {
    for (const row of this.#probes.get(server) ?? []) {
      if (row.status !== 'pending') continue;
      row.status = 'unsupported';
      changed.add(row);
    }
  }

  /** Modern servers have no ping: they are asked again what they are, as at the start of a session. */
  #isCheck(server: string, { id, method }: MessageHead): boolean {
    const sent = Number(id);
    if (!Number.isInteger(sent)) return false;
    const last = this.#lastIds.get(server);
    this.#lastIds.set(server, sent);
    return method === 'server/discover' && last !== undefined && sent > last;
  }
}

function rowOf(
  record: TraceRecord,
  { kind, id, method, subject, note, failed }: MessageHead,
  parent: number | undefined,
): Mutable<TraceRow> {
  const isAnswer = kind === 'answer' || kind === 'error';
  const status = kind === 'request' ? 'pending' : isAnswer ? (failed ? 'error' : 'ok') : undefined;
  return { record, kind, id, method, subject, note, status, parent, isCheck: method === 'ping' };
}

function join(request: Mutable<TraceRow>, answer: Mutable<TraceRow>, code: unknown): void {
  const { method, record, isCheck } = request;
  const isOurs = answer.kind === 'error' && record.direction === 'sent';
  if (isOurs && isNotSupported({ method, code, isProbe: !isCheck })) answer.status = 'unsupported';
  request.pair = answer.record.seq;
  answer.pair = request.record.seq;
  // One that was called off stays so, whatever is answered to it.
  if (request.status === 'pending') request.status = answer.status;
  request.note = answer.note;
  request.ms = answer.ms = answer.record.at - request.record.at;
  answer.method = request.method;
  answer.subject = request.subject;
  answer.caller = request.caller;
  answer.isCheck = request.isCheck;
}

const keyOf = ({ server, direction }: Pick<TraceRecord, 'server' | 'direction'>, id: string | undefined) =>
  `${direction} ${id} ${server}`;

/** A session begins with one. */
const MAX_PROBES = 10;
/** More requests of one server are not looked through. */
const MAX_ASKED = 1_000;
/** Requests that nothing is part of: they open a session or a stream. */
const NO_PARENTS = ['initialize', 'server/discover', 'subscriptions/listen'];

/**
 * Which request a message is part of. Progress names its request by a token. What a server asks for meanwhile (sampling,
 * elicitation, roots) and logs does not say why: as the editor does with its questions, the newest request that the server has
 * not answered counts as the reason. A request that is made again with what the server wanted is part of the first.
 */
class Nesting {
  /** Requests to each server, the oldest first. Those at the end are unanswered. */
  readonly #requestsTo = new Map<string, { readonly row: TraceRow; readonly token: string | undefined }[]>();
  /** The first of the requests that a server wants to have made again, by what they are about. */
  readonly #unfinished = new Map<string, number>();

  parentOf({ server, direction }: TraceRecord, { kind, method, subject, token, isContinued }: MessageHead) {
    if (direction === 'sent') return isContinued ? this.#unfinished.get(aboutKey(server, method, subject)) : undefined;
    if (kind === 'notification' && method === 'notifications/progress') {
      return this.#requestsTo.get(server)?.findLast(asked => asked.token === token)?.row.record.seq;
    }
    const isPart = (kind === 'request' && method !== 'ping') || method === 'notifications/message';
    return isPart ? this.#newest(server)?.record.seq : undefined;
  }

  /** A request was sent. */
  began(row: TraceRow, token: string | undefined): void {
    if (NO_PARENTS.includes(row.method ?? '')) return;
    const { server } = row.record;
    const asked = this.#requestsTo.get(server) ?? [];
    asked.push({ row, token });
    if (asked.length > MAX_ASKED) asked.shift();
    this.#requestsTo.set(server, asked);
  }

  /** A request was answered, which its row says. */
  answered({ record, method, subject, note, parent }: TraceRow): void {
    const key = aboutKey(record.server, method, subject);
    if (note === 'input_required') this.#unfinished.set(key, parent ?? record.seq);
    else this.#unfinished.delete(key);
  }

  #newest(server: string): TraceRow | undefined {
    const asked = this.#requestsTo.get(server);
    while (asked && asked.length > 0 && asked.at(-1)!.row.status !== 'pending') asked.pop();
    return asked?.at(-1)?.row;
  }
}

const aboutKey = (server: string, method: string | undefined, subject: string | undefined) =>
  JSON.stringify([server, method, subject]);
