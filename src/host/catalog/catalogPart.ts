import type { HostError } from '../../base/errors';
import { Coalescer, Queue } from '../../base/queue';
import type { CatalogItems, CatalogKind } from '../reading/lists';
import { type CatalogList, type CatalogSource, isSame, PagedList } from './catalogPages';

const LIST_CHANGED_QUIET_MS = 300;
const LIST_CHANGED_MAX_MS = 2_000;
/** After so many announced changes that were none, a list is asked for less and less often. */
const MAX_UNCHANGED = 3;
const MAX_PAUSE_MS = 60_000;
/** A list of megabytes is asked for less often: reading it takes a tenth of that time. */
const CHARACTERS_PER_MS = 4_000;

/** How much of a long list is fetched at once: whichever limit is reached first. */
const STEP = { items: 1_000, pages: 10 };
/** How often the list is published while many pages are being fetched, in milliseconds. */
const SHOW_EVERY_MS = 400;
/** A loaded list serves all requests of this many milliseconds, even with `ttlMs: 0`: they belong to one burst. */
export const BURST_MS = 300;
/** A loaded list serves views for this many milliseconds: they are drawn again and again, also because a list was loaded. */
const DRAWN_MS = 5_000;

const unsupported = { status: 'unsupported', items: [] } as const;

/**
 * One list of the catalog, across the sessions of a connection. Each load has a generation, so that a late answer to an
 * older load never overwrites a newer one. Resources are fetched as far as someone wants to see them, all other lists
 * completely.
 */
