import { lookup } from 'node:dns/promises';
import { literalOf, placeOf } from '../../../base/networkAddress';

type Resolve = (host: string) => Promise<readonly { readonly address: string }[]>;

/**
 * A `fetch` for addresses that strangers name: only https in the public internet, or at the origin that the person named. Names are
 * resolved before the request, which is enough for what is sent without credentials and whose answer they never see.
 * @param own this origin may also be private.
 */
export function publicFetch(
  own: string,
  send: typeof fetch = fetch,
  resolve: Resolve = host => lookup(host, { all: true }),
): typeof fetch {
  return async (input, init) => {
    const url = new URL(String(input));
    if (url.origin !== own && !(await isPublic(url, resolve)))
      throw new TypeError('not an address of the public internet');
    return send(url.href, init);
  };
}

async function isPublic(url: URL, resolve: Resolve): Promise<boolean> {
  if (url.protocol !== 'https:' || url.username || url.password) return false;
  const literal = literalOf(url);
  const addresses = literal === undefined ? await resolve(url.hostname) : [{ address: literal }];
  return addresses.length > 0 && addresses.every(({ address }) => placeOf(address) === 'public');
}
