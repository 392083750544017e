import { isObject } from '../../../base/json';
import { parseUrl } from '../../../base/text';
import type { Json } from './serverDraft';

const MAX_ICONS = 8;
const MAX_README = 20_000;
const MAX_URL = 1_000;
/** The one key below which a publisher may add what they like; registries that enrich entries use it, too. */
const PROVIDED = 'io.modelcontextprotocol.registry/publisher-provided';

/** An icon of a `server.json`. */
export interface RegistryIcon {
  readonly src: string;
  readonly sizes?: readonly string[];
  readonly theme?: string;
}

/** What an entry of a registry says beside how the server is run: claims of strangers. */
export interface RegistryDetails {
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
export function detailsOf(server: Json, item: Json, meta: Json): RegistryDetails {
  const github = providedBy(server) ?? providedBy(item) ?? {};
  const repository = isObject(server.repository) ? server.repository : {};
  const [website, source] = [webAddress(server.websiteUrl), webAddress(repository.url)];
  const [publishedAt, updatedAt] = [time(meta.publishedAt), time(meta.updatedAt)];
  const stars = github.stargazerCount ?? github.stargazer_count;
  const readme = github.readme ?? repository.readme;
  return {
    icons: Array.isArray(server.icons) ? server.icons.filter(isObject).slice(0, MAX_ICONS).flatMap(iconOf) : [],
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
  const texts = Array.isArray(sizes) ? sizes.filter(size => typeof size === 'string') : [];
  return [{ src, ...(texts.length > 0 && { sizes: texts }), ...(typeof theme === 'string' && { theme }) }];
}

/** An address of a page: https without a user name, else it is not offered. */
function webAddress(value: unknown): string | undefined {
  if (typeof value !== 'string' || value.length > MAX_URL) return undefined;
  const url = parseUrl(value);
  return url?.protocol === 'https:' && !url.username && !url.password ? url.href : undefined;
}

function time(value: unknown): number | undefined {
  const at = typeof value === 'string' ? Date.parse(value) : Number.NaN;
  return Number.isNaN(at) ? undefined : at;
}
