import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { SERVER_ERROR } from '../base/errors';

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

/** How much a client may leave unread, in bytes; a message that crosses this limit is still sent in full. */
const MAX_UNREAD_BYTES = 8 * 1024 * 1024;

/** How long the head of an answer may wait for its first message, in milliseconds. */
const FLUSH_MS = 10;

/** Requests whose clients are still connected: the signal of a `Request` that Node has garbage-collected never aborts. */
const open = new Set<Request>();

/** A Node request's head for the SDK, without its parsed body. @param signal aborts when the client is gone. */
export function webRequest({ method = 'GET', url = '/', headers }: IncomingMessage, signal: AbortSignal): Request {
  const web = new Headers();
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined) web.set(name, Array.isArray(value) ? value.join(', ') : value);
  }
  const request = new Request(new URL(url, 'http://localhost'), { method, headers: web, signal });
  if (!signal.aborted) {
    open.add(request);
    signal.addEventListener('abort', () => open.delete(request), { once: true });
  }
  return request;
}

/** Sends the SDK's answer. Its stream applies no back pressure, so a client that leaves too much unread is cut off. */
export async function sendResponse(answer: Response, response: ServerResponse): Promise<void> {
  response.writeHead(answer.status, Object.fromEntries(answer.headers));
  if (!answer.body) {
    response.end();
    return;
  }
  // Sent together with the first message if that comes soon, which saves a packet.
  const flush = setTimeout(() => response.flushHeaders(), FLUSH_MS);
  response.once('close', () => clearTimeout(flush));
  const reader = answer.body.getReader();
  const gone = once(response, 'close').then(() => reader.cancel());
  gone.catch(() => {});
  for (;;) {
    const { done, value } = await reader.read();
    if (response.destroyed) return;
    if (done) break;
    if (response.writableLength > MAX_UNREAD_BYTES) {
      response.destroy();
      return;
    }
    clearTimeout(flush);
    response.write(value);
  }
  response.end();
}
