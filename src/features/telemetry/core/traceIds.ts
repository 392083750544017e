import { randomFillSync } from 'node:crypto';

/** W3C Trace Context: version, trace id, parent id, flags. Ids of zeros, and the version ff, are invalid. */
const TRACEPARENT = /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})$/;
const SAMPLED = 1;

/** The span that a request is a part of. */
export interface ParentSpan {
  readonly traceId: string;
  readonly spanId: string;
  /** Whether its trace is recorded. If not, nothing below it is either. */
  readonly isSampled: boolean;
}

/** Reads a `traceparent`, which may be any value. Undefined: it is none. */
export function parentSpan(traceparent: unknown): ParentSpan | undefined {
  const [, traceId, spanId, flags = ''] = (typeof traceparent === 'string' && TRACEPARENT.exec(traceparent)) || [];
  if (traceId === undefined || spanId === undefined) return undefined;
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & SAMPLED) !== 0 };
}

/** The `traceparent` of requests below a span that is recorded. */
export const traceparentOf = (traceId: string, spanId: string): string => `00-${traceId}-${spanId}-01`;

/** A call of the system for each id would take longer than all the rest of a span. */
const pool = Buffer.alloc(4_096);
let used = pool.length;

function randomHex(bytes: number): string {
  if (used + bytes > pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  used += bytes;
  const id = pool.toString('hex', used - bytes, used);
  // One in 2^64: an id of zeros is invalid.
  return /[^0]/.test(id) ? id : randomHex(bytes);
}

export const newTraceId = (): string => randomHex(16);
export const newSpanId = (): string => randomHex(8);
