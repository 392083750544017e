import { isObject, objectsOf, stringsOf } from '../../../base/json';
import { english, type Phrase, phrase } from '../../../base/phrase';
import { bodyWithin, fetchFollowing } from '../../../base/responses';
import { shallowJson } from '../../../base/shallowJson';
import { parseUrl, webAddress, withoutTrailingSlashes } from '../../../base/text';
import type { Json } from './serverDraft';

const TIMEOUT_MS = 10_000;
const MAX_BYTES = 4 * 1024 * 1024;
const MAX_REDIRECTS = 3;
const PAGE = 30;
const WHOLE_PAGE = 100;
const MAX_VERSIONS = 100;

type RegistryFault =
  | 'UNREACHABLE'
  | 'TIMEOUT'
  | 'STATUS'
  | 'TOO_LARGE'
  | 'MALFORMED'
  | 'REDIRECT'
  | 'BAD_URL'
  | 'CANCELLED';

/** Why a registry could not be asked. The editor says it in words: `what` is a status, a limit or a message. */
export class RegistryError extends Error {
  constructor(
    readonly code: RegistryFault,
    readonly what: Phrase | string,
    /** HTTP status, with the code `STATUS`. */
    readonly status?: number,
  ) {
    super(english(what));
    this.name = 'RegistryError';
  }
}

/** A server as the registry describes it (`server.json`): data of strangers, not checked but for its name. */
export interface RegistryServer {
  name: string;
  title: string | undefined;
  description: string;
  version: string;
  /** `deprecated` and `deleted` are its publisher's word. */
  status: 'active' | 'deprecated' | 'deleted';
  packages: readonly Json[];
  remotes: readonly Json[];
  details?: RegistryDetails;
}

interface RegistryPage {
  servers: readonly RegistryServer[];
  /** For the next page. Absent on the last page. */
  cursor: string | undefined;
}

interface RegistryOptions {
  /** Until the whole answer is there, in milliseconds. */
  timeoutMs?: number;
  maxBytes?: number;
}

/**
 * Asks a registry that has the API of the official one (registry docs: reference/api): version 0.1, or 0 where it has only
 * that. Answers are bounded in size and time; redirects stay on the registry's origin.
 */
export class RegistryClient {
  #api: 'v0.1' | 'v0' = 'v0.1';

  constructor(
    private readonly base: string,
    private readonly options: RegistryOptions = {},
  ) {}

  /** Servers whose name has `text` in it, the latest version of each. Rejects with a `RegistryError`. */
  async search(text: string, cursor: string | undefined, signal: AbortSignal): Promise<RegistryPage> {
    const query = new URLSearchParams({ limit: String(PAGE), version: 'latest' });
    if (text) query.set('search', text);
    if (cursor) query.set('cursor', cursor);
    return pageOf(await this.#get(`servers?${query}`, signal));
  }

  /** All versions of all servers, page by page. Rejects with a `RegistryError`. */
  async all(cursor: string | undefined, signal: AbortSignal): Promise<RegistryPage> {
    const query = new URLSearchParams({ limit: String(WHOLE_PAGE), ...(cursor && { cursor }) });
    return pageOf(await this.#get(`servers?${query}`, signal));
  }

  /** All versions of a server, newest first. Rejects with a `RegistryError`. */
  async versions(name: string, signal: AbortSignal): Promise<readonly RegistryServer[]> {
    const { servers } = pageOf(await this.#get(`servers/${encodeURIComponent(name)}/versions`, signal));
    return servers.slice(0, MAX_VERSIONS);
  }

  async #get(path: string, signal: AbortSignal): Promise<unknown> {
    try {
      return await this.#fetch(path, signal);
    } catch (error) {
      const isOlder = this.#api === 'v0.1' && (error as RegistryError).status === 404;
      if (!isOlder) throw error;
      this.#api = 'v0';
      return this.#fetch(path, signal).catch(again => {
        this.#api = 'v0.1';
        throw again;
      });
    }
  }

  async #fetch(path: string, signal: AbortSignal): Promise<unknown> {
    const { timeoutMs = TIMEOUT_MS, maxBytes = MAX_BYTES } = this.options;
    const limit = AbortSignal.timeout(timeoutMs);
    const both = AbortSignal.any([signal, limit]);
    try {
      const response = await ask(addressOf(this.base, `${this.#api}/${path}`), both);
      if (!response.ok) {
        await response.body?.cancel();
        throw new RegistryError('STATUS', `HTTP ${response.status}`, response.status);
      }
      const body = await bodyWithin(response, maxBytes);
      if (!body) throw new RegistryError('TOO_LARGE', `${Math.round(maxBytes / 1024 / 1024)} MB`);
      return parse(new TextDecoder().decode(body));
    } catch (error) {
      if (error instanceof RegistryError) throw error;
      if (signal.aborted) throw new RegistryError('CANCELLED', 'cancelled');
      if (limit.aborted) throw new RegistryError('TIMEOUT', `${timeoutMs / 1000} s`);
      const { cause, message } = error as Error & { cause?: NodeJS.ErrnoException };
      throw new RegistryError('UNREACHABLE', cause?.code ?? cause?.message ?? message);
    }
  }
}

