import type { TraceRecord } from '../../../../src/host/trace/traceLog';

type More = Partial<Pick<TraceRecord, 'server' | 'at'>>;

const record =
  (direction: TraceRecord['direction']) =>
  (seq: number, message: object, { server = 'one', at = seq }: More = {}): TraceRecord => {
    const text = JSON.stringify({ jsonrpc: '2.0', ...message });
    return { seq, at, server, direction, text, size: text.length };
  };

export const sent = record('sent');
export const received = record('received');
