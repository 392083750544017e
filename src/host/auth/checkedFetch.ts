import { lookup as nameServers } from 'node:dns';
import { type ClientRequest, request as http, type IncomingMessage } from 'node:http';
import { request as https } from 'node:https';
import type { LookupFunction } from 'node:net';
import { pipeline, type Readable } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { responseOf } from '../transport/socketFetch';

/** Headers that `fetch` adds automatically. */
const DEFAULTS = { accept: '*/*', 'user-agent': 'node' };

/** Says why an IP address is not to be connected to; undefined when it may be. */
export type RefuseAddress = (address: string) => Error | undefined;

/**
 * A `fetch` that connects only to addresses that were checked: a name is resolved once, by the connection itself, and all of
 * its addresses must pass. (A check before the request is worthless against a name server that gives another answer the
 * second time.) It uses Node's `http` rather than `fetch`, because the editor replaces the dispatcher of the latter. If the
 * editor uses a proxy, only the proxy resolves names, and `boundedFetch` has seen no more than the answers of this machine's
 * name servers. Does not follow redirects. Rejects with what `refusal` returns.
 */
export async function checkedFetch(
  url: URL,
  init: RequestInit,
  refusal: RefuseAddress,
  lookup: LookupFunction = nameServers,
): Promise<Response> {
  const asked = new Request(url, init);
  const body = Buffer.from(await asked.arrayBuffer());
  const { promise, resolve, reject } = Promise.withResolvers<Response>();
  const sent = (url.protocol === 'https:' ? https : http)(url, {
    method: asked.method,
    // Connections are not kept open: a later request on one would fail if the server has closed it.
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

function checked(lookup: LookupFunction, refusal: RefuseAddress): LookupFunction {
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

/** Checks the address of a reused connection, which other code resolved. */
function refuseReused(sent: ClientRequest, refusal: RefuseAddress): void {
  sent.once('socket', ({ remoteAddress = '' }) => {
    const refused = sent.reusedSocket ? refusal(remoteAddress) : undefined;
    if (refused) sent.destroy(refused);
  });
}

/** Wraps an error like `fetch` does: the SDK and our error texts expect that form. */
function failed(error: Error): Error {
  return error.name === 'TransportFault' ? error : new TypeError('fetch failed', { cause: error });
}

function unpacked(incoming: IncomingMessage): Readable {
  const encoding = incoming.headers['content-encoding']?.trim().toLowerCase();
  const unpack = { gzip: createGunzip, 'x-gzip': createGunzip, br: createBrotliDecompress, deflate: createInflate };
  if (!encoding || !Object.hasOwn(unpack, encoding)) return incoming;
  // An error of either stream reaches the reader.
  return pipeline(incoming, unpack[encoding as keyof typeof unpack](), () => {});
}
