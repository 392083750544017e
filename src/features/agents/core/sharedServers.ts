import type { ClientCapabilities, JSONRPCRequest, Result, ServerContext } from '@modelcontextprotocol/server';
import { INVALID_PARAMS, METHOD_NOT_FOUND } from '../../../base/errors';
import { type Disposable, getOrInsert, Owner } from '../../../base/events';
import { isObject } from '../../../base/json';
import { revealedItem } from '../../../base/modelData';
import { phrase } from '../../../base/phrase';
import { Coalescer } from '../../../base/queue';
import { revealed, visible } from '../../../base/text';
import {
  ANNOUNCE,
  type AnnouncedKind,
  ClientSubscriptions,
  distinctNames,
  type GatewayTrust,
  PassThrough,
  untilOver,
  WireError,
} from '../../../gateway';
import type { ServerConnection, ServerSet } from '../../../host';
import { CATALOG_KINDS, type CatalogItems, type CatalogKind, isFor, type PinnedResource } from '../../../host/catalog';
import { makeSchemas, nameTools } from '../../languageModel/core';
import { AGENT_NAMES, conversionFor, resultFormFor, toolForAgent } from './agentForms';
import { type AddressedResource, type ListedAddresses, ResourceAddresses } from './resourceAddresses';

/** The servers as one client of a window gets them. */
export interface ServedServers extends Disposable {
  /** Text for the client's model (spec: basic/lifecycle, `instructions`). */
  instructions(): Promise<string | undefined>;
  /** Carries out a request. Rejects with a `WireError`. */
  handle(request: JSONRPCRequest, context: ServerContext, client?: ClientCapabilities): Promise<Result>;
  /** Rejects with a `WireError` if the client may not have the resource. @param asked has its conversation. */
  subscribe(uri: unknown, asked: Pick<ServerContext['mcpReq'], '_meta'>): Promise<void>;
  unsubscribe(uri: unknown): void;
}

export interface SharedServersOptions {
  readonly servers: Pick<ServerSet, 'all' | 'onDidChange'>;
  readonly trust: GatewayTrust;
  readonly includes: (server: ServerConnection) => boolean;
  /** The one server that is wanted, whose tools keep their names. */
  readonly only: string | undefined;
  /** The name that the agent declares. Undefined until it has done so. */
  readonly client: () => string | undefined;
  /** A list is no longer what the agent was given. */
  readonly changed: (list: AnnouncedKind) => void;
  readonly updated: (uri: string) => void;
}

/** An item of a server, under the name that the agent knows it by. */
interface SharedItem<T> {
  readonly server: ServerConnection;
  readonly item: T;
  readonly name: string;
}

/**
 * All servers of a window as one, for one agent. Names of tools and prompts begin with their server's; addresses of resources stay
 * what they are while one server has them. Each request goes to the server that it is for, on the way that those of the editor's own
 * client take.
 */
export class SharedServers extends Owner implements ServedServers {
  readonly #check = this.own(new Coalescer(() => this.#announce(), ANNOUNCE));
  readonly #passing = new WeakMap<ServerConnection, PassThrough>();
  readonly #subscribed = new Map<ServerConnection, ClientSubscriptions>();
  /** The lists sent to the agent. Absent: it has not asked. */
  readonly #given = new Map<CatalogKind, readonly unknown[]>();
  readonly #addresses = new ResourceAddresses(() => this.#listed());
  /** What the agent has subscribed, by the addresses that it knows. */
  readonly #followed = new Map<string, AddressedResource>();
  readonly #wanted = new Set<string>();

  constructor(private readonly options: SharedServersOptions) {
    super();
    const { servers, trust } = options;
    const look = () => this.#check.trigger();
    this.own(servers.onDidChange(look));
    this.own(trust.pins.onDidChange(look));
    if (trust.offered) this.own(trust.offered.onDidChange(look));
  }

