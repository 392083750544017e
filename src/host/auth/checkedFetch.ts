import { lookup as nameServers } from 'node:dns';
import { type ClientRequest, request as http, type IncomingMessage } from 'node:http';
import { request as https } from 'node:https';
import type { LookupFunction } from 'node:net';
import { pipeline, type Readable } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { responseOf } from '../transport/incomingResponse';

/** What `fetch` sends by itself. */
const DEFAULTS = { accept: '*/*', 'user-agent': 'node' };

/** Says why an IP address is not to be connected to; undefined when it may be. */
export type Refusal = (address: string) => Error | undefined;

/**
 * `fetch` that connects to no address but one that was looked at: a name is resolved once, by the connection itself, and all
 * of its addresses must pass. (A check before the request is worth nothing against a name server that answers otherwise the
 * second time.) Made of Node's `http` and not of `fetch`, as the editor replaces the dispatcher of that with its own.
 * Where the editor goes through a proxy, that alone resolves names: there `boundedFetch` has only seen what this machine's
 * name servers say, if they say anything. No redirect is followed. Rejects with what `refusal` returns.
 */
export async function checkedFetch(
  url: URL,
  init: RequestInit,
  refusal: Refusal,
  lookup: LookupFunction = nameServers,
): Promise<Response> {
  const asked = new Request(url, init);
  const body = Buffer.from(await asked.arrayBuffer());
  const { promise, resolve, reject } = Promise.withResolvers<Response>();
  const sent = (url.protocol === 'https:' ? https : http)(url, {
    method: asked.method,
    // No connection is left open: a later request on one would fail when the server has closed it.
    headers: { ...DEFAULTS, ...Object.fromEntries(asked.headers), 'accept-encoding': 'gzip', connection: 'close' },
    lookup: checked(lookup, refusal),
    ...(init.signal && { signal: init.signal }),
  });
  sent.on('error', error => reject(init.signal?.aborted ? init.signal.reason : failed(error)));
  refuseReused(sent, refusal);
  sent.once('response', incoming => {
    try {
      resolve(responseOf(incoming, unpacked(incoming)));
    } catch (error) {
      incoming.destroy();
      reject(error);
    }
  });
  sent.end(body.length > 0 ? body : undefined);
  return promise;
}

function checked(lookup: LookupFunction, refusal: Refusal): LookupFunction {
  return (host, options, answer) =>
    lookup(host, { ...options, all: true }, (error, found) => {
      if (error) return answer(error, []);
      const addresses = Array.isArray(found) ? found : [{ address: found, family: 0 }];
      for (const { address } of addresses) {
        const refused = refusal(address);
        if (refused) return answer(refused, []);
      }
      if (options.all) answer(null, addresses);
      else answer(null, addresses[0]?.address ?? '', addresses[0]?.family);
    });
}

/** A connection that somebody else has made and left open was looked up by them: it is looked at here. */
function refuseReused(sent: ClientRequest, refusal: Refusal): void {
  sent.once('socket', ({ remoteAddress = '' }) => {
    const refused = sent.reusedSocket ? refusal(remoteAddress) : undefined;
    if (refused) sent.destroy(refused);
  });
}

/** As `fetch` has it: the SDK and the words for people look there. */
function failed(error: Error): Error {
  return error.name === 'HttpFault' ? error : new TypeError('fetch failed', { cause: error });
}

function unpacked(incoming: IncomingMessage): Readable {
  const encoding = incoming.headers['content-encoding']?.trim().toLowerCase();
  const unpack = { gzip: createGunzip, 'x-gzip': createGunzip, br: createBrotliDecompress, deflate: createInflate };
  if (!encoding || !Object.hasOwn(unpack, encoding)) return incoming;
  // An error of one is one of the other, and whoever reads that hears of it.
  return pipeline(incoming, unpack[encoding as keyof typeof unpack](), () => {});
}
