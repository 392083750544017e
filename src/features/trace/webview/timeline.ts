import { formatDuration } from '../../../base/numberText';
import { firstNotBefore } from '../../../base/sorted';
import type { ViewRow } from '../traceMessages';
import type { ViewTexts } from '../traceTexts';
import { filled } from './cellFormats';

/** The axis is so long, in units of the drawing. */
export const AXIS = 1_000;
/** A pause is at most this part of the time in which something went on, and all pauses together at most so much of it. */
const LONGEST_PAUSE = 0.1;
const ALL_PAUSES = 0.6;
/** Room after the last end, for what is not answered yet. */
const MARGIN = 1.04;

/** From when to when, in milliseconds. */
interface Span {
  readonly from: number;
  readonly to: number;
}

/** A stretch of the axis, on which time runs evenly. */
interface Stretch extends Span {
  readonly start: number;
  readonly length: number;
}

/** A common axis of time for some rows. Pauses, in which nothing went on, are shortened. */
export interface Axis {
  /** When it begins, in milliseconds since 1970. */
  readonly from: number;
  /** Where a time stands, from 0 to `AXIS`. */
  place(at: number): number;
  /** How long after the beginning a place stands for, in milliseconds. */
  after(place: number): number;
  readonly pauses: readonly number[];
}

/** When a row's message was on its way: a request until its answer. A stream has no end that tells anything. */
function spanOf({ at, ms, kind, method }: ViewRow): Span {
  const isBar = kind === 'request' && ms !== undefined && method !== 'subscriptions/listen';
  return { from: at, to: isBar ? at + ms : at };
}

export function axisOf(rows: readonly ViewRow[]): Axis {
  const busy = merged(rows.map(spanOf));
  const total = busy.reduce((sum, { from, to }) => sum + to - from, 0);
  const longest = total === 0 ? Number.POSITIVE_INFINITY : total * Math.min(LONGEST_PAUSE, ALL_PAUSES / busy.length);
  const stretches: Stretch[] = [];
  const pauses: number[] = [];
  let length = 0;
  const add = ({ from, to }: Span, most: number) => {
    const own = Math.min(to - from, most);
    if (own < to - from) pauses.push(length + own / 2);
    stretches.push({ from, to, start: length, length: own });
    length += own;
  };
  for (const [index, span] of busy.entries()) {
    const before = busy[index - 1];
    if (before) add({ from: before.to, to: span.from }, longest);
    add(span, Number.POSITIVE_INFINITY);
  }
  const scale = AXIS / (length * MARGIN || 1);
  return {
    from: stretches[0]?.from ?? 0,
    place: at => placeOf(at, stretches, scale),
    after: place => {
      const on = stretches.find(({ start, length: own }) => (start + own) * scale >= place) ?? stretches.at(-1);
      if (!on) return 0;
      const share = on.length === 0 ? 0 : (place / scale - on.start) / on.length;
      return on.from + share * (on.to - on.from) - stretches[0]!.from;
    },
    pauses: pauses.map(at => at * scale),
  };
}

function placeOf(at: number, stretches: readonly Stretch[], scale: number): number {
  const on = stretches[firstNotBefore(stretches, ({ to }) => to < at)] ?? stretches.at(-1);
  if (!on) return 0;
  const share = on.to === on.from ? 0 : (at - on.from) / (on.to - on.from);
  // Beyond its end, time runs on as it did.
  const beyond = Math.max(0, at - on.to);
  return Math.min(AXIS, Math.max(0, (on.start + Math.min(1, share) * on.length + beyond) * scale));
}

/** The times in which something went on, in order and without overlaps. */
function merged(spans: readonly Span[]): Span[] {
  const out: Span[] = [];
  for (const { from, to } of [...spans].sort((one, other) => one.from - other.from)) {
    const last = out.at(-1);
    if (last && from <= last.to) out[out.length - 1] = { from: last.from, to: Math.max(last.to, to) };
    else out.push({ from, to });
  }
  return out;
}

/** The parts of a request. */
export interface Family {
  /** The request that a row is part of. */
  readonly parent: ViewRow | undefined;
  /** How many requests it is in. */
  readonly depth: number;
  readonly requests: readonly ViewRow[];
  /** The notifications in between: progress and logs. */
  readonly notifications: readonly ViewRow[];
}

/** Deeper rows are indented no further. */
const MAX_DEPTH = 4;
const ALONE: Family = { parent: undefined, depth: 0, requests: [], notifications: [] };

