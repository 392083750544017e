import type { Disposable } from '../../../base/events';
import { count, type MessageOf, messageReader, oneOf, text } from '../../../base/messageReader';
import { normalized } from '../../../base/normalized';
import type { RegistryClient, RegistryError, RegistryServer } from './registryClient';
import type { Block } from './registryText';

const QUIET_MS = 300;
export const MAX_QUERY = 200;
export const MAX_FOUND = 300;

/** Orders of the servers that were loaded; a registry has its own, and sorts by nothing else. */
export const ORDERS = ['registry', 'stars', 'updated', 'name'] as const;
export type GalleryOrder = (typeof ORDERS)[number];

/** Servers in an order. What does not say by what it would be sorted comes last. */
export function inOrder(servers: readonly RegistryServer[], order: GalleryOrder): readonly RegistryServer[] {
  const nameOf = ({ title, name }: RegistryServer) => normalized(title ?? name.split('/').at(-1) ?? name);
  const numberOf = ({ details }: RegistryServer) =>
    (order === 'stars' ? details?.stars : (details?.updatedAt ?? details?.publishedAt)) ?? -1;
  if (order === 'registry') return servers;
  if (order === 'name') return servers.toSorted((a, b) => nameOf(a).localeCompare(nameOf(b)));
  return servers.toSorted((a, b) => numberOf(b) - numberOf(a));
}

type Registry = Pick<RegistryClient, 'search'>;

export interface GalleryResults {
  readonly query: string;
  /** Of an earlier query as long as there is no answer. */
  readonly servers: readonly RegistryServer[];
  readonly isBusy: boolean;
  readonly hasMore: boolean;
  readonly error: RegistryError | undefined;
}

export const NOTHING_FOUND: GalleryResults = {
  query: '',
  servers: [],
  isBusy: false,
  hasMore: false,
  error: undefined,
};

/** A search as it is typed: the registry is asked once typing pauses, for one query at a time, from `ask` on. */
export class GallerySearch implements Disposable {
  #found = NOTHING_FOUND;
  #cursor: string | undefined;
  /** The next request, or the last. */
  #request = new AbortController();
  #timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly registry: Registry,
    private readonly changed: () => void,
    private readonly quietMs = QUIET_MS,
  ) {}

  get results(): GalleryResults {
    return this.#found;
  }

  /** Searches when no more is typed for a moment. */
  type(text: string): void {
    const query = text.trim().slice(0, MAX_QUERY);
    if (query === this.#found.query && !this.#found.error) return;
    this.#cancel();
    this.#set({ query, isBusy: true, hasMore: false, error: undefined });
    this.#timer = setTimeout(() => void this.ask(), this.quietMs);
  }

  ask(query = this.#found.query): Promise<void> {
    this.#found = { ...this.#found, query };
    return this.#load([], undefined);
  }

  async more(): Promise<void> {
    const { servers, hasMore, isBusy } = this.#found;
    if (hasMore && !isBusy) await this.#load(servers, this.#cursor);
  }

  async again(): Promise<void> {
    const { servers, error } = this.#found;
    if (error) await this.#load(this.#cursor === undefined ? [] : servers, this.#cursor);
  }

  dispose(): void {
    this.#cancel();
  }

  #cancel(): void {
    clearTimeout(this.#timer);
    this.#request.abort();
  }

  async #load(before: readonly RegistryServer[], cursor: string | undefined): Promise<void> {
    this.#cancel();
    this.#request = new AbortController();
    const { signal } = this.#request;
    const { query } = this.#found;
    this.#cursor = cursor;
    this.#set({ isBusy: true, error: undefined });
    try {
      const page = await this.registry.search(query, cursor, signal);
      if (signal.aborted) return;
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

  #set(change: Partial<GalleryResults>): void {
    this.#found = { ...this.#found, ...change };
    this.changed();
  }
}

// What the page of the gallery and the extension say to each other: plain JSON, every text ready to be shown.

export interface GalleryRow {
  /** As the registry names it: its identity here. */
  readonly name: string;
  readonly title: string;
  readonly shownName: string;
  readonly description: string;
  /** Version, how it is run, popularity. */
  readonly facts: string;
  /** Drawn where it has no icon. */
  readonly initial: string;
  /** What speaks against it: refused, deprecated, not supported. */
  readonly mark?: string;
}

interface Fact {
  readonly label: string;
  readonly value: string;
  /** What to think of it. */
  readonly note?: string;
}

interface GalleryWay {
  readonly label: string;
  readonly what: string;
  /** Values that the person is asked for. */
  readonly asks?: string;
  /** Why it cannot be chosen. Empty: `ways.refused` says so of all. */
  readonly refused?: string;
}

export interface GalleryDetails extends Pick<GalleryRow, 'description' | 'initial' | 'name' | 'title'> {
  readonly warning?: string;
  readonly facts: readonly Fact[];
  readonly versions: {
    readonly label: string;
    readonly all: readonly string[];
    /** Index of the one whose details these are. */
    readonly shown: number;
    /** Loads the others. Undefined: they are there. */
    readonly more?: string;
    readonly problem?: string;
  };
  readonly ways: {
    readonly label: string;
    readonly all: readonly GalleryWay[];
    readonly none: string;
    /** Why several cannot be chosen, when it is the same for them. */
    readonly refused?: string;
  };
  readonly install: string;
  readonly links: readonly { readonly link: GalleryLink; readonly label: string; readonly address: string }[];
  readonly readme: { readonly label: string; readonly blocks: readonly Block[] };
  /** Whom to believe what. */
  readonly note: string;
}

const LINKS = ['website', 'repository'] as const;
type GalleryLink = (typeof LINKS)[number];

interface GalleryProblem {
  readonly what: string;
  readonly remedy: string;
  readonly action: 'again' | 'settings';
  readonly label: string;
}

/** The whole list, and what is around it. */
export interface GalleryList {
  readonly type: 'list';
  readonly labels: Readonly<
    Record<'title' | 'search' | 'hint' | 'sort' | 'servers' | 'details' | 'choose' | 'back', string>
  >;
  /** Orders of the list, and which one it has. */
  readonly orders: readonly { readonly order: GalleryOrder; readonly label: string }[];
  readonly order: GalleryOrder;
  readonly source: string;
  readonly query: string;
  readonly maxQuery: number;
  readonly isBusy: boolean;
  /** Announced by screen readers. */
  readonly status: string;
  readonly rows: readonly GalleryRow[];
  readonly more?: string;
  readonly problem?: GalleryProblem;
  /** Without servers: why, and what may help. */
  readonly empty?: string;
}

export type ToGalleryPage =
  | GalleryList
  | { readonly type: 'details'; readonly details: GalleryDetails | undefined }
  /** @param data a `data:` URI of an image that was checked. */
  | { readonly type: 'icon'; readonly name: string; readonly data: string };

export const fromGalleryPage = messageReader({
  ready: {},
  search: { query: text },
  more: {},
  again: {},
  settings: {},
  sort: { order: oneOf(...ORDERS) },
  select: { name: text },
  versions: { name: text },
  version: { name: text, index: count },
  /** What was shown when the button was pressed: it may be another by now. */
  install: { name: text, version: text, way: count },
  open: { name: text, link: oneOf(...LINKS) },
});
export type FromGalleryPage = MessageOf<typeof fromGalleryPage>;
