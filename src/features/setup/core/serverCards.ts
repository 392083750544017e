import { isObject } from '../../../base/json';
import { bodyWithin } from '../../../base/responses';
import { withoutTrailingSlashes } from '../../../base/text';
import { type RegistryServer, serverOf } from './registryClient';
import { choicesOf, NOTHING_CHOSEN } from './registryServer';
import type { ServerDraft } from './serverDraft';

/** The media types of server cards: that of the extension, and the one before it. */
const CARD = 'application/mcp-server-card+json';
const CARDS: readonly unknown[] = [CARD, 'application/mcp-server+json'];
/** For all that is fetched for one address together. */
const TIMEOUT_MS = 4_000;
const MAX_BYTES = 256 * 1024;
/** More cards of a catalog are not looked at. */
const MAX_CARDS = 10;

interface CardChoice {
  readonly server: RegistryServer;
  readonly address: string;
  readonly draft: ServerDraft;
}

/**
 * The cards of the server at an address (SEP-2127): its own at `<address>/server-card`, else those in a catalog of its site,
 * `/.well-known/ard.json` or `/.well-known/ai-catalog.json`. They are unchecked claims, shown before anything is done with them.
 * Never rejects: without a usable card, and when it takes too long, there are none.
 */
export async function findServerCards(address: string, timeoutMs = TIMEOUT_MS): Promise<readonly RegistryServer[]> {
  if (!URL.canParse(address)) return [];
  const url = new URL(address);
  const signal = AbortSignal.timeout(timeoutMs);
  const own = new URL(url);
  own.pathname = `${withoutTrailingSlashes(url.pathname)}/server-card`;
  const card = cardOf(await fetchJson(own, signal));
  if (card) return [card];
  const entries = await catalogEntries(url, signal);
  const cards = entries
    .filter(isObject)
    .filter(({ type, mediaType }) => CARDS.includes(type ?? mediaType))
    .slice(0, MAX_CARDS)
    .map(async entry => {
      if (isObject(entry.data)) return cardOf(entry.data);
      const at =
        typeof entry.url === 'string' && URL.canParse(entry.url, url.href) ? new URL(entry.url, url) : undefined;
      // A catalog must not make this machine ask others on its network.
      const isAllowed = at && (at.protocol === 'https:' || at.origin === url.origin);
      return isAllowed ? cardOf(await fetchJson(at, signal)) : undefined;
    });
  return (await Promise.all(cards)).filter(one => one !== undefined);
}

/** Of the first catalog that the site has: both formats list entries with a type, and a `url` or `data`. */
async function catalogEntries(url: URL, signal: AbortSignal): Promise<readonly unknown[]> {
  for (const name of ['ard.json', 'ai-catalog.json']) {
    const catalog = await fetchJson(new URL(`/.well-known/${name}`, url), signal);
    if (isObject(catalog) && Array.isArray(catalog.entries)) return catalog.entries;
  }
  return [];
}

/** The ways that cards name, each once, with the settings that they require. */
export function cardChoices(cards: readonly RegistryServer[]): CardChoice[] {
  const all = cards.flatMap(server =>
    choicesOf(server).flatMap(({ what, build }) =>
      build ? [{ server, address: what, draft: build(NOTHING_CHOSEN) }] : [],
    ),
  );
  return all.filter(({ address }, index) => all.findIndex(one => one.address === address) === index);
}

/** A card says how a server is reached, never what is run. */
function cardOf(value: unknown): RegistryServer | undefined {
  const server = serverOf(value);
  return server && server.remotes.length > 0 ? { ...server, packages: [] } : undefined;
}

/** Undefined for whatever is no small JSON at this very address. */
async function fetchJson(url: URL, signal: AbortSignal): Promise<unknown> {
  try {
    const response = await fetch(url, { signal, redirect: 'error', headers: { accept: `${CARD}, application/json` } });
    const body = response.ok ? await bodyWithin(response, MAX_BYTES) : await response.body?.cancel();
    return body && JSON.parse(new TextDecoder().decode(body));
  } catch {
    return undefined;
  }
}
