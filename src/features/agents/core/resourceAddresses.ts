import { INVALID_PARAMS, RESOURCE_NOT_FOUND } from '../../../base/errors';
import { getOrInsert, lazy } from '../../../base/events';
import { firstNotBefore } from '../../../base/sorted';
import { asciiName, revealed, visible } from '../../../base/text';
import { WireError } from '../../../gateway';
import type { ServerConnection } from '../../../host';
import type { CatalogItems } from '../../../host/catalog';

export interface AddressedResource {
  readonly server: ServerConnection;
  /** As the server knows it. */
  readonly uri: string;
}

/** What a server lists for one agent. */
export interface ListedAddresses {
  readonly server: ServerConnection;
  readonly resources: readonly CatalogItems['resources'][];
  readonly templates: readonly CatalogItems['resourceTemplates'][];
}

/** Begins addresses that name their server. */
const QUALIFIED = 'mcp-host:';
/** Resources that results of a server's tools have named, without a list that has them. */
const MAX_TOLD = 5_000;
/** The longest error that repeats addresses. */
const MAX_ERROR = 4_000;

/**
 * The addresses of the resources of several servers, each of which leads to one server. An address that more than one server has,
 * lists, or could make of a template is given with the name of the server (`mcp-host:<server>/<address>`), and refused without
 * it: no server can take reads that are meant for another one.
 */
export class ResourceAddresses {
  /** Oldest first. */
  readonly #told = new WeakMap<ServerConnection, Set<string>>();

  constructor(private readonly listed: () => readonly ListedAddresses[]) {}

  /** Names each resource of the servers once. */
  get resources() {
    const all = this.#read();
    return all.flatMap(({ server, resources }) =>
      [...resources].map(([uri, item]) => {
        const isPlain = this.#owners(uri, all).length === 1 && !uri.startsWith(QUALIFIED);
        return { server, item, name: isPlain ? uri : qualified(server, uri) };
      }),
    );
  }

  /** Names each template of the servers once. */
  get templates() {
    const all = this.#read();
    return all.flatMap(({ server, templates }) =>
      [...templates].map(([template, item]) => {
        const start = startOf(template);
        const overlaps = all.some(
          other =>
            other.server !== server &&
            (hasStartOf(other.starts, start) || beginsOne(other.starts, start) || beginsOne(other.uris(), start)),
        );
        const isPlain = all.length === 1 || (says(start) && !overlaps && !isEither(start, QUALIFIED));
        return { server, item, name: isPlain ? template : qualified(server, template) };
      }),
    );
  }

  /** @throws WireError if no server has the resource, or more than one. */
  target(uri: unknown): AddressedResource {
    if (typeof uri !== 'string') throw new WireError(INVALID_PARAMS, 'Invalid params: "uri" is not a string');
    const all = this.listed();
    const named = all.find(({ server }) => uri.startsWith(qualified(server, '')))?.server;
    if (named) return { server: named, uri: uri.slice(qualified(named, '').length) };
    const owners = all.flatMap(({ server, resources, templates }) => {
      // Looked for one by one: to put them in order for one address would take far longer.
      const has = resources.some(item => item.uri === uri) || templates.some(item => mayMake(item.uriTemplate, uri));
      return has || this.#hasTold(server, uri) ? [server] : [];
    });
    const others = all.flatMap(({ server }) =>
      server.isUsable && server.info?.capabilities.resources ? [server] : [],
    );
    const [server, ...more] = owners.length > 0 ? owners : others;
    if (owners.length > 1) throw new WireError(INVALID_PARAMS, severalHave(uri, owners));
    if (server && more.length === 0) return { server, uri };
    throw new WireError(RESOURCE_NOT_FOUND, `No server has the resource ${visible(uri, 300)}.`, { uri });
  }

  /** Remembers the resources that a result of a server's tool names: a list need not have them. */
  hear(server: ServerConnection, content: unknown): void {
    if (!Array.isArray(content) || !server.info?.capabilities.resources) return;
    const told = getOrInsert(this.#told, server, () => new Set<string>());
    for (const part of content) {
      const uri: unknown = part?.type === 'resource_link' ? part.uri : part?.resource?.uri;
      if (typeof uri !== 'string') continue;
      told.delete(uri);
      told.add(uri);
    }
    for (const old of [...told].slice(0, -MAX_TOLD)) told.delete(old);
  }

  /** The servers that list the address, have named it, or have a template that it may be made of. */
  #owners(uri: string, all: readonly ReadAddresses[]): readonly ServerConnection[] {
    return all.flatMap(({ server, resources, starts }) => {
      const isOwner = resources.has(uri) || hasStartOf(starts, uri);
      return isOwner || this.#hasTold(server, uri) ? [server] : [];
    });
  }

  #hasTold(server: ServerConnection, uri: string): boolean {
    return this.#told.get(server)?.has(uri) ?? false;
  }

  #read(): readonly ReadAddresses[] {
    return this.listed().map(({ server, resources, templates }) => ({
      server,
      resources: new Map(resources.map(item => [item.uri, item])),
      templates: new Map(templates.map(item => [item.uriTemplate, item])),
      starts: withoutLonger(templates.map(({ uriTemplate }) => startOf(uriTemplate)).filter(says)),
      uris: lazy(() => resources.map(({ uri }) => uri).sort()),
    }));
  }
}

interface ReadAddresses {
  readonly server: ServerConnection;
  readonly resources: ReadonlyMap<string, CatalogItems['resources']>;
  readonly templates: ReadonlyMap<string, CatalogItems['resourceTemplates']>;
  /** The beginnings of its templates, in order. None of them begins with another. */
  readonly starts: readonly string[];
  /** In order. */
  readonly uris: () => readonly string[];
}

const qualified = ({ id }: Pick<ServerConnection, 'id'>, address: string) => `${QUALIFIED}${asciiName(id)}/${address}`;

function startOf(template: string): string {
  const end = template.indexOf('{');
  return end < 0 ? template : template.slice(0, end);
}

/** Whether the start of a template says whose it is. */
const says = (start: string) => start.includes(':');

function mayMake(template: string, uri: string): boolean {
  const start = startOf(template);
  return says(start) && uri.startsWith(start);
}

function withoutLonger(texts: string[]): readonly string[] {
  const kept: string[] = [];
  for (const text of texts.sort()) if (!text.startsWith(kept.at(-1) ?? `${text}.`)) kept.push(text);
  return kept;
}

/** Whether a text begins with one of these. None of them may begin with another. */
function hasStartOf(sorted: readonly string[], text: string): boolean {
  const at = firstNotBefore(sorted, one => one < text);
  return sorted[at] === text || text.startsWith(sorted[at - 1] ?? `${text}.`);
}

/** Whether one of these begins with a text. */
const beginsOne = (sorted: readonly string[], text: string): boolean =>
  sorted[firstNotBefore(sorted, one => one < text)]?.startsWith(text) ?? false;

/** Whether one text begins with the other. */
const isEither = (one: string, other: string) => one.startsWith(other) || other.startsWith(one);

function severalHave(uri: string, owners: readonly ServerConnection[]): string {
  const addresses = owners.map(server => revealed(qualified(server, uri))).join(', ');
  const which =
    addresses.length <= MAX_ERROR ? `Use one of these addresses: ${addresses}` : 'List the resources first.';
  return `Several servers have the resource ${visible(uri, 300)}. ${which}`;
}
