import type { Progress, ReadResourceResult } from '@modelcontextprotocol/client';
import type {
  CallToolResult,
  ClientCapabilities,
  JSONRPCRequest,
  Result,
  ServerContext,
  Tool,
} from '@modelcontextprotocol/server';
import { type HostError, INTERNAL_ERROR, INVALID_PARAMS, METHOD_NOT_FOUND } from '../base/errors';
import { isObject } from '../base/json';
import { namedFor, refusedForModel, restored, revealedData, revealedItem } from '../base/modelData';
import { english, type Phrase } from '../base/phrase';
import { visible } from '../base/text';
import type { Trail, WantedCall } from '../features/trust/core';
import { type AllowedRequests, anyResult, type ServerConnection, type WantedRequest } from '../host';
import { appOf, isFor, type PinnedResource, UI_EXTENSION } from '../host/catalog';
import { type ClientSubscriptions, inTime, untilListed, untilSettled } from './clientSubscriptions';
import { progressForModels } from './formsForModels';
import type { GatewayRefusal, GatewayTrust } from './gatewayTrust';
import { PlainAddresses, textIn } from './plainAddresses';
import { ResourcePages } from './resourcePages';
import { resultWithinDepth, resultWithoutBytes, resultWithoutHugeBlocks, shownForModels } from './resultsForModels';
import { isSearched, searchedCall, searchingTools } from './toolSearch';
import {
  asReader,
  listedFor,
  saysItReads,
  type ToolOptions,
  ToolsForModels,
  toolsForClients,
  withReadHint,
} from './toolsForModels';
import { traceContext } from './traceContext';
import { errorWithoutBytes, needsPerson, WireError, wireError } from './wireError';

interface PassThroughClient {
  /** Set if what comes back goes to a model as it is: without bytes in texts. Agents decide that for themselves. */
  readonly isForModels?: boolean;
  /** The form of results for its model, without structured content; not of those that an app draws. Absent: the server's. */
  readonly resultFor?: (result: CallToolResult, problem: Phrase | undefined) => CallToolResult;
  /**
   * Set if it neither shows arguments before a call nor tells the calls of apps apart from those of models. All tools are listed as
   * read-only, so that it asks nothing: each call that no rule allows is asked about here. Tools for apps alone are not listed.
   */
  readonly isAskedHere?: boolean;
  /** Absent: it opens resources by their own addresses. */
  readonly addresses?: PlainAddresses;
  refused(refusal: GatewayRefusal): void;
  /** To be called when a client got this list. */
  noteList(kind: 'tools' | 'prompts', items: readonly unknown[]): void;
}

/** Of one server, in a client that makes a command of each. */
const MAX_PROMPTS = 500;
/** Of one server, in a client that draws its list anew with each page. */
const MAX_RESOURCES = 5_000;

const METHODS = new Set([
  'completion/complete',
  'prompts/get',
  'prompts/list',
  'resources/list',
  'resources/read',
  'resources/templates/list',
  'tools/call',
  'tools/list',
]);

/** Methods whose results contain nothing hidden, or are sent back unchanged and not read by a model. */
const CLEAN = new Set(['completion/complete', 'prompts/list', 'tools/list']);

export const carriesOut = (method: unknown): boolean => METHODS.has(method as string);

type Params = Readonly<Record<string, unknown>>;
/** The part of a request that says which conversation it belongs to. */
type ConversationMeta = { readonly _meta?: Params | undefined };

/**
 * Carries out requests of a client to one server over the host's own connection, with the limits, trust, pins and audit of every
 * other request. Results and errors keep what the server said; hidden characters in them are made visible, because models read them.
 */
export class PassThrough {
  /** For each tool that clients were given: whether, according to every list so far, the editor asks about it. */
  readonly #askedByEditor = new Map<string, boolean>();
  readonly #pages: ResourcePages;
  readonly #tools: ToolsForModels;
  readonly addresses: PlainAddresses;

  constructor(
    private readonly server: ServerConnection,
    private readonly trust: GatewayTrust,
    private readonly client: PassThroughClient,
    private readonly options: ToolOptions = {},
  ) {
    this.#tools = new ToolsForModels(server, options.toolConversion);
    this.#pages = new ResourcePages(server, trust.pins, client.isForModels ? MAX_RESOURCES : Number.POSITIVE_INFINITY);
    this.addresses = client.addresses ?? new PlainAddresses();
    for (const name of trust.readers?.of(server) ?? []) this.#askedByEditor.set(name, false);
  }

