import { isObject, parsedJson } from '../../../base/json';
import { type Caller, MAX_KEPT, type TraceRecord } from '../../../host';
import { type Mark, TraceMarks, type TraceSource } from './traceSource';

/** A larger file is not read. In bytes. */
export const MAX_FILE_SIZE = 64 * 1024 * 1024;
/** No more messages are read from a file. */
const MAX_RECORDS = 200_000;
const FORMAT = 'mcp-host-trace';
const VERSION = 1;
/** The longest name of a caller. */
const MAX_NAME = 200;

export interface TraceFile {
  /** Oldest first, with sequence numbers from 1. */
  readonly records: readonly TraceRecord[];
  /** Who made calls of tools, by the numbers of their messages. */
  readonly callers: ReadonlyMap<number, Caller>;
  readonly marks: TraceMarks;
  /** Lines that were no messages. */
  readonly skipped: number;
}

/** What a file has, as a trace in which nothing follows: secrets were struck out when it was written. */
export const fileSource = ({ records, callers, marks }: Omit<TraceFile, 'skipped'>): TraceSource => ({
  isOn: true,
  onDidChange: () => ({ dispose: () => {} }),
  marks,
  records: () => records,
  readable: ({ text, size }) => (text.length < size && !text.endsWith('…') ? `${text}…` : text),
  ends: new Map(records.map(({ server, seq }) => [server, seq])),
  callerOf: ({ seq }) => callers.get(seq),
  clear: () => {},
});

/** Members of a line besides the message. */
interface LineExtras extends Mark {
  readonly caller?: Caller | undefined;
}

/**
 * A trace as JSON Lines: a line that says what it is, then one for each message, with the message as JSON wherever it is
 * whole, so that other tools can read it.
 * @param redact strikes out secrets: what is written has none.
 */
export function* traceLines(
  records: Iterable<TraceRecord>,
  redact: (record: TraceRecord) => string,
  more: (record: TraceRecord) => LineExtras = () => ({}),
): Generator<string> {
  yield `${JSON.stringify({ format: FORMAT, version: VERSION, exported: new Date().toISOString() })}\n`;
  for (const record of records) {
    const { seq, at, server, direction, size } = record;
    const head = JSON.stringify({ seq, at, server, direction, size, ...more(record) }).slice(0, -1);
    const text = redact(record);
    // Breaks can only stand between the parts of valid JSON.
    const message =
      parsedJson(text) !== undefined ? `"message":${text.replace(/[\r\n]+/g, ' ')}` : `"text":${JSON.stringify(text)}`;
    yield `${head},${message}}\n`;
  }
}

/**
 * Reads an exported trace. Lines that are not messages are skipped and counted; newer versions are read as far as they are
 * understood.
 * @throws Error when it is no trace at all, with a sentence for the person.
 */
export function readTraceFile(text: string): TraceFile {
  const records: TraceRecord[] = [];
  const callers = new Map<number, Caller>();
  const marks = new TraceMarks();
  let skipped = 0;
  let isTrace = false;
  for (const line of linesOf(text)) {
    const value = parsedJson(line);
    if (isHeader(value)) isTrace = true;
    else {
      const record = records.length < MAX_RECORDS ? recordOf(value, records.length + 1) : undefined;
      if (!record) skipped++;
      else {
        records.push(record);
        const caller = callerIn(value);
        if (caller) callers.set(record.seq, caller);
        const { isPinned, remark } = value as Record<string, unknown>;
        const mark = { isPinned: isPinned === true, ...(typeof remark === 'string' && { remark }) };
        if (mark.isPinned || mark.remark) marks.change([record], mark);
      }
    }
  }
  if (!isTrace && records.length === 0) throw new Error('It is not a trace: its first line does not say so.');
  return { records, callers, marks, skipped };
}

function* linesOf(text: string): Generator<string> {
  for (let start = 0; start < text.length; ) {
    const end = text.indexOf('\n', start);
    const line = text.slice(start, end < 0 ? undefined : end).trim();
    if (line) yield line;
    start = end < 0 ? text.length : end + 1;
  }
}

function recordOf(value: unknown, seq: number): TraceRecord | undefined {
  if (!isObject(value)) return undefined;
  const { at, server, direction, size, text, message } = value;
  if (typeof at !== 'number' || !Number.isFinite(at) || typeof server !== 'string') return undefined;
  if (direction !== 'sent' && direction !== 'received') return undefined;
  const whole = typeof text === 'string' ? text : message === undefined ? undefined : JSON.stringify(message);
  if (whole === undefined) return undefined;
  const kept = whole.slice(0, MAX_KEPT);
  // Only the start of a message is kept of some: their size tells.
  const declared = Number.isSafeInteger(size) ? (size as number) : 0;
  return {
    seq,
    at,
    server,
    direction,
    text: kept,
    size: typeof text === 'string' ? Math.max(declared, whole.length) : whole.length,
  };
}

function callerIn(value: unknown): Caller | undefined {
  const { caller } = value as { caller?: unknown };
  if (!isObject(caller) || typeof caller.origin !== 'string') return undefined;
  const { origin, name } = caller;
  return { origin, ...(typeof name === 'string' && { name: name.slice(0, MAX_NAME) }) };
}

const isHeader = (value: unknown): boolean => (value as { format?: unknown } | undefined)?.format === FORMAT;
