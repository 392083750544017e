import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';

/**
 * A response from Node's `http` in the form of `fetch`. Throws for what `fetch` would not accept either, such as a status of
 * 999.
 */
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
