import { createHash } from 'node:crypto';
import type { MemoryPort } from '../definition/ports';
import { CATALOG_KINDS, type CatalogItems, type CatalogKind } from '../sdk/listResults';
import { checkItem } from './catalogItems';
import type { CatalogList } from './catalogList';

/** A remembered list of one kind. */
interface CachedList<T> {
  readonly items: readonly T[];
  /** Set when there were more. */
  readonly more?: true;
}

type CachedLists = { readonly [K in CatalogKind]?: CachedList<CatalogItems[K]> };

/** The most characters of JSON that are remembered of a catalog. Resources come last, so they are what is left out. */
const MAX_LENGTH = 2 * 1024 * 1024;
const KINDS: readonly CatalogKind[] = ['tools', 'prompts', 'resourceTemplates', 'resources'];

/** Remembers what a server listed, so that it can be shown before the server is up. Contains nothing else. */
export class CatalogCache {
  /** Digest of what was written last, because most loads bring nothing new. */
  #written: string | undefined;

  constructor(
    private readonly memory: MemoryPort,
    private readonly fingerprint: string,
  ) {}

  /** Checked like an answer from the server, because a file can contain anything. Never rejects. */
  async read(): Promise<CachedLists> {
    const kept = Object(await this.memory.read(this.#key)) as Record<string, unknown>;
    const lists = CATALOG_KINDS.flatMap(kind => {
      const { items, more } = Object(Object.hasOwn(kept, kind) ? kept[kind] : undefined) as Record<string, unknown>;
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