/** Who waits for whom, among the rows of the page. */
export class Families {
  readonly #parts = new Map<number, Set<number>>();

  constructor(private readonly rows: ReadonlyMap<number, ViewRow>) {}

  add({ seq, parent }: ViewRow): void {
    if (parent === undefined) return;
    const parts = this.#parts.get(parent);
    if (parts) parts.add(seq);
    else this.#parts.set(parent, new Set([seq]));
  }

  remove({ seq, parent }: ViewRow): void {
    this.#parts.delete(seq);
    if (parent !== undefined) this.#parts.get(parent)?.delete(seq);
  }

  of(row: ViewRow): Family {
    const seqs = this.#parts.get(row.seq);
    if (!seqs && row.parent === undefined) return ALONE;
    const parts = [...(seqs ?? [])].flatMap(seq => this.rows.get(seq) ?? []);
    let depth = 0;
    for (let on = this.#parent(row); on && depth < MAX_DEPTH; on = this.#parent(on)) depth++;
    return {
      parent: this.#parent(row),
      depth,
      requests: parts.filter(({ kind }) => kind === 'request'),
      notifications: parts.filter(({ kind }) => kind === 'notification'),
    };
  }

  #parent({ parent }: ViewRow): ViewRow | undefined {
    return parent === undefined ? undefined : this.rows.get(parent);
  }
}

/** The lines of a row on the axis, as paths of SVG; empty where there is none. */
interface Drawing {
  readonly bar: string;
  /** Where the request waits for what is part of it. */
  readonly waits: string;
  readonly ticks: string;
}

/** From top to bottom: a bar, and a mark that stands out of it. */
const [TOP, BOTTOM] = [7, 17];
const [HIGH, LOW] = [4, 20];

export function drawingOf(row: ViewRow, { requests, notifications }: Family, axis: Axis): Drawing {
  const { from, to } = spanOf(row);
  const start = axis.place(from);
  if (row.kind !== 'request') return { bar: '', waits: '', ticks: tick(start) };
  // What is not answered goes on.
  const isOpen = row.status === 'pending' || row.method === 'subscriptions/listen';
  const end = isOpen ? AXIS : axis.place(to);
  const waits = waitsOf(row, requests).map(span => box(axis.place(span.from), axis.place(span.to), 1));
  const places = new Set(notifications.map(({ at }) => Math.round(axis.place(at) / 4) * 4));
  return { bar: box(start, end), waits: waits.join(''), ticks: [...places].map(tick).join('') };
}

export function waitsOf(row: ViewRow, requests: readonly ViewRow[]): Span[] {
  const { from, to } = spanOf(row);
  const last = row.status === 'pending' ? Number.POSITIVE_INFINITY : to;
  const spans = requests.map(one => ({ ...spanOf(one), isOpen: one.status === 'pending' }));
  const within = spans.map(span => ({
    from: Math.max(from, span.from),
    to: Math.min(last, span.isOpen ? Number.POSITIVE_INFINITY : span.to),
  }));
  return merged(within.filter(span => span.to > span.from));
}

/** The drawing in words, for the tooltip and for screen readers. */
export function spokenTiming(texts: ViewTexts, row: ViewRow, { parent, requests, notifications }: Family): string {
  const waited = waitsOf(row, requests).reduce((sum, { from, to }) => sum + to - from, 0);
  const [only] = requests;
  const reason = requests.length === 1 ? nameOf(only!) : filled(texts.requestCount, requests.length);
  const count = notifications.length;
  const isOver = Number.isFinite(waited);
  const waitText = isOver ? filled(texts.waited, formatDuration(waited, true), reason) : filled(texts.waits, reason);
  return [
    row.ms === undefined ? '' : formatDuration(row.ms, true),
    !parent ? '' : filled(texts.partOf, nameOf(parent)),
    waited > 0 && waitText,
    count === 0 ? '' : count === 1 ? texts.oneNotification : filled(texts.notificationCount, count),
  ]
    .filter(Boolean)
    .join(', ');
}

const nameOf = ({ method, subject }: ViewRow) => [method, subject].filter(Boolean).join(' ');

const box = (from: number, to: number, inset = 0) =>
  `M${round(from)} ${TOP + inset}H${round(Math.max(from, to))}V${BOTTOM - inset}H${round(from)}Z`;
const tick = (at: number) => `M${round(at)} ${HIGH}V${LOW}`;
const round = (place: number) => Math.round(place * 10) / 10;
