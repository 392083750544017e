import type {
  Client,
  Prompt,
  RequestOptions,
  Resource,
  ResourceTemplateType,
  Tool,
} from '@modelcontextprotocol/client';
import { Coalescer } from './coalescer';
import type { HostError } from './errors';
import { Emitter } from './events';
import { parameterHeaderProblem } from './parameterHeaders';
import { StdioTransport } from './transport/stdio';

/** What a server can offer, by kind. */
export interface CatalogItems {
  tools: Tool;
  prompts: Prompt;
  resources: Resource;
  resourceTemplates: ResourceTemplateType;
}

export type CatalogKind = keyof CatalogItems;

export const CATALOG_KINDS: readonly CatalogKind[] = ['tools', 'prompts', 'resources', 'resourceTemplates'];

/** An item that the server lists and that can't be used. `name` is the server's text. */
export interface ExcludedItem {
  readonly name: string;
  /** Completes "it was left out: ". */
  readonly reason: string;
}

/** One list of the catalog. The last good items stay while a new list is loaded, and when that fails. */
export interface CatalogList<T> {
  readonly status: 'unsupported' | 'loading' | 'ready' | 'failed';
  readonly items: readonly T[];
  /** Set when some items were left out. */
  readonly excluded?: readonly ExcludedItem[];
  /** Set while `failed`. */
  readonly error?: HostError;
}

type Lists = { [K in CatalogKind]: CatalogList<CatalogItems[K]> };

/** What the catalog needs of its connection. */
export interface CatalogSource {
  /** Runs a request with the connection's limits; its errors are `HostError`s. */
  request<T>(action: string, send: (client: Client, options: RequestOptions) => Promise<T>): Promise<T>;
}

/** A server that pages for ever is stopped here. */
const MAX_PAGES = 1_000;
const LIST_CHANGED_QUIET_MS = 300;
const LIST_CHANGED_MAX_MS = 2_000;

const unsupported = { status: 'unsupported', items: [] } as const;
const nothing = (): Lists => ({
  tools: unsupported,
  prompts: unsupported,
  resources: unsupported,
  resourceTemplates: unsupported,
});

/**
 * What one server offers: tools, prompts, resources and resource templates (spec: server/tools, /prompts, /resources).
 * The only owner of these lists; it fires `onDidChange` with the kind that changed.
 */
export class Catalog {
  readonly #changed = new Emitter<CatalogKind>();
  readonly onDidChange = this.#changed.event;
  #lists = nothing();
  /** Counts loads, so that a late answer to an older load never overwrites a newer one. */
  #generations = { tools: 0, prompts: 0, resources: 0, resourceTemplates: 0 };
  readonly #coalescers: { [K in CatalogKind]: Coalescer };

