import { lookup as nameServers } from 'node:dns';
import type { LookupFunction } from 'node:net';
import type { FetchLike } from '@modelcontextprotocol/client';
import { limited } from '../../base/limited';
import { type Phrase, phrase } from '../../base/phrase';
import { textOf } from '../transport/bodies';
import { HttpFault } from '../transport/httpFault';
import { isLoopback, literalOf, type Place, placeOf } from './address';
import { checkedFetch, type Refusal } from './checkedFetch';

/** A document of metadata has a few kilobytes. */
const MAX_BYTES = 256 * 1024;
const LIMIT_MS = 15_000;
const MAX_REDIRECTS = 3;
/** Why an address is not used that anybody on the way could answer for. */
export const INSECURE = phrase('is neither https nor on this machine');
const REDIRECTS = new Set([301, 302, 303, 307, 308]);

/**
 * The `fetch` for everything that OAuth asks: addresses come from servers, so that it reaches nothing but `https`, or
 * `http` on this machine; no private address for the sake of a public server; and it is bounded in size, time and redirects.
 * Only a GET is redirected, and each target is checked as the first. Rejects with an `HttpFault`.
 * @param resource the MCP server's own address.
 * @param trusted origins that may be private, as the person and not the server named them.
 * @param lookup what resolves names.
 */
export function boundedFetch(
  resource: URL,
  signal: AbortSignal,
  trusted: ReadonlySet<string> = new Set(),
  { limitMs = LIMIT_MS, lookup = nameServers as LookupFunction } = {},
): FetchLike {
  const addressesOf = async (url: URL): Promise<string[]> => {
    const literal = literalOf(url);
    return literal === undefined ? resolve(lookup, url.hostname) : [literal];
  };
  let reach: Promise<ReadonlySet<Place>> | undefined;
  /** Says of what an address is not connected to. */
  const refusalOf = async (url: URL): Promise<Refusal> => {
    reach ??= addressesOf(resource).then(addresses => reachOf(resource, addresses));
    const mayBe = await reach;
    return address => {
      const place = placeOf(address);
      if (url.protocol === 'http:' && place !== 'machine')
        return refused(url, phrase('is http, and not on this machine'));
      if (mayBe.has(place) || trusted.has(url.origin) || url.origin === resource.origin) return undefined;
      return refused(url, phrase('is in a private network, although the server is not'));
    };
  };
  const check = async (url: URL): Promise<Refusal> => {
    if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isLoopback(url))) throw refused(url, INSECURE);
    if (url.username || url.password) throw refused(url, phrase('has a user name in it'));
    const refusal = await refusalOf(url);
    // Behind a proxy nobody else looks; and where there is none, the connection does so once more.
    for (const address of await addressesOf(url)) {
      const why = refusal(address);
      if (why) throw why;
    }
    return refusal;
  };
  const follow = async (start: URL, init: RequestInit, limit: AbortSignal): Promise<Response> => {
    let url = start;
    for (let redirects = 0; ; redirects++) {
      const refusal = await check(url);
      const response = await checkedFetch(url, { ...init, redirect: 'manual', signal: limit }, refusal, lookup);
      const location = REDIRECTS.has(response.status) ? response.headers.get('location') : null;
      if (location === null || (init.method ?? 'GET') !== 'GET') return whole(response);
      void response.body?.cancel().catch(() => {});
      if (redirects === MAX_REDIRECTS || !URL.canParse(location, url.href))
        throw refused(url, phrase('redirects more than {0} times, or to nowhere', MAX_REDIRECTS));
      url = new URL(location, url);
    }
  };
  return (input, init = {}) => {
    const ends = init.signal ? [signal, init.signal] : [signal];
    return limited(limitMs, ends, limit => follow(new URL(input), init, limit));
  };
}

/**
 * Where the addresses that a server names may lead. What the person wrote down, `localhost` or an address, counts as it is:
 * then anywhere. A name is what its owner's name server makes of it: with private addresses alone it is in a network of its
 * own, but it never opens this machine or a cloud's metadata.
 */
function reachOf(resource: URL, addresses: readonly string[]): ReadonlySet<Place> {
  const places = addresses.map(placeOf);
  const isWritten = isLoopback(resource) || literalOf(resource) !== undefined;
  if (isWritten && !places.includes('public')) return new Set(['public', 'private', 'link', 'machine']);
  const isOwn = places.length > 0 && places.every(place => place === 'private');
  return new Set(isOwn ? ['public', 'private'] : ['public']);
}

/** No address when none can be told: behind a proxy, only that knows it. If nobody does, the request fails by itself. */
function resolve(lookup: LookupFunction, host: string): Promise<string[]> {
  return new Promise(done => {
    lookup(host, { all: true }, (error, found) => {
      const all = Array.isArray(found) ? found.map(({ address }) => address) : [found];
      done(error ? [] : all);
    });
  });
}

/** The same response with its body read: errors of the SDK quote it, and nobody else bounds it. */
async function whole(response: Response): Promise<Response> {
  const { status, statusText, headers } = response;
  const text = await textOf(response, MAX_BYTES);
  return new Response(text === '' ? null : text, { status, statusText, headers });
}

/** @param why the address is not used, after "which". */
export function refused(url: URL, why: Phrase): HttpFault {
  return new HttpFault(
    'UNAUTHORIZED',
    phrase('its sign-in leads to {0}, which {1}', `${url.protocol}//${url.host}`, why),
    phrase('Nothing was sent there. Ask the makers of the server.'),
  );
}
