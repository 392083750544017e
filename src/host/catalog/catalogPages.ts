import type { Client, RequestOptions } from '@modelcontextprotocol/client';
import type { HostError } from '../../base/errors';
import { INVALID_PARAMS, METHOD_NOT_FOUND } from '../../base/errors';
import { lengthOf } from '../../base/json';
import { type Phrase, phrase } from '../../base/phrase';
import { Turns } from '../../base/turns';
import { typeName } from '../reading/carried';
import { type CatalogKind, listResult, MAX_LIST_LENGTH } from '../reading/lists';
import type { MethodNote } from '../sdk/peerReader';
import { judge, mirrorsParameters, nameOf } from './catalogItems';

/** An item that the server lists and that can't be used. */
export interface ExcludedItem {
  /** The server's text, of any length; empty when the item has no name. */
  readonly name: string;
  /** Worded to complete "it was left out: ". May quote the server. */
  readonly reason: Phrase | string;
}

/** Something wrong with an item that is offered nevertheless. */
interface ItemMistake {
  readonly name: string;
  /** Worded to complete "it has a mistake: ". */
  readonly reason: Phrase;
}

/** One list of the catalog. The last good items stay while a new list is loaded, and when that fails. */
export interface CatalogList<T> {
  /** `cached`: the server is not up, and `items` are what it listed last. */
  readonly status: 'unsupported' | 'loading' | 'ready' | 'failed' | 'cached';
  readonly items: readonly T[];
  /** `items` are from an earlier session, until the server has listed them again. They may be shown, but never called. */
  readonly cached?: true;
  /** Set if the server has more pages that have not been requested. */
  readonly more?: true;
  /** The server listed more than is kept; or its pages lead back to an earlier one (`circle`) after so many items. */
  readonly cut?: { readonly after: number; readonly unit: 'items' | 'pages' | 'circle' };
  /** Whether the list belongs to the signed-in account or to the credentials of the request, and to no one else. */
  readonly isPrivate?: true;
  /** Set when some items were left out. */
  readonly excluded?: readonly ExcludedItem[];
  /** Set when some items have mistakes; not more than a hundred. */
  readonly mistakes?: readonly ItemMistake[];
  /** How many more than those in `excluded` were left out. */
  readonly excludedMore?: number;
  /** Set while `failed`. */
  readonly error?: HostError;
}

/** The parts of its connection that the catalog needs. */
export interface CatalogSource {
  /** Runs a request within the connection's limits. Rejects with a `HostError`. */
  request<T>(
    action: Phrase,
    send: (client: Client, options: RequestOptions) => Promise<T>,
    options?: { signal?: AbortSignal | undefined },
  ): Promise<T>;
  announces(kind: CatalogKind): boolean;
  /** Called with the place of an optional part that was left out of an item of a list. */
  readonly leftOut: MethodNote;
}

/** How long items are checked before yielding to other work, in milliseconds. */
const TURN_MS = 10;
/** A server that pages forever is stopped here. */
const MAX_PAGES = 2_000;
const MAX_ITEMS = 200_000;
/** How often a list is begun anew because one of its cursors is not valid any more. */
const MAX_RESTARTS = 2;
/** How many of the items left out, and of those with mistakes, are reported one by one. */
const MAX_EXCLUDED = 100;

const METHODS = {
  tools: 'tools/list',
  prompts: 'prompts/list',
  resources: 'resources/list',
  resourceTemplates: 'resources/templates/list',
} as const;

const LIST_ACTIONS: Readonly<Record<CatalogKind, Phrase>> = {
  tools: phrase('list its tools'),
  prompts: phrase('list its prompts'),
  resources: phrase('list its resources'),
  resourceTemplates: phrase('list its resource templates'),
};

/** The pages of a list so far. */
const nothing = () => ({
  /** Grows with every page. Copy it before handing it out. */
  items: [] as unknown[],
  excluded: [] as ExcludedItem[],
  excludedMore: 0,
  mistakes: [] as ItemMistake[],
  names: new Set<string>(),
  cursors: new Set<string>(),
  cursor: undefined as string | undefined,
  pages: 0,
  length: 0,
  /** The items of the latest page, as they came. */
  latest: [] as readonly unknown[],
  cut: undefined as CatalogList<unknown>['cut'],
  ended: false,
  isPrivate: false,
  freshUntil: undefined as number | undefined,
});

/** A list of a server, page by page (spec: server/utilities/pagination): the SDK's own paging stops at 64 pages. */
export class PagedList {
  #fetched = nothing();
  #snapshot: Omit<CatalogList<unknown>, 'status'> | undefined;

  constructor(
    private readonly kind: CatalogKind,
    private readonly source: CatalogSource,
    private readonly restarts = MAX_RESTARTS,
  ) {}

  get pages(): number {
    return this.#fetched.pages;
  }

  get size(): number {
    return this.#fetched.items.length;
  }

  /** Of its pages so far, in characters. */
  get length(): number {
    return this.#fetched.length;
  }

  /** Whether there is another page, or none has been requested yet. */
  get more(): boolean {
    return !this.#fetched.ended;
  }

  /**
   * When the first of its pages becomes stale, in milliseconds since 1970; undefined if the server gave no lifetime (spec:
   * server/utilities/caching).
   */
  get freshUntil(): number | undefined {
    return this.#fetched.freshUntil;
  }

