import type { Disposable } from '../../../base/events';
import type { RegistryClient, RegistryError, RegistryServer } from './registryClient';

const QUIET_MS = 300;
export const MAX_QUERY = 200;
/** Servers shown for one query. */
export const MAX_FOUND = 300;
const MAX_KEPT = 50;
const KEPT_MS = 5 * 60_000;

/** Orders of the servers that were loaded; a registry has its own, and sorts by nothing else. */
export const ORDERS = ['registry', 'stars', 'updated', 'name'] as const;
export type GalleryOrder = (typeof ORDERS)[number];

/** Servers in an order. What does not say by what it would be sorted comes last. */
export function inOrder(servers: readonly RegistryServer[], order: GalleryOrder): readonly RegistryServer[] {
  const nameOf = ({ title, name }: RegistryServer) => title ?? name.split('/').at(-1) ?? name;
  const numberOf = ({ details }: RegistryServer) =>
    (order === 'stars' ? details?.stars : (details?.updatedAt ?? details?.publishedAt)) ?? -1;
  if (order === 'registry') return servers;
  if (order === 'name') return servers.toSorted((a, b) => nameOf(a).localeCompare(nameOf(b)));
  return servers.toSorted((a, b) => numberOf(b) - numberOf(a));
}

type Registry = Pick<RegistryClient, 'search'>;
type Page = Awaited<ReturnType<Registry['search']>>;

/** What a search has found so far. */
export interface GalleryResults {
  readonly query: string;
  /** Of an earlier query as long as there is no answer. */
  readonly servers: readonly RegistryServer[];
  readonly isBusy: boolean;
  /** Whether the registry has more that may be loaded. */
  readonly hasMore: boolean;
  /** Why the registry could not be asked. */
  readonly error: RegistryError | undefined;
}

/**
 * A search as it is typed: the registry is asked once typing pauses, for one query at a time. Answers are kept for some minutes.
 * Nothing is asked before `ask`.
 */
export class GallerySearch implements Disposable {
  #found: GalleryResults = { query: '', servers: [], isBusy: false, hasMore: false, error: undefined };
  #cursor: string | undefined;
  /** The next request, or the last. */
  #asked = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  /** By query and cursor, the oldest first. */
  readonly #pages = new Map<string, { readonly page: Page; readonly at: number }>();

  constructor(
    private readonly registry: Registry,
    private readonly changed: () => void,
    private readonly quietMs = QUIET_MS,
  ) {}

  get found(): GalleryResults {
    return this.#found;
  }

  /** Searches when no more is typed for a moment; at once if the answer is known. */
  type(text: string): void {
    const query = text.trim().slice(0, MAX_QUERY);
    if (query === this.#found.query && !this.#found.error) return;
    this.#cancel();
    this.#set({ query, isBusy: true, hasMore: false, error: undefined });
    if (this.#kept(query, undefined)) void this.ask();
    else this.#timer = setTimeout(() => void this.ask(), this.quietMs);
  }

  /** Searches now: at first, and again after an error. */
  ask(): Promise<void> {
    return this.#load([], undefined);
  }

  /** Loads the next page. */
  async more(): Promise<void> {
    const { servers, hasMore, isBusy } = this.#found;
    if (hasMore && !isBusy) await this.#load(servers, this.#cursor);
  }

  /** Does again what failed. */
  async again(): Promise<void> {
    const { servers, error } = this.#found;
    if (error) await this.#load(this.#cursor === undefined ? [] : servers, this.#cursor);
  }

  dispose(): void {
    this.#cancel();
  }

  #cancel(): void {
    clearTimeout(this.#timer);
    this.#asked.abort();
  }

  async #load(before: readonly RegistryServer[], cursor: string | undefined): Promise<void> {
    this.#cancel();
    this.#asked = new AbortController();
    const { signal } = this.#asked;
    const { query } = this.#found;
    this.#cursor = cursor;
    this.#set({ isBusy: true, error: undefined });
    try {
      const page = this.#kept(query, cursor) ?? (await this.registry.search(query, cursor, signal));
      if (signal.aborted) return;
      this.#keep(query, cursor, page);
      const known = new Set(before.map(({ name }) => name));
      const news = page.servers.filter(({ name, status }) => {
        const isNew = status !== 'deleted' && !known.has(name);
        known.add(name);
        return isNew;
      });
      const servers = [...before, ...news].slice(0, MAX_FOUND);
      // A page without anything new would lead to itself for ever.
      const hasMore =
        page.cursor !== undefined && page.cursor !== cursor && news.length > 0 && servers.length < MAX_FOUND;
      this.#cursor = hasMore ? page.cursor : undefined;
      this.#set({ servers, hasMore, isBusy: false });
    } catch (error) {
      if (!signal.aborted) this.#set({ servers: before, hasMore: false, isBusy: false, error: error as RegistryError });
    }
  }

  #kept(query: string, cursor: string | undefined): Page | undefined {
    const kept = this.#pages.get(keyOf(query, cursor));
    return kept && Date.now() - kept.at < KEPT_MS ? kept.page : undefined;
  }

  #keep(query: string, cursor: string | undefined, page: Page): void {
    if (this.#kept(query, cursor)) return;
    this.#pages.delete(keyOf(query, cursor));
    this.#pages.set(keyOf(query, cursor), { page, at: Date.now() });
    const [oldest] = this.#pages.keys();
    if (this.#pages.size > MAX_KEPT && oldest !== undefined) this.#pages.delete(oldest);
  }

  #set(change: Partial<GalleryResults>): void {
    this.#found = { ...this.#found, ...change };
    this.changed();
  }
}

const keyOf = (query: string, cursor = '') => JSON.stringify([query, cursor]);