  constructor(private readonly source: CatalogSource) {
    const coalescer = (kind: CatalogKind) =>
      new Coalescer(() => void this.load(kind), { quietMs: LIST_CHANGED_QUIET_MS, maxMs: LIST_CHANGED_MAX_MS });
    this.#coalescers = {
      tools: coalescer('tools'),
      prompts: coalescer('prompts'),
      resources: coalescer('resources'),
      resourceTemplates: coalescer('resourceTemplates'),
    };
  }

  list<K extends CatalogKind>(kind: K): CatalogList<CatalogItems[K]> {
    return this.#lists[kind];
  }

  get tools(): readonly Tool[] {
    return this.#lists.tools.items;
  }

  get prompts(): readonly Prompt[] {
    return this.#lists.prompts.items;
  }

  get resources(): readonly Resource[] {
    return this.#lists.resources.items;
  }

  get resourceTemplates(): readonly ResourceTemplateType[] {
    return this.#lists.resourceTemplates.items;
  }

  /** Loads the lists of the given kinds at once; the others are what the server does not support. Never rejects. */
  async loadAll(kinds: readonly CatalogKind[]): Promise<void> {
    await Promise.all(kinds.map(kind => this.load(kind)));
  }

  /** Asks for one list again. Never rejects: a failure is the list's status. */
  async load(kind: CatalogKind): Promise<void> {
    const generation = ++this.#generations[kind];
    this.#set(kind, { ...this.#lists[kind], status: 'loading' });
    let list: Lists[CatalogKind];
    try {
      list = { status: 'ready', ...(await this.#pages(kind)) };
    } catch (error) {
      list = { ...this.#lists[kind], status: 'failed', error: error as HostError };
    }
    if (generation === this.#generations[kind]) this.#set(kind, list);
  }

  /** A `list_changed` notification came: loads soon, once for a burst of them. */
  invalidate(kind: CatalogKind): void {
    this.#coalescers[kind].trigger();
  }

  /** Forgets everything: the server is stopped. */
  clear(): void {
    for (const kind of CATALOG_KINDS) {
      this.#generations[kind]++;
      this.#coalescers[kind].cancel();
      if (this.#lists[kind] !== unsupported) this.#set(kind, unsupported);
    }
  }

  #set(kind: CatalogKind, list: Lists[CatalogKind]): void {
    this.#lists = { ...this.#lists, [kind]: list };
    this.#changed.fire(kind);
  }

  async #pages(kind: CatalogKind): Promise<{ items: readonly never[]; excluded?: readonly ExcludedItem[] }> {
    const items: unknown[] = [];
    const excluded: ExcludedItem[] = [];
    const seen = new Set<string>();
    let cursor: string | undefined;
    for (let page = 0; page < MAX_PAGES; page++) {
      const result = await this.source.request(`list its ${kind}`, (client, options) =>
        listPage(client, kind, cursor, options),
      );
      // Not spread into `push`: a page may hold more items than a call takes arguments.
      for (const item of result.items) items.push(item);
      for (const item of result.excluded ?? []) excluded.push(item);
      cursor = result.nextCursor;
      // Some servers answer their last cursor again, for ever.
      if (cursor === undefined || seen.has(cursor)) break;
      seen.add(cursor);
    }
    return { items: items as never[], ...(excluded.length > 0 && { excluded }) };
  }
}

interface Page {
  items: readonly unknown[];
  excluded?: readonly ExcludedItem[];
  nextCursor?: string | undefined;
}

/** One page. Not through `client.listTools()` and its like: without a cursor those walk the pages themselves, 64 at most. */
async function listPage(
  client: Client,
  kind: CatalogKind,
  cursor: string | undefined,
  options: RequestOptions,
): Promise<Page> {
  const params = cursor === undefined ? {} : { cursor };
  switch (kind) {
    case 'tools': {
      const { tools, nextCursor } = await client.request({ method: 'tools/list', params }, options);
      return { ...(mirrorsParameters(client) ? callableTools(tools) : { items: tools }), nextCursor };
    }
    case 'prompts': {
      const { prompts, nextCursor } = await client.request({ method: 'prompts/list', params }, options);
      return { items: prompts, nextCursor };
    }
    case 'resources': {
      const { resources, nextCursor } = await client.request({ method: 'resources/list', params }, options);
      return { items: resources, nextCursor };
    }
    case 'resourceTemplates': {
      const { resourceTemplates, nextCursor } = await client.request(
        { method: 'resources/templates/list', params },
        options,
      );
      return { items: resourceTemplates, nextCursor };
    }
  }
}

/** Arguments go into headers too where there are headers: over HTTP in the modern era. */
function mirrorsParameters(client: Client): boolean {
  return client.getProtocolEra() === 'modern' && !(client.transport instanceof StdioTransport);
}

function callableTools(tools: readonly Tool[]): Page {
  const page = { items: [] as Tool[], excluded: [] as ExcludedItem[] };
  for (const tool of tools) {
    const reason = parameterHeaderProblem(tool.inputSchema);
    if (reason === undefined) page.items.push(tool);
    else page.excluded.push({ name: tool.name, reason });
  }
  return page;
}
