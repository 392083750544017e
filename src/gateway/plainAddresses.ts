import type { Result } from '@modelcontextprotocol/server';
import { INVALID_PARAMS } from '../base/errors';
import { isObject } from '../base/json';
import { visible } from '../base/text';
import { WireError } from './wireError';

/** Added to the path of what the client would do more with than show: the editor then opens it as plain text. */
const MARK = '.mcp-host.txt';
const AT_END = /\.mcp-host\.txt(?=[?#]|$)/;
/** Put before addresses that the client would fetch from the network itself, and before templates that may become such. */
const PREFIX = 'mcp-host+';
const OF_NETWORK = /^https?:/i;
/** Of templates, whose variables may be in the scheme. */
const KNOWN_SCHEME = /^(?!https?:)[a-z][a-z\d+.-]*:/i;

/**
 * Addresses of resources for a client that opens them by their ending: of a notebook it would run what that has as its output, of JSON fetch
 * the schema. What is on the web it would read itself. Such resources have another address for it, and none is read
 * under its own.
 */
export class PlainAddresses {
  /** @param isActedOn whether the client does more than show what is at this address. Absent: all addresses stay. */
  constructor(private readonly isActedOn?: (uri: string, text?: () => string) => boolean) {}

  /** The address that the client gets. @param text of what is there, if that is known */
  forClient(uri: string, text?: () => string): string {
    const named = this.isActedOn?.(uri, text) ? uri.replace(/[?#]|$/, end => MARK + end) : uri;
    return this.isActedOn && OF_NETWORK.test(named) ? PREFIX + named : named;
  }

  templateForClient(template: string): string {
    return this.isActedOn && !KNOWN_SCHEME.test(template) ? PREFIX + template : template;
  }

  /** The server's template of addresses. */
  templateForServer(uri: string): string {
    return this.isActedOn && uri.startsWith(PREFIX) ? uri.slice(PREFIX.length) : uri;
  }

  /** The address of the server, whatever the client does with what is there. */
  ownOf(uri: string): string {
    return this.isActedOn ? this.templateForServer(uri).replace(AT_END, '') : uri;
  }

  /** The address of the server. Throws a `WireError` for one that the client acts on, which it has from elsewhere. */
  forServer(uri: string, text?: () => string): string {
    const named = this.templateForServer(uri);
    if (!this.isActedOn?.(named, text)) return this.ownOf(uri);
    const why = 'the editor would do more than show what the server sent there';
    throw new WireError(
      INVALID_PARAMS,
      `${visible(uri, 300)} was not read: ${why}. Read ${visible(this.forClient(named, text), 320)}`,
    );
  }

  /** A result of a call, a page of resources or the contents of one, for the client. Its prompts have no addresses. */
  in<R extends Result>(result: R): R {
    const changes = Object.entries(result).flatMap(([key, value]) => {
      if (!Array.isArray(value)) return [];
      const items = (value as unknown[]).map(item => LISTS[key]?.(item, this) ?? item);
      return items.some((item, at) => item !== value[at]) ? [[key, items] as const] : [];
    });
    return changes.length === 0 ? result : { ...result, ...Object.fromEntries(changes) };
  }
}

type InItem = (item: unknown, addresses: PlainAddresses) => unknown;

/** The text that is in an item. */
export function textIn(item: unknown): (() => string) | undefined {
  const { text, blob } = Object(item) as { text?: unknown; blob?: unknown };
  if (typeof text === 'string') return () => text;
  return typeof blob === 'string' ? () => Buffer.from(blob, 'base64').toString() : undefined;
}

const withUri: InItem = (item, addresses) => {
  if (!isObject(item) || typeof item.uri !== 'string') return item;
  const uri = addresses.forClient(item.uri, textIn(item));
  return uri === item.uri ? item : { ...item, uri };
};

const withTemplate: InItem = (item, addresses) => {
  if (!isObject(item) || typeof item.uriTemplate !== 'string') return item;
  const uriTemplate = addresses.templateForClient(item.uriTemplate);
  return uriTemplate === item.uriTemplate ? item : { ...item, uriTemplate };
};

const inBlock: InItem = (block, addresses) => {
  if (!isObject(block) || !('resource' in block)) return withUri(block, addresses);
  const resource = withUri(block.resource, addresses);
  return resource === block.resource ? block : { ...block, resource };
};

/** The addresses in an item of each list that results have. */
const LISTS: Readonly<Record<string, InItem>> = {
  content: inBlock,
  contents: withUri,
  resources: withUri,
  resourceTemplates: withTemplate,
};
