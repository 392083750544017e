import type { ViewRow } from '../traceMessages';

/** The filter that decides which rows are shown. */
export interface Filter {
  readonly text: string;
  /** Empty: all. */
  readonly server: string;
  readonly method: string;
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

/** The rows that are shown. @param matches rows whose bodies contain the text of the filter. */
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