function addressOf(base: string, path: string): URL {
  const url = parseUrl(`${withoutTrailingSlashes(base)}/${path}`);
  if (!url || !/^https?:$/.test(url.protocol)) throw new RegistryError('BAD_URL', base);
  return url;
}

async function ask(url: URL, signal: AbortSignal): Promise<Response> {
  const options = { signal, headers: { Accept: 'application/json' }, maxRedirects: MAX_REDIRECTS };
  const response = await fetchFollowing(url, options, (location, from) => {
    const next = URL.canParse(location, from.href) ? new URL(location, from) : undefined;
    if (next?.origin !== url.origin) throw new RegistryError('REDIRECT', next?.origin ?? url.origin);
    return next;
  });
  if (!response) throw new RegistryError('REDIRECT', url.origin);
  return response;
}

function parse(text: string): unknown {
  const value = shallowJson(text);
  if (value === undefined) throw new RegistryError('MALFORMED', phrase('it is not JSON'));
  return value;
}

const OFFICIAL = 'io.modelcontextprotocol.registry/official';

function pageOf(answer: unknown): RegistryPage {
  if (!isObject(answer) || !(Array.isArray(answer.servers) || answer.servers === null)) {
    throw new RegistryError('MALFORMED', phrase('it has no list of servers'));
  }
  const metadata = isObject(answer.metadata) ? answer.metadata : {};
  const cursor = metadata.nextCursor ?? metadata.next_cursor;
  const servers = Array.isArray(answer.servers) ? answer.servers : [];
  return {
    servers: servers.flatMap(item => serverOf(item) ?? []),
    cursor: typeof cursor === 'string' && cursor !== '' ? cursor : undefined,
  };
}

/** Undefined for what has no name. */
export function serverOf(item: unknown): RegistryServer | undefined {
  if (!isObject(item)) return undefined;
  const server = isObject(item.server) ? item.server : item;
  const meta = isObject(item._meta) && isObject(item._meta[OFFICIAL]) ? item._meta[OFFICIAL] : server;
  const { name, title, description, version, packages, remotes } = server;
  if (typeof name !== 'string' || name === '' || name.length > 200) return undefined;
  const status = meta.status === 'deprecated' || meta.status === 'deleted' ? meta.status : 'active';
  return {
    name,
    title: typeof title === 'string' && title !== '' ? title : undefined,
    description: typeof description === 'string' ? description : '',
    version: typeof version === 'string' ? version : '',
    status,
    packages: objectsOf(packages).slice(0, 20),
    remotes: objectsOf(remotes).slice(0, 20),
    details: detailsOf(server, item, meta),
  };
}

const MAX_ICONS = 8;
const MAX_README = 20_000;
/** The one key below which a publisher may add what they like; registries that enrich entries use it, too. */
const PROVIDED = 'io.modelcontextprotocol.registry/publisher-provided';

interface RegistryIcon {
  readonly src: string;
  readonly sizes?: readonly string[];
  readonly theme?: string;
}

/** What an entry of a registry says beside how the server is run: claims of strangers. */
interface RegistryDetails {
  readonly website?: string;
  readonly repository?: string;
  readonly icons: readonly RegistryIcon[];
  /** Milliseconds since 1970. */
  readonly publishedAt?: number;
  readonly updatedAt?: number;
  /** Of its repository on GitHub. */
  readonly stars?: number;
  /** Markdown. */
  readonly readme?: string;
}

/** Reads the details of an entry. @param meta what the registry itself says about it. */
function detailsOf(server: Json, item: Json, meta: Json): RegistryDetails {
  const github = providedBy(server) ?? providedBy(item) ?? {};
  const repository = isObject(server.repository) ? server.repository : {};
  const [website, source] = [pageAddress(server.websiteUrl), pageAddress(repository.url)];
  const [publishedAt, updatedAt] = [time(meta.publishedAt), time(meta.updatedAt)];
  const stars = github.stargazerCount ?? github.stargazer_count;
  const readme = github.readme ?? repository.readme;
  return {
    icons: objectsOf(server.icons).slice(0, MAX_ICONS).flatMap(iconOf),
    ...(website && { website }),
    ...(source && { repository: source }),
    ...(publishedAt !== undefined && { publishedAt }),
    ...(updatedAt !== undefined && { updatedAt }),
    ...(Number.isSafeInteger(stars) && Number(stars) >= 0 && { stars: Number(stars) }),
    ...(typeof readme === 'string' && readme.trim() !== '' && { readme: readme.slice(0, MAX_README) }),
  };
}

function providedBy({ _meta }: Json): Json | undefined {
  const provided = isObject(_meta) ? _meta[PROVIDED] : undefined;
  return isObject(provided) && isObject(provided.github) ? provided.github : undefined;
}

function iconOf({ src, sizes, theme }: Json): RegistryIcon[] {
  if (typeof src !== 'string') return [];
  const texts = stringsOf(sizes);
  return [{ src, ...(texts.length > 0 && { sizes: texts }), ...(typeof theme === 'string' && { theme }) }];
}

/** Only those over https are offered. */
function pageAddress(value: unknown): string | undefined {
  const url = webAddress(value);
  return url?.protocol === 'https:' ? url.href : undefined;
}

function time(value: unknown): number | undefined {
  const at = typeof value === 'string' ? Date.parse(value) : Number.NaN;
  return Number.isNaN(at) ? undefined : at;
}
