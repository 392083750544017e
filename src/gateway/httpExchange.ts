import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';

/** How much a client may leave unread, in bytes; a message that crosses this limit is still sent in full. */
const MAX_UNREAD_BYTES = 8 * 1024 * 1024;

/** How long the head of an answer may wait for its first message, in milliseconds. */
const FLUSH_MS = 10;

/** The head of a Node request in the form that the SDK expects. The parsed body is passed separately. */
export function webRequest({ method = 'GET', url = '/', headers }: IncomingMessage, signal: AbortSignal): Request {
  const web = new Headers();
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined) web.set(name, Array.isArray(value) ? value.join(', ') : value);
  }
  return new Request(new URL(url, 'http://localhost'), { method, headers: web, signal });
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