  /** The pages fetched so far. The same object until there is another page, so that views can detect that nothing is new. */
  snapshot(): Omit<CatalogList<unknown>, 'status'> {
    const { items, ended, cut, isPrivate, excluded, excludedMore, mistakes } = this.#fetched;
    this.#snapshot ??= {
      items: items.slice(),
      ...(!ended && { more: true }),
      ...(cut && { cut }),
      ...(isPrivate && { isPrivate }),
      ...(excluded.length > 0 && { excluded: excluded.slice() }),
      ...(mistakes.length > 0 && { mistakes: mistakes.slice() }),
      ...(excludedMore > 0 && { excludedMore }),
    };
    return this.#snapshot;
  }

  /**
   * Fetches one more page. Rejects with a `HostError`; the same page can then be requested again. If the server takes its
   * cursor for invalid, all pages so far are fetched again and one more (spec: server/utilities/caching).
   */
  async next(signal?: AbortSignal): Promise<void> {
    try {
      await this.#next(signal);
    } catch (error) {
      const { rpcCode } = error as HostError;
      // No capability tells of templates: servers without any need not know the method.
      if (this.kind === 'resourceTemplates' && rpcCode === METHOD_NOT_FOUND) {
        [this.#fetched.ended, this.#snapshot] = [true, undefined];
        return;
      }
      const isInvalid = rpcCode === INVALID_PARAMS && this.#fetched.cursor !== undefined;
      if (!isInvalid || this.restarts === 0) throw error;
      const anew = new PagedList(this.kind, this.source, this.restarts - 1);
      while (anew.more && anew.pages <= this.#fetched.pages) await anew.next(signal);
      [this.#fetched, this.#snapshot] = [anew.#fetched, undefined];
    }
  }

  async #next(signal: AbortSignal | undefined): Promise<void> {
    const params = this.#fetched.cursor === undefined ? {} : { cursor: this.#fetched.cursor };
    let mirrors = false;
    const page = await this.source.request(
      LIST_ACTIONS[this.kind],
      (client, options) => {
        mirrors = mirrorsParameters(client);
        return client.request({ method: METHODS[this.kind], params }, listResult(this.kind), options);
      },
      { signal },
    );
    // Some servers send a cursor with their only page, and that page again for it.
    if (this.#fetched.cursors.has(page.nextCursor as string) && isSame(page.items, this.#fetched.latest)) {
      [this.#fetched.ended, this.#snapshot] = [true, undefined];
      return;
    }
    this.#fetched.length += lengthOf([page.items, page.nextCursor]);
    if (this.#fetched.length > MAX_LIST_LENGTH) {
      this.#end('items', this.#fetched.items.length);
      this.#snapshot = undefined;
      return;
    }
    this.#fetched.latest = page.items;
    const room = MAX_ITEMS - this.#fetched.items.length;
    const items = page.items.length > room ? page.items.slice(0, room) : page.items;
    await this.#take(items, mirrors);
    this.#snapshot = undefined;
    this.#fetched.pages++;
    this.#follow(page.nextCursor);
    if (items !== page.items || (!this.#fetched.ended && this.#fetched.items.length >= MAX_ITEMS))
      this.#end('items', MAX_ITEMS);
    else if (!this.#fetched.ended && this.#fetched.pages >= MAX_PAGES) this.#end('pages', MAX_PAGES);
    this.#fetched.isPrivate ||= page.cacheScope !== undefined && page.cacheScope !== 'public';
    if (typeof page.ttlMs === 'number') this.#keepFresh(page.ttlMs);
  }

  /** Takes the good items; the others are left out, each with the reason. */
  async #take(items: readonly unknown[], mirrors: boolean): Promise<void> {
    const { kind } = this;
    const { names, mistakes } = this.#fetched;
    const turns = new Turns(TURN_MS);
    for (const item of items) {
      if (turns.isOver) await turns.next();
      const { item: good, problem, mistake, notes = [] } = judge({ kind, names, mirrors }, item);
      for (const [place, how] of notes) this.source.leftOut(METHODS[kind], `${kind}[].${place}`, how);
      if (problem !== undefined) {
        this.#leaveOut(nameOf(item), problem);
        continue;
      }
      this.#fetched.items.push(good);
      if (mistake && mistakes.length < MAX_EXCLUDED) mistakes.push({ name: nameOf(item), reason: mistake });
    }
  }

  #follow(cursor: unknown): void {
    if (typeof cursor !== 'string') {
      if (cursor !== undefined && cursor !== null) {
        this.#leaveOut('', phrase('the cursor of the next page is {0}, not a string', typeName(cursor)));
      }
      this.#fetched.ended = true;
      return;
    }
    // Some servers return their last cursor over and over.
    if (this.#fetched.cursors.has(cursor)) this.#end('circle', this.#fetched.items.length);
    this.#fetched.cursors.add(cursor);
    this.#fetched.cursor = cursor;
  }

  #end(unit: NonNullable<CatalogList<unknown>['cut']>['unit'], after: number): void {
    this.#fetched.ended = true;
    this.#fetched.cut = { unit, after };
  }

  #keepFresh(ttlMs: number): void {
    // Only an explicit lifetime counts: a server that announces changes need not give one.
    if (!(ttlMs > 0) && this.source.announces(this.kind)) return;
    const until = Date.now() + Math.max(0, ttlMs);
    this.#fetched.freshUntil = Math.min(this.#fetched.freshUntil ?? Number.POSITIVE_INFINITY, until);
  }

  #leaveOut(name: string, reason: Phrase | string): void {
    if (this.#fetched.excluded.length < MAX_EXCLUDED) this.#fetched.excluded.push({ name, reason });
    else this.#fetched.excludedMore++;
  }
}

/** Whether two lists are the same, also to whoever reads them as JSON. */
export const isSame = (one: readonly unknown[], other: readonly unknown[]): boolean =>
  one.length === other.length && JSON.stringify(one) === JSON.stringify(other);
