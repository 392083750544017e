import { createHash } from 'node:crypto';
import type { Prompt, Resource, ResourceTemplateType, Tool } from '@modelcontextprotocol/client';
import { type HostError, METHOD_NOT_FOUND } from '../../base/errors';
import { Emitter } from '../../base/events';
import { ownMember } from '../../base/json';
import { Coalescer } from '../../base/queue';
import type { ServerDefinition } from '../definition/definition';
import type { MemoryPort } from '../definition/ports';
import { CATALOG_KINDS, type CatalogItems, type CatalogKind } from '../reading/lists';
import { checkItem } from './catalogItems';
import type { CatalogList, CatalogSource } from './catalogPages';
import { CatalogPart } from './catalogPart';

/** The parts of a definition that decide how lists are remembered. */
type RememberedDefinition = Pick<ServerDefinition, 'fingerprint' | 'entry' | 'inputs'>;

const NOTHING: CatalogList<unknown> = { status: 'unsupported', items: [] };

/** How long after loading lists are stored, in milliseconds: at a start all four arrive one after the other. */
const KEEP_AFTER = { quietMs: 1_000, maxMs: 10_000 };

/**
 * The lists of one server: tools, prompts, resources and resource templates (spec: server/tools, /prompts, /resources). The
 * only owner of these lists; it fires `onDidChange` with the kind that changed. The last lists are remembered, and returned by
 * `list` and `known` while the server is not running.
 */
export class Catalog {
  readonly #changed = new Emitter<CatalogKind>();
  readonly onDidChange = this.#changed.event;
  readonly #parts: { readonly [K in CatalogKind]: CatalogPart<K> };
  readonly #keep = new Coalescer(() => void this.#write(), KEEP_AFTER);
  #cache: CatalogCache | undefined;
  #fingerprint: string | undefined;
  /** Whether private lists outlive the session (spec: server/utilities/caching#cache-scope-field). */
  #keepsPrivate = false;
  #isLive = false;
  #isWaiting = false;

  constructor(
    source: CatalogSource,
    private readonly memory: MemoryPort,
  ) {
    const part = <K extends CatalogKind>(kind: K) => new CatalogPart(kind, source, () => this.#onChange(kind));
    this.#parts = {
      tools: part('tools'),
      prompts: part('prompts'),
      resources: part('resources'),
      resourceTemplates: part('resourceTemplates'),
    };
  }

  /** A list for display. It may be from an earlier session, and is then marked so. */
  list<K extends CatalogKind>(kind: K): CatalogList<CatalogItems[K]> {
    return this.#parts[kind].list;
  }

  /** Resolves when the list that is being loaded has arrived or failed. */
  loaded(kind: CatalogKind): Promise<void> {
    return this.#parts[kind].loaded;
  }

  /** The current list, or while the server is not running the last one. Using an item of that requires starting the server. */
  knownItems<K extends CatalogKind>(kind: K): readonly CatalogItems[K][] {
    return this.list(kind).items;
  }

  /** Why lists of the running server are missing or out of date. A server that does not know a list has none. */
  get failures(): readonly HostError[] {
    const errors = CATALOG_KINDS.map(kind => this.list(kind).error);
    return errors.filter(error => error !== undefined && error.rpcCode !== METHOD_NOT_FOUND) as HostError[];
  }

  /** The tools that the running server lists. */
  get tools(): readonly Tool[] {
    return this.#live('tools');
  }

  /** The prompts that the running server lists. */
  get prompts(): readonly Prompt[] {
    return this.#live('prompts');
  }

  /** The resources that the running server lists, as far as they have been fetched. */
  get resources(): readonly Resource[] {
    return this.#live('resources');
  }

  /** The resource templates that the running server lists. */
  get resourceTemplates(): readonly ResourceTemplateType[] {
    return this.#live('resourceTemplates');
  }