export class CatalogPart<K extends CatalogKind> {
  #list: CatalogList<CatalogItems[K]> = unsupported;
  /** The pages of a live list, as far as they have been fetched. */
  #pages: PagedList | undefined;
  #generation = 0;
  #loading: Promise<void> = Promise.resolve();
  /** Pages are fetched one after another, no matter who requests them. */
  readonly #walks = new Queue();
  /** Milliseconds since 1970. */
  #loadedAt = 0;
  #shownAt = 0;
  /** How often in a row the server said that the list had changed when it had not. */
  #unchanged = 0;
  #pause: NodeJS.Timeout | undefined;
  readonly #coalescer = new Coalescer(() => void this.#reload(), {
    quietMs: LIST_CHANGED_QUIET_MS,
    maxMs: LIST_CHANGED_MAX_MS,
  });

  constructor(
    private readonly kind: K,
    private readonly source: CatalogSource,
    private readonly changed: () => void,
  ) {}

  get list(): CatalogList<CatalogItems[K]> {
    return this.#list;
  }

  /** Reloads the list, as far as it had been fetched. Never rejects: a failure is the list's status. */
  load(): Promise<void> {
    this.#loading = this.#load(++this.#generation);
    return this.#loading;
  }

  /** Resolves when the newest load has ended, successfully or not. */
  get loaded(): Promise<void> {
    return this.#loading;
  }

  /** Loads soon, once for a burst of calls. */
  invalidate(): void {
    const ask = () => {
      this.#pause = undefined;
      this.#coalescer.trigger();
    };
    const times = this.#unchanged - MAX_UNCHANGED;
    const inVainMs = times < 0 ? 0 : Math.min(MAX_PAUSE_MS, LIST_CHANGED_MAX_MS * 2 ** times);
    const pauseMs = Math.max(inVainMs, (this.#pages?.length ?? 0) / CHARACTERS_PER_MS);
    if (pauseMs < LIST_CHANGED_QUIET_MS) ask();
    else this.#pause ??= setTimeout(ask, pauseMs).unref();
  }

  /** Loads because the server says that the list has changed. */
  async #reload(): Promise<void> {
    const { items } = this.#list;
    await this.load();
    if (this.#list.status === 'ready') this.#unchanged = isSame(items, this.#list.items) ? this.#unchanged + 1 : 0;
  }

  /** Reloads if the lifetime that the server gave is over (spec: server/utilities/caching). */
  async refreshIfStale(isDrawn: boolean): Promise<void> {
    const { freshUntil } = this.#pages ?? {};
    const now = Date.now();
    if (this.#list.status !== 'ready' || freshUntil === undefined) return;
    if (now >= freshUntil && now >= this.#loadedAt + (isDrawn ? DRAWN_MS : BURST_MS)) await this.load();
  }

  /** Fetches more pages: about as many as at first. Never rejects: a failure is the list's status. */
  loadMore(): Promise<void> {
    let goal: ReturnType<typeof goalAfter> | undefined;
    return this.#walk(pages => {
      goal ??= goalAfter(pages);
      return goal(pages);
    });
  }

  /** Fetches all pages, until `signal` is aborted. Never rejects: a failure is the list's status. */
  loadAllPages(signal?: AbortSignal): Promise<void> {
    return this.#walk(() => false, signal);
  }

  /** The session is over: what it listed is kept for showing, but not what is private unless `keepsPrivate`. */
  clear(keepsPrivate: boolean): void {
    this.#reset();
    const { items, more, isPrivate } = this.#list;
    this.showCached(isPrivate && !keepsPrivate ? [] : items, more);
  }

  /** Shows what was listed in an earlier session. */
  showCached(items: readonly CatalogItems[K][], more: true | undefined): void {
    this.#set(items.length === 0 ? unsupported : { status: 'cached', items, cached: true, ...(more && { more }) });
  }

  /** The server has no such list. */
  forget(): void {
    this.#reset();
    this.#set(unsupported);
  }

  async #load(generation: number): Promise<void> {
    const isEnough = this.kind === 'resources' ? goalAfter() : () => false;
    const before = this.#pages?.pages ?? 0;
    const pages = new PagedList(this.kind, this.source);
    const { error: _, ...list } = this.#list;
    this.#set({ ...list, status: 'loading' });
    try {
      while (pages.more && (pages.pages < before || !isEnough(pages))) {
        await pages.next();
        if (generation !== this.#generation) return;
        // The first rows are shown at once, but rows that are already shown do not disappear meanwhile.
        if (this.kind === 'resources' && !this.#pages && pages.pages === 1) this.#show(pages, 'loading');
      }
    } catch (error) {
      if (generation !== this.#generation) return;
      // "Load more" continues from what was shown of the first load.
      if (this.kind === 'resources' && pages.pages > 0) this.#pages ??= pages;
      this.#fail(error, this.#pages === pages ? pages : undefined);
      return;
    }
    this.#pages = pages;
    this.#loadedAt = Date.now();
    this.#show(pages, 'ready');
  }

  #walk(isEnough: (pages: PagedList) => boolean, signal?: AbortSignal): Promise<void> {
    return this.#walks.run(async () => {
      while (await this.#step(isEnough, signal));
    });
  }

  /** @returns whether to go on */
  async #step(isEnough: (pages: PagedList) => boolean, signal?: AbortSignal): Promise<boolean> {
    await this.#loading;
    const pages = this.#pages;
    if (!pages) return false;
    if (!pages.more || isEnough(pages) || signal?.aborted) {
      if (this.#list.status === 'loading') this.#show(pages, 'ready');
      return false;
    }
    const generation = this.#generation;
    if (this.#list.status !== 'loading') this.#show(pages, 'loading');
    try {
      await pages.next(signal);
    } catch (error) {
      if (generation === this.#generation && !signal?.aborted) {
        this.#fail(error, pages);
        return false;
      }
    }
    const isShown = performance.now() < this.#shownAt + SHOW_EVERY_MS;
    if (generation === this.#generation && !isShown) this.#show(pages, 'loading');
    return true;
  }

  #show(pages: PagedList, status: 'loading' | 'ready'): void {
    this.#shownAt = performance.now();
    this.#set({ status, ...this.#snapshot(pages) });
  }

  /** @param pages fetched nevertheless; otherwise the list is unchanged. */
  #fail(error: unknown, pages?: PagedList): void {
    const list = pages ? this.#snapshot(pages) : this.#list;
    this.#set({ ...list, status: 'failed', error: error as HostError });
  }

  #snapshot(pages: PagedList): Omit<CatalogList<CatalogItems[K]>, 'status'> {
    return pages.snapshot() as Omit<CatalogList<CatalogItems[K]>, 'status'>;
  }

  #reset(): void {
    this.#generation++;
    this.#coalescer.cancel();
    clearTimeout(this.#pause);
    this.#pause = undefined;
    this.#unchanged = 0;
    this.#pages = undefined;
  }

  #set(list: CatalogList<CatalogItems[K]>): void {
    if (list === this.#list) return;
    this.#list = list;
    this.changed();
  }
}

/** True once one step more than now has been fetched. */
function goalAfter(now?: PagedList): (pages: PagedList) => boolean {
  const { size = 0, pages: count = 0 } = now ?? {};
  return pages => pages.size >= size + STEP.items || pages.pages >= count + STEP.pages;
}
