import type { Resource } from '@modelcontextprotocol/client';
import type { ServerConnection } from '../../host';
import { labelOf } from './core/resourceFolders';
import { SearchIndex } from './core/searchIndex';
import type { ResourceTarget } from './resourceTarget';

/** Everything that ready servers list, in searchable form. Follows the lists as they grow. */
export class ResourcePool {
  readonly #index = new SearchIndex<ResourceTarget>();
  /** The part of each server's list that is in the index. */
  #indexed = new Map<ServerConnection, readonly Resource[]>();

  get size(): number {
    return this.#index.size;
  }

  /** Adds what the servers list now. Returns whether anything has changed. */
  update(servers: readonly ServerConnection[]): boolean {
    const lists = new Map(servers.map(server => [server, server.offers('resources')]));
    const grown = [...this.#indexed].every(([server, items]) => isBeginningOf(items, lists.get(server)));
    if (!grown) {
      this.#index.clear();
      this.#indexed = new Map();
    }
    const before = this.#index.size;
    for (const [server, items] of lists) {
      const known = this.#indexed.get(server)?.length ?? 0;
      for (let index = known; index < items.length; index++) this.#add(server, items[index]!);
    }
    this.#indexed = lists;
    return !grown || this.#index.size > before;
  }

  search(query: string, limit: number): ResourceTarget[] {
    return this.#index.search(query, limit);
  }

  #add(server: ServerConnection, resource: Resource): void {
    const { name, uri } = resource;
    const label = labelOf(resource);
    this.#index.add({ server, resource }, { label, others: label === name ? [uri] : [name, uri] });
  }
}

/** Pages are appended to a list; items that it had stay the same objects. */
function isBeginningOf(items: readonly Resource[], longer: readonly Resource[] | undefined): boolean {
  if (!longer || longer.length < items.length) return false;
  return items.length === 0 || (items[0] === longer[0] && items.at(-1) === longer[items.length - 1]);
}

/** Whether the server has resources that are not in its list yet. */
export function hasMorePages({ catalog }: ServerConnection): boolean {
  return Boolean(catalog.list('resources').more);
}

/** Fetches all pages of these servers; the lists grow meanwhile. Never rejects: a failure is the list's status. */
export async function loadAllPages(servers: readonly ServerConnection[], signal: AbortSignal): Promise<void> {
  const paged = servers.filter(hasMorePages);
  await Promise.all(paged.map(({ catalog }) => catalog.loadAllPages('resources', signal)));
}