  get all(): readonly ServerConnection[] {
    const { servers, includes, only } = this.options;
    return servers.all.filter(server => (only === undefined || server.id === only) && includes(server));
  }

  async instructions(): Promise<string | undefined> {
    const { trust, only } = this.options;
    const all = this.all.map(async server => {
      await trust.pins.load(server);
      const said = trust.pins.instructions(server);
      return said && revealed(only === undefined ? `# ${visible(server.name, 100)}\n\n${said}` : said);
    });
    return (await Promise.all(all)).filter(Boolean).join('\n\n') || undefined;
  }

  /** Rejects with a `WireError`. */
  async handle(request: JSONRPCRequest, context: ServerContext): Promise<Result> {
    const { method, params = {} } = request;
    const { signal } = context.mcpReq;
    const pass = (server: ServerConnection, sent: Record<string, unknown>) =>
      this.#pass(server).handle({ ...request, params: sent }, context);
    switch (method) {
      case 'tools/list':
      case 'prompts/list':
      case 'resources/list':
      case 'resources/templates/list':
        return this.#list(method, signal);
      case 'tools/call': {
        const { server, item } = await this.#meant(() => this.#tools(), params.name, 'tool', signal);
        const result = await pass(server, { ...params, name: item.name });
        this.#addresses.hear(server, result.content);
        return result;
      }
      case 'prompts/get': {
        const { server, item } = await this.#meant(() => this.#prompts(), params.name, 'prompt', signal);
        return pass(server, { ...params, name: item.name });
      }
      case 'resources/read': {
        const { server, uri } = await this.#target(params.uri, signal);
        return readAs(params.uri as string, uri, await pass(server, { ...params, uri }));
      }
      case 'completion/complete':
        return this.#complete(params, signal, pass);
      case 'resources/subscribe':
        await this.subscribe(params.uri, context.mcpReq);
        return {};
      case 'resources/unsubscribe':
        this.unsubscribe(params.uri);
        return {};
      default:
        throw new WireError(METHOD_NOT_FOUND, 'Method not found');
    }
  }

