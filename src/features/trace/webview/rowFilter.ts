import { numberText } from '../../../base/numberText';
import type { ViewRow } from '../traceMessages';

/** The filter that decides which rows are shown. */
export interface Filter {
  readonly text: string;
  /** Empty: all. */
  readonly server: string;
  readonly method: string;
  /** Only calls of this tool. */
  readonly tool: string;
  /** Only calls that this one made. */
  readonly caller: string;
  readonly errors: boolean;
  /** An answer has no row of its own: its request says how it went. */
  readonly joined: boolean;
  /** Pings are shown, too. Those that failed are in any case. */
  readonly pings: boolean;
}

export const NO_FILTER: Filter = {
  text: '',
  server: '',
  method: '',
  tool: '',
  caller: '',
  errors: false,
  joined: true,
  pings: false,
};

/**
 * The rows that are shown.
 * @param matches rows whose bodies contain the text of the filter.
 */
export function filtered(rows: Iterable<ViewRow>, filter: Filter, matches: ReadonlySet<number>): ViewRow[] {
  const text = filter.text.toLowerCase();
  const shown: ViewRow[] = [];
  for (const row of rows) {
    if (row.isPinned) {
      shown.push(row);
      continue;
    }
    if (filter.joined && isJoinedAnswer(row)) continue;
    if (isHiddenPing(row, filter)) continue;
    if (filter.server && row.server !== filter.server) continue;
    if (filter.method && row.method !== filter.method) continue;
    if (filter.tool && !(row.method === 'tools/call' && row.subject === filter.tool)) continue;
    if (filter.caller && row.caller !== filter.caller) continue;
    if (filter.errors && !hasFailed(row)) continue;
    if (text && !fits(row, text, filter.joined, matches)) continue;
    shown.push(row);
  }
  return shown;
}

export const hasFailed = ({ kind, status }: ViewRow) =>
  status !== 'unsupported' && (status === 'error' || kind === 'error' || kind === 'unreadable');

/** Its request is shown, and says how it went. */
export const isJoinedAnswer = ({ kind, pair }: ViewRow) =>
  pair !== undefined && (kind === 'answer' || kind === 'error');

/** Whether a row is a hidden ping: successful, and not asked for. Idle servers are pinged all the time. */
export const isHiddenPing = ({ method, status, isCheck }: ViewRow, { pings, method: wanted }: Filter) =>
  isCheck === true && !pings && wanted !== method && (status === undefined || status === 'ok' || status === 'pending');

function fits(row: ViewRow, text: string, joined: boolean, matches: ReadonlySet<number>): boolean {
  if (matches.has(row.seq) || (joined && row.pair !== undefined && matches.has(row.pair))) return true;
  return [row.method, row.subject, row.note, row.caller, row.remark].some(shown => shown?.toLowerCase().includes(text));
}

const two = (value: number) => String(value).padStart(2, '0');

/** Time of day: `14:05:09.123`. */
export function formatTime(at: number): string {
  const date = new Date(at);
  const millis = String(date.getMilliseconds()).padStart(3, '0');
  return `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}.${millis}`;
}

/** How long the bar of a duration is, from 0 to 1: ten times the duration adds a quarter. */
export const barOf = (ms: number): number => Math.min(1, Math.max(0.04, Math.log10(1 + ms) / 4.5));

/** The number of colours for servers: each is that of a dot, and then of a ring. */
export const HUES = 6;

/** Gives each name a mark of its own as long as there are enough, and the same in most windows. */
export class ServerMarks {
  readonly #marks = new Map<string, number>();

  /** @returns the number of a colour, and beyond `HUES` that of a ring. */
  of(name: string): number {
    const known = this.#marks.get(name);
    if (known !== undefined) return known;
    let hash = 0;
    for (let at = 0; at < name.length; at++) hash = (hash * 31 + name.charCodeAt(at)) >>> 0;
    const taken = new Set(this.#marks.values());
    const inOrder = Array.from({ length: 2 * HUES }, (_, at) => ((hash + at) % HUES) + (at < HUES ? 0 : HUES));
    const mark = inOrder.find(one => !taken.has(one)) ?? hash % HUES;
    this.#marks.set(name, mark);
    return mark;
  }
}

/** Fills in `{0}`, `{1}`…, with numbers in the person's language. */
export const filled = (text: string, ...values: (string | number)[]) =>
  text.replace(/\{(\d)\}/g, (all, index: string) => {
    const value = values[Number(index)] ?? all;
    return typeof value === 'number' ? numberText(value) : value;
  });
