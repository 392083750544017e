import type { ClientCapabilities, JSONRPCRequest, Result, ServerContext } from '@modelcontextprotocol/server';
import { INVALID_PARAMS, METHOD_NOT_FOUND, SERVER_ERROR } from '../../../base/errors';
import { type Disposable, DisposableStore, Owner } from '../../../base/events';
import { within } from '../../../base/queue';
import { visible } from '../../../base/text';
import {
  ClientSubscriptions,
  type GatewayOptions,
  type GatewayTrust,
  instructionsForModels,
  ListChanges,
  PassThrough,
  type ToolOptions,
  WireError,
} from '../../../gateway';
import type { ServerConnection, ServerSet } from '../../../host';
import type { ServedServers, SessionHooks } from '../../agents/core';
import { resultAsText } from '../../languageModel/core';

/** The chat's first question waits for the lists of all its servers. */
const LIST_MS = 2_000;
/** The chat names a tool `<server>-<tool>`, and cuts that. */
const NAME_LENGTH = 64;
const MIN_KEPT = 24;

export interface ChatServerOptions {
  readonly servers: Pick<ServerSet, 'get' | 'onDidChange'>;
  readonly trust: GatewayTrust;
  /** How tools are converted for the editor's chat. */
  readonly tools: ToolOptions;
  readonly refused: GatewayOptions['refused'];
  readonly hooks: Pick<SessionHooks, 'changed' | 'updated'> & { readonly only: string };
}

interface ServedServer {
  readonly server: ServerConnection;
  readonly passThrough: PassThrough;
  readonly changes: ListChanges;
  readonly own: DisposableStore;
}

/** One server as one session of the editor's chat has it. The server may be replaced under its name, or be gone for a while. */
export class ChatServer extends Owner implements ServedServers {
  #of: ServedServer | undefined;
  #subscriptions = new ClientSubscriptions();

  constructor(private readonly options: ChatServerOptions) {
    super();
    this.own(
      options.servers.onDidChange(change => {
        if (change) return;
        const before = this.#of?.server;
        if (this.#server === before) return;
        for (const list of ['tools', 'prompts', 'resources'] as const) options.hooks.changed(list);
      }),
    );
  }

  async instructions(): Promise<string | undefined> {
    const { trust } = this.options;
    const server = this.#server;
    if (!server) return undefined;
    await trust.pins.load(server);
    return instructionsForModels(trust.pins.instructions(server));
  }

  async handle(request: JSONRPCRequest, context: ServerContext, client?: ClientCapabilities): Promise<Result> {
    const { method, params } = request;
    if (method === 'tools/list') return this.#list('tools', request, context, client);
    if (method === 'prompts/list') return this.#list('prompts', request, context, client);
    const { passThrough } = this.#served();
    switch (method) {
      case 'resources/subscribe':
        await this.subscribe(params?.uri, context.mcpReq);
        return {};
      case 'resources/unsubscribe':
        this.unsubscribe(params?.uri);
        return {};
      case 'tools/call':
      case 'prompts/get':
      case 'resources/list':
      case 'resources/templates/list':
      case 'resources/read':
      case 'completion/complete':
        return passThrough.handle(request, context, client);
      default:
        throw new WireError(METHOD_NOT_FOUND, 'Method not found');
    }
  }

  /** Nothing, if there is no list soon: for the chat, a server that fails now would be lost for the session. It is announced later. */
  async #list(
    kind: 'tools' | 'prompts',
    request: JSONRPCRequest,
    context: ServerContext,
    client: ClientCapabilities | undefined,
  ): Promise<Result> {
    const nothing = { [kind]: [] };
    if (!this.#server) return nothing;
    const { passThrough, changes } = this.#served();
    const listed = passThrough.handle(request, context, client).catch(() => nothing);
    const result = await within(listed, LIST_MS, nothing);
    if (result === nothing) changes.noteList(kind, []);
    return result;
  }

  async subscribe(uri: unknown, asked: Pick<ServerContext['mcpReq'], '_meta'>): Promise<void> {
    if (typeof uri !== 'string') throw new WireError(INVALID_PARAMS, 'Invalid params: "uri" is not a string');
    await this.#served().passThrough.subscribe(this.#subscriptions, uri, asked);
  }

  unsubscribe(uri: unknown): void {
    if (typeof uri === 'string') this.#subscriptions.delete(uri);
  }

  override dispose(): void {
    this.#subscriptions.dispose();
    this.#of?.own.dispose();
    super.dispose();
  }

  get #server(): ServerConnection | undefined {
    return this.options.servers.get(this.options.hooks.only as ServerConnection['id']);
  }

  #served(): ServedServer {
    const { hooks, trust, tools, refused } = this.options;
    const server = this.#server;
    if (!server) {
      const name = visible(hooks.only, 100);
      throw new WireError(SERVER_ERROR, `MCP server "${name}" is not in the settings of this window any more.`);
    }
    if (this.#of?.server === server) return this.#of;
    this.#of?.own.dispose();
    this.#subscriptions.dispose();
    this.#subscriptions = new ClientSubscriptions();
    const own = new DisposableStore();
    const changes = own.add(new ListChanges(server, trust, list => hooks.changed(list)));
    const updates: Disposable = server.subscriptions.onDidUpdate(uri => {
      if (this.#subscriptions.has(uri)) hooks.updated(uri);
    });
    own.add(updates);
    const { toolConversion } = tools;
    const kept = Math.max(MIN_KEPT, NAME_LENGTH - server.id.length - 1);
    const names = { kept, replaced: /[^a-z0-9]/gi, isShortened: true };
    const passThrough = new PassThrough(
      server,
      trust,
      {
        isForModels: true,
        isAskedHere: true,
        resultFor: resultAsText,
        refused,
        noteList: (kind, items) => changes.noteList(kind, items),
      },
      { ...tools, ...(toolConversion && { toolConversion: { ...toolConversion, names } }) },
    );
    this.#of = { server, passThrough, changes, own };
    return this.#of;
  }
}
