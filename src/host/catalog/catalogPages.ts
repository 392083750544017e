import type { Client, RequestOptions } from '@modelcontextprotocol/client';
import { type Phrase, phrase } from '../../base/phrase';
import { listResult, typeName } from '../sdk/listResults';
import { checkItems, type ItemSink, mirrorsParameters } from './catalogItems';
import type { CatalogKind, CatalogList, ExcludedItem } from './catalogList';

/** What the catalog needs of its connection. */
export interface CatalogSource {
  /** Runs a request with the connection's limits; its errors are `HostError`s. */
  request<T>(
    action: Phrase,
    send: (client: Client, options: RequestOptions) => Promise<T>,
    options?: { signal?: AbortSignal | undefined },
  ): Promise<T>;
  /** Whether the server says when a list of this kind has changed. */
  announces(kind: CatalogKind): boolean;
}

/** A server that pages for ever is stopped here. */
const MAX_PAGES = 2_000;
const MAX_ITEMS = 200_000;
/** So many items that were left out are told one by one. */
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

/**
 * A list of a server, fetched page by page with explicit cursors (spec: server/utilities/pagination): the SDK's own walk
 * ends at 64 pages and fetches all of them.
 */
export class PagedList {
  /** Grows with every page. Copy it to give it away. */
  readonly #items: unknown[] = [];
  readonly #excluded: ExcludedItem[] = [];
  readonly #names = new Set<string>();
  readonly #cursors = new Set<string>();
  #excludedMore = 0;
  #pages = 0;
  #cursor: string | undefined;
  #cut: CatalogList<unknown>['cut'];
  #ended = false;
  #freshUntil: number | undefined;
  #snapshot: Omit<CatalogList<unknown>, 'status'> | undefined;

  constructor(
    private readonly kind: CatalogKind,
    private readonly source: CatalogSource,
  ) {}

  get pages(): number {
    return this.#pages;
  }

  get size(): number {
    return this.#items.length;
  }

  /** Whether there is a further page, or none was asked for yet. */
  get more(): boolean {
    return !this.#ended;
  }

  /**
   * When the first of its pages is stale, in milliseconds since 1970; undefined when the server gave no time (spec:
   * server/utilities/caching).
   */
  get freshUntil(): number | undefined {
    return this.#freshUntil;
  }

  /** What is there so far: the same until there is another page, so that views see that nothing is new. */
  snapshot(): Omit<CatalogList<unknown>, 'status'> {
    this.#snapshot ??= {
      items: this.#items.slice(),
      ...(!this.#ended && { more: true }),
      ...(this.#cut && { cut: this.#cut }),
      ...(this.#excluded.length > 0 && { excluded: this.#excluded.slice() }),
      ...(this.#excludedMore > 0 && { excludedMore: this.#excludedMore }),
    };
    return this.#snapshot;
  }

  /** Fetches one more page. Rejects with a `HostError`; the same page may then be asked for again. */
  async next(signal?: AbortSignal): Promise<void> {
    const params = this.#cursor === undefined ? {} : { cursor: this.#cursor };
    let mirrors = false;
    const page = await this.source.request(
      LIST_ACTIONS[this.kind],
      (client, options) => {
        mirrors = mirrorsParameters(client);
        return client.request({ method: METHODS[this.kind], params }, listResult(this.kind), options);
      },
      { signal },
    );
    const sink: ItemSink = {
      take: item => this.#items.push(item),
      leaveOut: (name, reason) => this.#leaveOut(name, reason),
    };
    const room = MAX_ITEMS - this.#items.length;
    const items = page.items.length > room ? page.items.slice(0, room) : page.items;
    await checkItems(this.kind, items, this.#names, mirrors, sink);
    this.#snapshot = undefined;
    this.#pages++;
    this.#follow(page.nextCursor);
    if (items !== page.items || (!this.#ended && this.#items.length >= MAX_ITEMS)) this.#end('items', MAX_ITEMS);
    else if (!this.#ended && this.#pages >= MAX_PAGES) this.#end('pages', MAX_PAGES);
    if (typeof page.ttlMs === 'number') this.#keepFresh(page.ttlMs);
  }

  #follow(cursor: unknown): void {
    if (typeof cursor !== 'string') {
      if (cursor !== undefined && cursor !== null) {
        this.#leaveOut('', phrase('the cursor of the next page is {0} and not a string', typeName(cursor)));
      }
      this.#ended = true;
      return;
    }
    // Some servers answer their last cursor again, for ever.
    this.#ended = this.#cursors.has(cursor);
    this.#cursors.add(cursor);
    this.#cursor = cursor;
  }

  #end(unit: 'items' | 'pages', after: number): void {
    this.#ended = true;
    this.#cut = { unit, after };
  }

  #keepFresh(ttlMs: number): void {
    // Nothing but a promise counts: a server that announces changes need not give one.
    if (!(ttlMs > 0) && this.source.announces(this.kind)) return;
    const until = Date.now() + Math.max(0, ttlMs);
    this.#freshUntil = Math.min(this.#freshUntil ?? Number.POSITIVE_INFINITY, until);
  }

  #leaveOut(name: string, reason: Phrase | string): void {
    if (this.#excluded.length < MAX_EXCLUDED) this.#excluded.push({ name, reason });
    else this.#excludedMore++;
  }
}
