import type { FetchLike } from '@modelcontextprotocol/client';
import { limited } from '../limited';
import { textOf } from '../transport/bodies';
import { HttpFault } from '../transport/httpFault';
import { isLoopback, isPrivateHost } from './address';

/** A document of metadata has a few kilobytes. */
const MAX_BYTES = 256 * 1024;
const LIMIT_MS = 15_000;
const MAX_REDIRECTS = 3;
const REDIRECTS = new Set([301, 302, 303, 307, 308]);

/**
 * The `fetch` for everything that OAuth asks: addresses come from servers, so that it reaches nothing but `https`, or
 * `http` on this machine; no private address for the sake of a public server; and it is bounded in size, time and redirects.
 * Only a GET is redirected, and each target is checked as the first. Rejects with an `HttpFault`.
 * @param resource the MCP server's own address.
 * @param trusted origins that may be private, as the person and not the server named them.
 */
export function boundedFetch(
  resource: URL,
  signal: AbortSignal,
  trusted: ReadonlySet<string> = new Set(),
  limitMs = LIMIT_MS,
): FetchLike {
  const resourceIsPrivate = isPrivateHost(resource);
  const check = async (url: URL) => {
    if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isLoopback(url)))
      throw refused(url, 'is neither https nor on this machine');
    if (url.username || url.password) throw refused(url, 'has a user name in it');
    if (!trusted.has(url.origin) && !(await resourceIsPrivate) && (await isPrivateHost(url)))
      throw refused(url, 'is in a private network, although the server is not');
  };
  const follow = async (start: URL, init: RequestInit, limit: AbortSignal): Promise<Response> => {
    let url = start;
    for (let redirects = 0; ; redirects++) {
      await check(url);
      const response = await fetch(url, { ...init, redirect: 'manual', signal: limit });
      const location = REDIRECTS.has(response.status) ? response.headers.get('location') : null;
      if (location === null || (init.method ?? 'GET') !== 'GET') return whole(response);
      void response.body?.cancel().catch(() => {});
      if (redirects === MAX_REDIRECTS || !URL.canParse(location, url.href))
        throw refused(url, `redirects more than ${MAX_REDIRECTS} times, or to nowhere`);
      url = new URL(location, url);
    }
  };
  return (input, init = {}) => {
    const ends = init.signal ? [signal, init.signal] : [signal];
    return limited(limitMs, ends, limit => follow(new URL(input), init, limit));
  };
}

/** The same response with its body read: errors of the SDK quote it, and nobody else bounds it. */
async function whole(response: Response): Promise<Response> {
  const { status, statusText, headers } = response;
  const text = await textOf(response, MAX_BYTES);
  return new Response(text === '' ? null : text, { status, statusText, headers });
}

/** @param why the address is not used, after "which". */
export function refused(url: URL, why: string): HttpFault {
  return new HttpFault(
    'UNAUTHORIZED',
    `its sign-in leads to ${url.protocol}//${url.host}, which ${why}`,
    'Nothing was sent there. Ask the makers of the server.',
  );
}
