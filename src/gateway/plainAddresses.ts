import type { Result } from '@modelcontextprotocol/server';
import { INVALID_PARAMS } from '../base/errors';
import { isObject } from '../base/json';
import { visible } from '../base/text';
import { WireError } from './wireError';

/** Behind the path of an address of which the client would act on what it opens: the editor then shows it as lines of JSON. */
const MARK = '.mcp-host.jsonl';
const AT_END = /\.mcp-host\.jsonl(?=[?#]|$)/;
/** Before an address that the client would read itself, from the network, or of which that can't be told. */
const PREFIX = 'mcp-host+';
const OF_NETWORK = /^https?:|^\{/i;

/**
 * Addresses of resources for a client that opens them by their ending: of a notebook it would run what that has as its output, and an older
 * editor fetches the schemas of JSON. What is on the web it would read itself. Such resources have another address for it, and none is read
 * under its own.
 */
export class PlainAddresses {
  /** @param isActedOn whether the client does more than show a resource with this address. Absent: all addresses stay. */
  constructor(private readonly isActedOn?: (uri: string) => boolean) {}

  /** The address, or the template of some, that the client gets. */
  forClient(uri: string): string {
    const named = this.isActedOn?.(uri) ? uri.replace(/[?#]|$/, end => MARK + end) : uri;
    return this.isActedOn && OF_NETWORK.test(named) ? PREFIX + named : named;
  }

  /** The server's template of addresses. */
  templateForServer(uri: string): string {
    return this.isActedOn && uri.startsWith(PREFIX) ? uri.slice(PREFIX.length) : uri;
  }

  /** The address of the server. Throws a `WireError` for one that the client acts on, which it has from elsewhere. */
  forServer(uri: string): string {
    const named = this.templateForServer(uri);
    const own = named.replace(AT_END, '');
    if (own !== named && this.isActedOn?.(own)) return own;
    if (!this.isActedOn?.(named)) return named;
    const why = 'the editor would do more than show what the server sent there';
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

const withAddress =
  (key: 'uri' | 'uriTemplate'): InItem =>
  (item, shown) => {
    if (!isObject(item) || typeof item[key] !== 'string') return item;
    const address = shown(item[key]);
    return address === item[key] ? item : { ...item, [key]: address };
  };
const withUri = withAddress('uri');

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
  resourceTemplates: withAddress('uriTemplate'),
};
