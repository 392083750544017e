import type { Result } from '@modelcontextprotocol/server';
import { INVALID_PARAMS } from '../base/errors';
import { isObject } from '../base/json';
import { visible } from '../base/text';
import { WireError } from './wireError';

/** Behind the path of an address that would open as a notebook: the editor then shows it as JSON. */
const MARK = '.mcp-host.json';
const AT_END = /\.mcp-host\.json(?=[?#]|$)/;

/**
 * Addresses of resources for a client that opens them by their ending: of a notebook it would run what that has as its output. Such
 * resources have another address for it, and none is read under its own.
 */
export class PlainAddresses {
  /** @param isNotebook whether the client opens a resource with this address as a notebook. */
  constructor(private readonly isNotebook: (uri: string) => boolean = () => false) {}

  /** The address that the client gets. */
  forClient(uri: string): string {
    return this.isNotebook(uri) ? uri.replace(/[?#]|$/, end => MARK + end) : uri;
  }

  /** The address of the server. Throws a `WireError` for that of a notebook, which the client has from elsewhere. */
  forServer(uri: string): string {
    const own = uri.replace(AT_END, '');
    if (own !== uri && this.isNotebook(own)) return own;
    if (!this.isNotebook(uri)) return uri;
    const why = 'it would open as a notebook, in which the editor would run what the server sent';
    throw new WireError(
      INVALID_PARAMS,
      `${visible(uri, 300)} was not read: ${why}. Read ${visible(this.forClient(uri), 320)}`,
    );
  }

  /** A result of a call, a page of resources or the contents of one, for the client. Its prompts have no addresses. */
  in<R extends Result>(result: R): R {
    const changes = Object.entries(result).flatMap(([key, value]) => {
      if (!Array.isArray(value)) return [];
      const items = (value as unknown[]).map(item => LISTS[key]?.(item, uri => this.forClient(uri)) ?? item);
      return items.some((item, at) => item !== value[at]) ? [[key, items] as const] : [];
    });
    return changes.length === 0 ? result : { ...result, ...Object.fromEntries(changes) };
  }
}

type InItem = (item: unknown, shown: (uri: string) => string) => unknown;

const withUri: InItem = (item, shown) => {
  if (!isObject(item) || typeof item.uri !== 'string') return item;
  const uri = shown(item.uri);
  return uri === item.uri ? item : { ...item, uri };
};

const inBlock: InItem = (block, shown) => {
  if (!isObject(block) || !('resource' in block)) return withUri(block, shown);
  const resource = withUri(block.resource, shown);
  return resource === block.resource ? block : { ...block, resource };
};

/** The addresses in an item of each list that results have. */
const LISTS: Readonly<Record<string, InItem>> = {
  content: inBlock,
  contents: withUri,
  resources: withUri,
};