  /** Rejects with a `WireError` if no server has the resource, or the agent may not have it. @param asked has its conversation. */
  async subscribe(uri: unknown, asked: Pick<ServerContext['mcpReq'], '_meta'>): Promise<void> {
    const address = uri as string;
    this.#wanted.add(address);
    try {
      const target = await this.#target(uri);
      // It may have lost interest meanwhile.
      if (!this.#wanted.has(address)) return;
      this.#followed.set(address, target);
      await this.#follow(target, asked);
    } catch (error) {
      this.#wanted.delete(address);
      this.#followed.delete(address);
      throw error;
    }
  }

  async #follow({ server, uri }: AddressedResource, asked: Pick<ServerContext['mcpReq'], '_meta'>): Promise<void> {
    let subscriptions = this.#subscribed.get(server);
    if (!subscriptions) {
      subscriptions = this.own(new ClientSubscriptions());
      this.#subscribed.set(server, subscriptions);
      this.own(
        server.subscriptions.onDidUpdate(updated => {
          if (!this.#subscribed.get(server)?.has(updated)) return;
          for (const [address, followed] of this.#followed)
            if (followed.server === server && followed.uri === updated) this.options.updated(address);
        }),
      );
    }
    await this.#pass(server).subscribe(subscriptions, uri, asked);
  }

  unsubscribe(uri: unknown): void {
    const address = uri as string;
    this.#wanted.delete(address);
    const target = this.#followed.get(address);
    if (!target) return;
    this.#followed.delete(address);
    const isSame = (other: AddressedResource) => other.server === target.server && other.uri === target.uri;
    if (![...this.#followed.values()].some(isSame)) this.#subscribed.get(target.server)?.delete(target.uri);
  }

  async #list(
    method: 'tools/list' | 'prompts/list' | 'resources/list' | 'resources/templates/list',
    signal: AbortSignal,
  ): Promise<Result> {
    await untilUp(this.all, signal);
    const { pins } = this.options.trust;
    for (const server of this.all) await (server.state.kind === 'ready' ? pins.offer(server) : pins.load(server));
    const kind = LIST_METHODS[method];
    if (kind === 'resources' || kind === 'resourceTemplates') {
      const one = kind === 'resources' ? 'resource' : 'resourceTemplate';
      for (const server of this.all) await pins.offerResources(server, one, server.offers(kind) as readonly object[]);
    }
    const items = this.#itemsOf(kind);
    if (kind === 'tools') await makeSchemas(items.map(({ item }) => item as CatalogItems['tools']));
    this.#given.set(
      kind,
      items.map(({ item }) => item),
    );
    const given = ({ item }: SharedItem<object>) =>
      revealedItem(kind === 'tools' ? toolForAgent(item as CatalogItems['tools'], this.options.client()) : item);
    return { [kind]: items.map(one => ({ ...given(one), [NAMES[kind]]: revealed(one.name) })) };
  }

  async #complete(
    params: Readonly<Record<string, unknown>>,
    signal: AbortSignal,
    pass: (server: ServerConnection, sent: Record<string, unknown>) => Promise<Result>,
  ): Promise<Result> {
    const ref = isObject(params.ref) ? params.ref : {};
    if (ref.type === 'ref/prompt') {
      const { server, item } = await this.#meant(() => this.#prompts(), ref.name, 'prompt', signal);
      return pass(server, { ...params, ref: { ...ref, name: item.name } });
    }
    const template = this.#addresses.templates.find(({ name }) => name === ref.uri);
    const { server, uri } = template
      ? { server: template.server, uri: template.item.uriTemplate }
      : await this.#target(ref.uri, signal);
    return pass(server, { ...params, ref: { ...ref, uri } });
  }

  #itemsOf(kind: CatalogKind): readonly SharedItem<object>[] {
    return {
      tools: () => this.#tools(),
      prompts: () => this.#prompts(),
      resources: () => this.#addresses.resources,
      resourceTemplates: () => this.#addresses.templates,
    }[kind]();
  }

  /** Tools that changed since they were accepted are left out until a person has reviewed them. */
  #tools(): readonly SharedItem<CatalogItems['tools']>[] {
    const { only, trust } = this.options;
    const isOffered = ({ server, item }: { server: ServerConnection; item: CatalogItems['tools'] }) =>
      isFor('model', item) && (trust.offered?.includes(server, item) ?? true) && !trust.pins.blocks(server, item);
    const offered = this.#offers('tools').filter(isOffered);
    if (only !== undefined) {
      const names = distinctNames(this.all[0]?.catalog.tools ?? [], AGENT_NAMES);
      return offered.map(one => ({ ...one, name: names.get(one.item) ?? revealed(one.item.name) }));
    }
    return named(offered);
  }

  #prompts(): readonly SharedItem<CatalogItems['prompts']>[] {
    const { only, trust } = this.options;
    const offered = this.#offers('prompts').filter(({ server, item }) => !trust.pins.blocksPrompt(server, item));
    return only === undefined ? named(offered) : offered.map(one => ({ ...one, name: revealed(one.item.name) }));
  }

  /** What each server lists, without what changed since it was accepted. */
  #listed(): readonly ListedAddresses[] {
    const { pins } = this.options.trust;
    const isGiven = (server: ServerConnection, kind: PinnedResource) => (item: object) =>
      !pins.blocksResource(server, kind, item);
    return this.all.map(server => ({
      server,
      resources: server.offers('resources').filter(isGiven(server, 'resource')),
      templates: server.offers('resourceTemplates').filter(isGiven(server, 'resourceTemplate')),
    }));
  }

  #offers<K extends CatalogKind>(kind: K): { server: ServerConnection; item: CatalogItems[K] }[] {
    return this.all.flatMap(server => server.offers(kind).map(item => ({ server, item })));
  }

  /** The resource that an agent means by an address, once it is known which servers have it. Rejects with a `WireError`. */
  async #target(uri: unknown, signal = NEVER): Promise<AddressedResource> {
    if (this.all.length > 1) await untilUp(this.all, signal);
    return this.#addresses.target(uri);
  }

  /** Finds the item that an agent means by a name. Servers that are starting may have it. */
  async #meant<T>(
    items: () => readonly SharedItem<T>[],
    name: unknown,
    kind: 'tool' | 'prompt',
    signal: AbortSignal,
  ): Promise<SharedItem<T>> {
    const find = () => items().find(item => item.name === name);
    let found = find();
    if (!found) {
      await untilUp(this.all, signal);
      found = find();
    }
    if (found) return found;
    throw new WireError(INVALID_PARAMS, `Unknown ${kind}: ${visible(String(name), 100)}`);
  }

  #pass(server: ServerConnection): PassThrough {
    return getOrInsert(this.#passing, server, () => {
      const name = this.options.client();
      const resultFor = resultFormFor(name);
      const client = { refused: () => {}, noteList: () => {}, ...(resultFor && { resultFor }) };
      return new PassThrough(server, this.options.trust, client, { toolConversion: conversionFor(name) });
    });
  }

  #announce(): void {
    const changed = new Set<AnnouncedKind>();
    for (const kind of CATALOG_KINDS) {
      const given = this.#given.get(kind);
      if (!given) continue;
      const now = this.#itemsOf(kind).map(({ item }) => item);
      if (now.length === given.length && now.every((item, index) => item === given[index])) continue;
      this.#given.set(kind, now);
      changed.add(kind === 'resourceTemplates' ? 'resources' : kind);
    }
    for (const list of changed) this.options.changed(list);
  }
}

