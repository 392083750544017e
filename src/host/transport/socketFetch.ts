import { Agent, type IncomingMessage, request } from 'node:http';
import { Readable } from 'node:stream';
import { phrase } from '../../base/phrase';
import { TransportFault } from './transportFault';

/** A connection that is idle for this long is closed. */
const IDLE_MS = 4_000;

/** `fetch` over a Unix socket or named pipe, as far as `createHttpFetch` needs it. Follows no redirects. */
export function createSocketFetch(socketPath: string): (url: URL, init: RequestInit) => Promise<Response> {
  const agent = new Agent({ keepAlive: true, timeout: IDLE_MS });
  return ({ pathname, search }, { method = 'GET', headers, body, signal }) =>
    new Promise((resolve, reject) => {
      signal?.throwIfAborted();
      const sent = request({
        socketPath,
        agent,
        method,
        path: pathname + search,
        // The server is local, so compression would cost more than it saves.
        headers: { ...Object.fromEntries(new Headers(headers)), host: 'localhost', 'accept-encoding': 'identity' },
        ...(signal && { signal }),
      });
      // May fail after the answer has begun: then reading its body fails, and the promise has already settled.
      sent.on('error', error => reject(signal?.aborted ? signal.reason : error));
      sent.once('response', incoming => {
        try {
          refuseSignIn(incoming);
          resolve(responseOf(incoming));
        } catch (error) {
          incoming.destroy();
          reject(error);
        }
      });
      sent.end(body);
    });
}

function refuseSignIn({ statusCode }: IncomingMessage): void {
  if (statusCode !== 401) return;
  throw new TransportFault(
    'FORBIDDEN',
    phrase('it requires you to sign in (HTTP 401), which is not possible on a socket'),
    phrase('Add credentials to "headers" in its settings entry, for example an Authorization header.'),
  );
}

/** A response of Node's `http` for `fetch`. Throws for what `fetch` refuses too, such as a status of 999. */
export function responseOf(incoming: IncomingMessage, unpacked: Readable = incoming): Response {
  const { statusCode: status = 0, statusMessage: statusText = '', rawHeaders } = incoming;
  const headers = new Headers();
  for (let at = 0; at < rawHeaders.length; at += 2) headers.append(rawHeaders[at]!, rawHeaders[at + 1]!);
  if (status !== 204 && status !== 205 && status !== 304) {
    return new Response(Readable.toWeb(unpacked) as ReadableStream, { status, statusText, headers });
  }
  incoming.resume();
  return new Response(null, { status, statusText, headers });
}