  /** Rejects with a `WireError`. */
  async handle(
    { method, params = {} }: JSONRPCRequest,
    context: ServerContext,
    client?: ClientCapabilities,
  ): Promise<Result> {
    try {
      const drawsApps = client?.extensions?.[UI_EXTENSION] !== undefined;
      const result = await this.#handle(method, params as Params, context, drawsApps);
      const shown = this.client.isForModels ? shownForModels(method, result) : result;
      const addressed = this.addresses.in(shown);
      return CLEAN.has(method) ? addressed : revealedData(addressed);
    } catch (error) {
      throw this.client.isForModels ? errorWithoutBytes(wireError(error)) : wireError(error);
    }
  }

  async #handle(method: string, params: Params, context: ServerContext, drawsApps: boolean): Promise<Result> {
    const { signal } = context.mcpReq;
    switch (method) {
      case 'tools/list':
        return this.#listTools(params, drawsApps, signal);
      case 'tools/call':
        return this.#callTool(params, drawsApps, context);
      case 'prompts/list':
        return this.#listPrompts(params, signal);
      case 'prompts/get':
        return this.#getPrompt(params, context);
      case 'resources/list':
        return this.#listResources('resource', params, context);
      case 'resources/templates/list':
        return this.#listResources('resourceTemplate', params, context);
      case 'resources/read': {
        const asked = text(params, 'uri');
        const uri = this.addresses.ownOf(asked);
        const isPage = drawsApps && /^ui:/i.test(uri);
        if (!isPage) this.addresses.forServer(asked);
        const read = await this.#forward(`read ${visible(uri, 300)}`, { method, params: { uri } }, context);
        const page = isPage && (await this.trust.appPage?.(this.server, uri, read as ReadResourceResult));
        if (page) return page;
        for (const one of (read as Partial<ReadResourceResult>).contents ?? [])
          this.addresses.forServer(asked, textIn(one));
        return read;
      }
      case 'completion/complete': {
        const { ref: asked, argument, context: resolved } = params;
        const { uri } = Object(asked) as { uri?: unknown };
        const ref =
          typeof uri === 'string' ? { ...(asked as object), uri: this.addresses.templateForServer(uri) } : asked;
        const sent = { ref, argument, ...(resolved !== undefined && { context: resolved }) };
        return this.#forward('complete an argument', { method, params: sent }, context);
      }
      default:
        throw new WireError(METHOD_NOT_FOUND, 'Method not found');
    }
  }

  /**
   * Lists all of them at once. Tools that changed since they were accepted are left out until a person has reviewed them, and
   * those that are not for models are listed only for a client that draws apps, which keeps them from its models.
   */
  async #listTools(params: Params, drawsApps: boolean, signal: AbortSignal): Promise<Result> {
    const { server, trust } = this;
    onlyPage(params);
    await this.#untilListed('tools', signal);
    const tools = toolsForClients(server, trust);
    this.client.noteList('tools', tools);
    await this.options.toolConversion?.prepare?.(tools);
    const forModels = this.#tools.list(tools.filter(isForModel)).map(({ listed }) => listed);
    if (isSearched(this.options, forModels)) return { tools: searchingTools(server.name, forModels) };
    const { isAskedHere = false, resultFor } = this.client;
    const given = drawsApps && !isAskedHere ? tools : tools.filter(isForModel);
    const readers: string[] = [];
    const listedTools = this.#tools.list(given).map(({ tool, listed }) => {
      if (isAskedHere) return revealedItem(asReader(listed, resultFor && !(drawsApps && appOf(tool))));
      const offered = this.#asOffered(tool, listed);
      if (saysItReads(offered)) readers.push(tool.name);
      this.#askedByEditor.set(tool.name, !saysItReads(offered) && this.#askedByEditor.get(tool.name) !== false);
      return revealedItem(offered);
    });
    if (!isAskedHere) trust.readers?.keep(server, readers);
    return { tools: listedTools };
  }

  /**
   * The Local chat asks before a call, but believes a server that a tool only reads, and leaves the question to us. So that hint
   * is for tools alone that the person has allowed, and for all of a server whose calls are asked about here.
   */
  #asOffered(tool: Tool, listed: Tool): Tool {
    if (this.trust.asker(this.server) === 'host') return withReadHint(listed, true);
    const isAllowed = () => this.trust.calls.isAllowed({ server: this.server, tool, origin: 'gateway' });
    return saysItReads(tool) && !isAllowed() ? withReadHint(listed, false) : listed;
  }

  async #listPrompts(params: Params, signal: AbortSignal): Promise<Result> {
    const { server, trust } = this;
    onlyPage(params);
    await this.#untilListed('prompts', signal);
    const prompts = listedFor(server, 'prompts').filter(prompt => !trust.pins.blocksPrompt(server, prompt));
    this.client.noteList('prompts', prompts);
    const listed = this.client.isForModels ? prompts.slice(0, MAX_PROMPTS) : prompts;
    return { prompts: listed.map(prompt => revealedItem(prompt)) };
  }

  /** Waits for a list. One that is coming back keeps what it listed last: what uses that then waits for it, or says why. */
  async #untilListed(kind: 'tools' | 'prompts', signal: AbortSignal): Promise<void> {
    const { server, trust } = this;
    await untilListed(server, kind, signal);
    await server.catalog.refreshIfStale(kind);
    if (server.state.kind === 'reconnecting' && listedFor(server, kind).length > 0) return trust.pins.load(server);
    const { status, error } = server.catalog.list(kind);
    if (status === 'failed' && server.catalog[kind].length === 0) throw error;
    if (server.state.kind !== 'ready') throw new WireError(INTERNAL_ERROR, this.#whyNotReady(`list its ${kind}`));
    await trust.pins.offer(server);
  }

  async #callTool(params: Params, drawsApps: boolean, { mcpReq, mcpReq: { signal } }: ServerContext): Promise<Result> {
    const { server, trust } = this;
    const asked = text(params, 'name');
    const given = params.arguments ?? {};
    if (!isObject(given)) throw new WireError(INVALID_PARAMS, 'Invalid params: "arguments" is not an object');
    await untilListed(server, 'tools', signal);
    if (server.state.kind !== 'ready') return failed(this.#whyNotReady(`call ${visible(asked)}`));
    const meant = await this.#searched(asked, given);
    if (meant && 'content' in meant) return meant;
    const name = meant?.name ?? asked;
    const tool = this.#tools.named(name);
    // An app may make the call, unless a chat does, the client knows no apps or the server has none.
    const hasApps = drawsApps && server.catalog.tools.some(other => appOf(other) !== undefined);
    const isOfApp = hasApps && !meant && !(IN_A_CONVERSATION in (mcpReq._meta ?? {}));
    const mayBeOfApp = isOfApp || (drawsApps && this.client.isAskedHere === true && !meant);
    if (!tool || !(mayBeOfApp || isFor('model', tool))) {
      if (meant) return failed(`There is no tool ${visible(name, 100)}. Search for it.`);
      throw new WireError(INVALID_PARAMS, `Unknown tool: ${visible(name)}`);
    }
    const refusal = isOfApp ? undefined : trust.offered?.refusal(server, tool);
    if (refusal) return failed(`${refusal} Continue without it.`);
    const made = this.#tools.argumentsFor(tool, meant?.args ?? given, isOfApp);
    if ('problem' in made) return failed(`${visible(tool.name, 100)} was not called: ${made.problem}`);
    const { args } = made;
    const call: WantedCall = { server, tool, args, origin: 'gateway', trail: this.#trail(mcpReq) };
    // The editor has decided on the basis of a list that it was given before, and perhaps not the latest one. It remembers
    // answers by the name of a tool, so it does not know that a tool has changed or now belongs to another server.
    const isAsked =
      !meant && !isOfApp && this.#askedByEditor.get(tool.name) === true && trust.asker(server) === 'client';
    const answer = await trust.calls.approve(call, async (wanted, pin) =>
      isAsked && pin !== 'changed' && !wanted.because ? { answer: 'allow' } : trust.ask(inTime(wanted, signal), pin),
    );
    if (!answer.approved) {
      this.client.refused({ server, why: answer.why });
      return failed(refusedForModel(english(answer.message)));
    }
    try {
      const run = { signal, onProgress: reporter(mcpReq), meta: traceContext(mcpReq._meta) };
      const { result: whole, problem } = await answer.run(run);
      const isForApp = isOfApp || (drawsApps && appOf(tool) !== undefined); // which draws all of it
      const form: Pick<PassThroughClient, 'isForModels' | 'resultFor'> = isForApp ? {} : this.client;
      if (form.resultFor) return form.resultFor(whole, problem);
      // The editor draws a result beside its app, too.
      const isShown = this.client.isForModels === true && !isOfApp;
      const drawn = isShown && isForApp ? resultWithoutHugeBlocks(whole) : whole;
      const result = resultWithinDepth(form.isForModels ? resultWithoutBytes(drawn) : drawn, isShown);
      if (!problem) return result;
      return { ...result, content: [...result.content, { type: 'text', text: `[MCP Host: ${english(problem)}]` }] };
    } catch (error) {
      if (needsPerson(error)) return failed(error.message);
      throw error;
    }
  }

  /** Subscribes a client to a resource (spec: server/resources#subscriptions). Rejects with a `WireError`. */
  async subscribe(subscriptions: ClientSubscriptions, uri: string, asked: ConversationMeta): Promise<void> {
    try {
      await subscriptions.add(this.addresses.forServer(uri), this.#requests(asked));
    } catch (error) {
      throw wireError(this.#told(error));
    }
  }

  /** The reads of the requesting chat, if the editor identifies it. */
  #trail({ _meta }: ConversationMeta): Trail {
    const conversation: unknown = _meta?.[IN_A_CONVERSATION];
    return this.trust.flow().trailOf(typeof conversation === 'string' ? conversation : undefined);
  }

  async #searched(name: string, args: Record<string, unknown>): Promise<ReturnType<typeof searchedCall>> {
    const { server, trust, options } = this;
    if (!options.findTools) return undefined;
    await trust.pins.offer(server);
    const offered = toolsForClients(server, trust).filter(isForModel);
    await options.toolConversion?.prepare?.(offered);
    const tools = this.#tools.list(offered).map(({ listed }) => listed);
    return isSearched(options, tools) ? searchedCall(options.findTools, tools, name, args) : undefined;
  }

  async #getPrompt(params: Params, context: ServerContext): Promise<Result> {
    const { server } = this;
    const name = text(params, 'name');
    await untilListed(server, 'prompts', context.mcpReq.signal);
    const prompt = namedFor(server.catalog.prompts, name);
    const args = restored(prompt?.arguments, params.arguments);
    const sent = { name: prompt?.name ?? name, ...(args !== undefined && { arguments: args }) };
    return this.#forward(`get the prompt ${visible(name)}`, { method: 'prompts/get', params: sent }, context);
  }

  #listResources(kind: PinnedResource, { cursor }: Params, { mcpReq }: ServerContext): Promise<Result> {
    return this.#pages.list(kind, cursor, this.#requests(mcpReq), mcpReq);
  }

  async #forward(action: string, request: WantedRequest, { mcpReq }: ServerContext): Promise<Result> {
    await untilSettled(this.server, mcpReq.signal);
    const onProgress = reporter(mcpReq);
    const _meta = traceContext(mcpReq._meta);
    const sent = _meta ? { ...request, params: { ...request.params, _meta } } : request;
    const options = { signal: mcpReq.signal, onProgress };
    try {
      // As the server gave it: the editor's client checks what it needs.
      return (await this.#requests(mcpReq).forward(sent, action, anyResult, options)) as Result;
    } catch (error) {
      throw this.#told(error);
    }
  }

  /** The error for the client. Tells the person about a refusal. */
  #told(error: unknown): unknown {
    const { code, message = '' } = error as Partial<HostError>;
    if (code !== 'CHANGED' && code !== 'DENIED') return error;
    this.client.refused({ server: this.server, why: code === 'CHANGED' ? 'blocked' : 'denied' });
    return new WireError(INVALID_PARAMS, message);
  }

  #requests(asked: ConversationMeta): AllowedRequests {
    const { requests, ask } = this.trust;
    return requests.as({ origin: 'gateway', trail: this.#trail(asked), ask })(this.server);
  }

  /** Why the server takes no requests. Models may read it but cannot act: it says what the person has to do in the editor. */
  #whyNotReady(action: string): string {
    const { state, name } = this.server;
    const why =
      'error' in state ? state.error.message : `MCP server "${name}" could not ${action}: it is ${state.kind}.`;
    return 'error' in state ? why : `${why} Start it in the MCP view and try again.`;
  }
}

/** With this the editor marks calls that a chat makes, before which it asks; not those of an app, before which it does not. */
const IN_A_CONVERSATION = 'vscode.conversationId';

const isForModel = (tool: Tool) => isFor('model', tool);

const failed = (message: string): CallToolResult => ({ content: [{ type: 'text', text: message }], isError: true });

/** Sends progress to the caller if requested (spec: basic/utilities/progress). */
function reporter({ _meta, notify }: ServerContext['mcpReq']): ((progress: Progress) => void) | undefined {
  const progressToken = _meta?.progressToken;
  if (progressToken === undefined) return undefined;
  return progress => {
    const params = { ...revealedData(progressForModels(progress)), progressToken };
    // The client may have disconnected.
    notify({ method: 'notifications/progress', params }).catch(() => {});
  };
}

/** These lists are handed out in full, so a cursor cannot be one of ours. */
function onlyPage({ cursor }: Params): void {
  if (cursor !== undefined) throw new WireError(INVALID_PARAMS, 'Invalid cursor');
}

function text(params: Params, key: string): string {
  const value = params[key];
  if (typeof value !== 'string') throw new WireError(INVALID_PARAMS, `Invalid params: "${key}" is not a string`);
  return value;
}
