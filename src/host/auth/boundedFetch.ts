import { lookup as nameServers } from 'node:dns';
import type { LookupFunction } from 'node:net';
import type { FetchLike } from '@modelcontextprotocol/client';
import { literalOf, type Place, placeOf } from '../../base/networkAddress';
import { type Phrase, phrase } from '../../base/phrase';
import { limited } from '../../base/queue';
import { isLoopback } from '../../base/text';
import { bodyText } from '../transport/postAnswer';
import { TransportFault } from '../transport/transportFault';
import { checkedFetch, type RefuseAddress } from './checkedFetch';

/** A metadata document has a few kilobytes. */
const MAX_BYTES = 256 * 1024;
const LIMIT_MS = 15_000;
const MAX_REDIRECTS = 3;
const REDIRECTS = new Set([301, 302, 303, 307, 308]);

/**
 * The `fetch` for all OAuth requests. Their addresses come from servers, so it reaches only `https`, or `http` on this
 * machine; no private address on behalf of a public server; and it is bounded in size, time and redirects. Only a GET
 * follows redirects, and each target is checked like the first. Rejects with a `TransportFault`.
 * @param resource the MCP server's own address.
 * @param trusted origins that may be private, because the person and not the server named them.
 * @param lookup what resolves names.
 */
export function boundedFetch(
  resource: URL,
  signal: AbortSignal,
  trusted: ReadonlySet<string> = new Set(),
  { limitMs = LIMIT_MS, lookup = nameServers as LookupFunction } = {},
): FetchLike {
  const check = addressCheck(resource, trusted, lookup);
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
 * Checks an address that a server names, before anything is sent there or a person's browser is led there. Resolves with what checks
 * each IP address that is then connected to. Rejects with a `TransportFault`.
 * @param trusted origins that may be private, because the person and not the server named them.
 */
export function addressCheck(
  resource: URL,
  trusted: ReadonlySet<string>,
  lookup = nameServers as LookupFunction,
): (url: URL) => Promise<RefuseAddress> {
  const addressesOf = async (url: URL): Promise<string[]> => {
    const literal = literalOf(url);
    return literal === undefined ? resolve(lookup, url.hostname) : [literal];
  };
  let reach: Promise<ReadonlySet<Place>> | undefined;
  /** The error for an address that must not be connected to. */
  const refusalOf = async (url: URL): Promise<RefuseAddress> => {
    reach ??= addressesOf(resource).then(addresses => reachOf(resource, addresses));
    const mayBe = await reach;
    return address => {
      const place = placeOf(address);
      if (url.protocol === 'http:' && place !== 'machine')
        return refused(url, phrase('uses http and is not on this machine'));
      if (mayBe.has(place) || trusted.has(url.origin) || url.origin === resource.origin) return undefined;
      return refused(url, phrase('is in a private network, although the server is not'));
    };
  };
  return async url => {
    refuseInsecure(url);
    if (url.username || url.password) throw refused(url, phrase('has a user name in it'));
    const refusal = await refusalOf(url);
    // Behind a proxy, this is the only check; without one, the connection checks again.
    for (const address of await addressesOf(url)) {
      const why = refusal(address);
      if (why) throw why;
    }
    return refusal;
  };
}

/**
 * Which networks the addresses that a server names may lead to. If the person configured `localhost` or an IP address: any.
 * For a host name, its DNS entry decides: with only private addresses it counts as a private network, but it never gives
 * access to this machine or a cloud's metadata service.
 */
function reachOf(resource: URL, addresses: readonly string[]): ReadonlySet<Place> {
  const places = addresses.map(placeOf);
  const isWritten = isLoopback(resource) || literalOf(resource) !== undefined;
  if (isWritten && !places.includes('public')) return new Set(['public', 'private', 'link', 'machine']);
  const isOwn = places.length > 0 && places.every(place => place === 'private');
  return new Set(isOwn ? ['public', 'private'] : ['public']);
}

/** Resolves a name. Empty if this machine can't: perhaps only a proxy can, otherwise the request fails anyway. */
function resolve(lookup: LookupFunction, host: string): Promise<string[]> {
  return new Promise(done => {
    lookup(host, { all: true }, (error, found) => {
      const all = Array.isArray(found) ? found.map(({ address }) => address) : [found];
      done(error ? [] : all);
    });
  });
}

/**
 * A response whose body has been read, because the SDK's errors quote it and nothing else limits it. Members that are null
 * are left out: to many servers they are absent, but not to the SDK.
 */
async function whole(response: Response): Promise<Response> {
  const { status, statusText, headers } = response;
  const text = withoutNullMembers(await bodyText(response, MAX_BYTES));
  return new Response(text === '' ? null : text, { status, statusText, headers });
}

function withoutNullMembers(text: string): string {
  try {
    const value: unknown = JSON.parse(text, function (this: unknown, _key, member) {
      return member === null && !Array.isArray(this) ? undefined : member;
    });
    return JSON.stringify(value) ?? text;
  } catch {
    return text;
  }
}

/** Throws a `TransportFault` for an unencrypted address: others on the network could answer for it. */
function refuseInsecure(url: URL): void {
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isLoopback(url)))
    throw refused(url, phrase('is neither https nor on this machine'));
}

/** @param why the address is not used, worded to follow "which". */
function refused(url: URL, why: Phrase): TransportFault {
  return new TransportFault(
    'UNAUTHORIZED',
    phrase('its sign-in leads to {0}, which {1}', `${url.protocol}//${url.host}`, why),
    phrase("Nothing was sent there. Contact the server's developers."),
  );
}