  /**
   * Loads the last lists of the server with this fingerprint, unless the server is running before that is done. Private lists
   * are remembered only for servers without an account. Never rejects.
   */
  async remember({ fingerprint, entry, inputs }: RememberedDefinition): Promise<void> {
    if (fingerprint === this.#fingerprint) return;
    // The next sign-in or secret may be a different one, and private lists belong to it.
    this.#keepsPrivate = entry?.type === 'stdio' && !inputs;
    this.#fingerprint = fingerprint;
    const cache = new CatalogCache(this.memory, fingerprint);
    this.#cache = cache;
    if (!this.#isLive) for (const kind of CATALOG_KINDS) this.#parts[kind].forget();
    const lists = await cache.read();
    if (this.#isLive || this.#cache !== cache) return;
    const show = <K extends CatalogKind>(kind: K) => {
      const { items, more } = lists[kind] ?? {};
      if (items && this.list(kind).items.length === 0) this.#parts[kind].showCached(items, more);
    };
    CATALOG_KINDS.forEach(show);
  }

  /** Loads the lists of the given kinds now; the server does not support the others. Never rejects. */
  async loadAll(kinds: readonly CatalogKind[]): Promise<void> {
    this.#isLive = true;
    for (const kind of CATALOG_KINDS) if (!kinds.includes(kind)) this.#parts[kind].forget();
    await Promise.all(kinds.map(kind => this.load(kind)));
  }

  /** Reloads one list, as far as it had been fetched. Never rejects: a failure is the list's status. */
  load(kind: CatalogKind): Promise<void> {
    return this.#parts[kind].load();
  }

  /** Fetches more pages of a list with `more`: about as many as at first. Never rejects: a failure is its status. */
  loadMore(kind: CatalogKind): Promise<void> {
    return this.#parts[kind].loadMore();
  }

  /** Fetches all pages of a list, until `signal` is aborted. Never rejects: a failure is its status. */
  loadAllPages(kind: CatalogKind, signal?: AbortSignal): Promise<void> {
    return this.#parts[kind].loadAllPages(signal);
  }

  /**
   * Reloads a list if the lifetime that the server gave it is over (spec: server/utilities/caching), for views at most every 5
   * seconds. To be called when a view or a model needs the list; nothing does this in the background.
   */
  refreshIfStale(kind: CatalogKind, by: 'use' | 'view' = 'use'): Promise<void> {
    return this.#parts[kind].refreshIfStale(by === 'view');
  }

  /** A `…/list_changed` notification: reloads soon, once for a burst. The one for resources covers templates too. */
  listChanged(kind: 'tools' | 'prompts' | 'resources'): void {
    this.#parts[kind].invalidate();
    if (kind === 'resources') this.#parts.resourceTemplates.invalidate();
  }

  /** To be called when the server has stopped: no list is live any more. */
  clear(): void {
    if (this.#isWaiting) void this.#write();
    this.#isLive = false;
    for (const kind of CATALOG_KINDS) this.#parts[kind].clear(this.#keepsPrivate);
  }

  #live<K extends CatalogKind>(kind: K): readonly CatalogItems[K][] {
    const { items, cached } = this.list(kind);
    return cached ? [] : items;
  }

  #onChange(kind: CatalogKind): void {
    if (this.list(kind).status === 'ready') {
      this.#isWaiting = true;
      this.#keep.trigger();
    }
    this.#changed.fire(kind);
  }

  async #write(): Promise<void> {
    this.#keep.cancel();
    this.#isWaiting = false;
    await this.#cache?.write(kind => {
      const list = this.list(kind);
      return list.isPrivate && !this.#keepsPrivate ? NOTHING : list;
    });
  }
}

interface CachedList<T> {
  readonly items: readonly T[];
  readonly more?: true;
}

type CachedLists = { readonly [K in CatalogKind]?: CachedList<CatalogItems[K]> };

/** The most characters of JSON that are remembered of a catalog. Resources come last, so they are what is left out. */
const MAX_LENGTH = 2 * 1024 * 1024;
const KINDS: readonly CatalogKind[] = ['tools', 'prompts', 'resourceTemplates', 'resources'];

/** Remembers what a server listed, so that it can be shown before the server is up. Contains nothing else. */
class CatalogCache {
  /** Digest of what was written last, because most loads bring nothing new. */
  #written: string | undefined;

  constructor(
    private readonly memory: MemoryPort,
    private readonly fingerprint: string,
  ) {}

  /** Checked like an answer from the server, because a file can contain anything. Never rejects. */
  async read(): Promise<CachedLists> {
    const kept = await this.memory.read(this.#key);
    const lists = CATALOG_KINDS.flatMap(kind => {
      const { items, more } = Object(ownMember(kept, kind)) as Record<string, unknown>;
      if (!Array.isArray(items)) return [];
      const good = items.flatMap(item => checkItem(kind, item).item ?? []);
      return good.length === 0 ? [] : [[kind, { items: good, ...(more === true && { more }) }] as const];
    });
    return Object.fromEntries(lists) as CachedLists;
  }

  async write(list: (kind: CatalogKind) => CatalogList<unknown>): Promise<void> {
    let room = MAX_LENGTH;
    const kept: Record<string, CachedList<unknown>> = {};
    const hash = createHash('sha256');
    for (const kind of KINDS) {
      const { items, more } = list(kind);
      const fitting: unknown[] = [];
      for (const item of items) {
        const text = JSON.stringify(item);
        room -= text.length;
        if (room < 0) break;
        fitting.push(item);
        hash.update(text);
      }
      const isCut = more ?? (fitting.length < items.length ? true : undefined);
      hash.update(`${kind} ${fitting.length} ${isCut}`);
      if (fitting.length > 0) kept[kind] = { items: fitting, ...(isCut && { more: isCut }) };
    }
    const digest = hash.digest('base64');
    if (digest === this.#written) return;
    this.#written = digest;
    await this.memory.write(this.#key, kept);
  }

  get #key(): string {
    return `catalog/${this.fingerprint}`;
  }
}
