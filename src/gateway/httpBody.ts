import type { IncomingMessage, ServerResponse } from 'node:http';
import { SERVER_ERROR } from '../base/protocolCodes';

/** Largest request that is read, in bytes. */
const MAX_BODY_BYTES = 16 * 1024 * 1024;
/** How long a client may go on sending a body that is not read, in milliseconds. */
const DRAIN_MS = 10_000;

/** The body, or `too large`; what is beyond the limit is never kept. Rejects when the client goes away. */
export async function readBody(request: IncomingMessage): Promise<string | 'too large'> {
  if (Number(request.headers['content-length']) > MAX_BODY_BYTES) return 'too large';
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    size += part.length;
    if (size > MAX_BODY_BYTES) return 'too large';
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}

/**
 * Refuses a request, with a JSON-RPC error as the specification requires. The client may be in the middle of a body: so that
 * it can read the answer, the rest of the body is read and discarded for a while.
 */
export function refuse(request: IncomingMessage, response: ServerResponse, status: number, message: string): void {
  const body = JSON.stringify({ jsonrpc: '2.0', id: null, error: { code: SERVER_ERROR, message } });
  const challenge = status === 401 ? { 'WWW-Authenticate': 'Bearer' } : {};
  response.writeHead(status, { 'Content-Type': 'application/json', Connection: 'close', ...challenge });
  if (request.complete) {
    response.end(body);
    return;
  }
  response.write(body);
  const timer = setTimeout(() => request.destroy(), DRAIN_MS);
  request.once('close', () => clearTimeout(timer));
  request.once('end', () => response.end());
  request.on('error', () => {});
  request.resume();
}