export const LIST_METHODS = {
  'tools/list': 'tools',
  'prompts/list': 'prompts',
  'resources/list': 'resources',
  'resources/templates/list': 'resourceTemplates',
} as const;

/** Names that lead to one item each, whatever servers call theirs. */
const named = <T extends { readonly name: string }>(items: readonly Omit<SharedItem<T>, 'name'>[]) =>
  nameTools(items.map(one => ({ ...one, serverId: one.server.id, tool: one.item })));

/** The contents of a resource under the address that the agent has asked for. */
const readAs = (address: string, uri: string, result: Result): Result => {
  const { contents } = result;
  if (address === uri || !Array.isArray(contents)) return result;
  return { ...result, contents: contents.map(part => (part?.uri === uri ? { ...part, uri: address } : part)) };
};

/** The member of an item by which an agent asks for it. */
const NAMES = { tools: 'name', prompts: 'name', resources: 'uri', resourceTemplates: 'uriTemplate' } as const;

const NEEDED = phrase('an agent needs it');
const NEVER = new AbortController().signal;
/** Servers that take longer are announced to the agent when ready. */
const LIMIT_MS = 5_000;

/** Waits a moment for servers that start, starts those with unknown lists, and tries those that are down again. */
async function untilUp(servers: readonly ServerConnection[], signal: AbortSignal): Promise<void> {
  for (const server of servers) {
    if (server.state.kind === 'stopped' && server.startPolicy === 'onDemand' && !isKnown(server))
      void server.start(NEEDED);
    else server.retry(NEEDED);
  }
  const isComing = (server: ServerConnection) =>
    (server.state.kind === 'starting' && !isKnown(server)) ||
    (server.state.kind === 'ready' &&
      CATALOG_KINDS.some(
        kind => server.catalog.list(kind).status === 'loading' && server.catalog.knownItems(kind).length === 0,
      ));
  await untilOver(servers, () => !servers.some(isComing), LIMIT_MS, signal);
}

/** Whether it is known, of an earlier time, what the server lists. */
const isKnown = ({ catalog }: ServerConnection): boolean =>
  CATALOG_KINDS.some(kind => catalog.knownItems(kind).length > 0);
