import {
  createMcpHandler,
  isLegacyRequest,
  LOG_LEVEL_META_KEY,
  type McpHttpHandler,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { attempt, HEADER_MISMATCH } from '../base/errors';
import { DisposableStore } from '../base/events';
import { ownMember } from '../base/json';
import { namedFor, revealedData } from '../base/modelData';
import { revealed, visible } from '../base/text';
import { LogGate, type ServerConnection } from '../host';
import type { LogEntry } from '../host/definition';
import { ClientSubscriptions, untilSettled } from './clientSubscriptions';
import { logDataForModels } from './formsForModels';
import type { GatewayRefusal, GatewayTrust } from './gatewayTrust';
import { ListChanges } from './listChanges';
import { carriesOut, PassThrough } from './passThrough';
import { PlainAddresses } from './plainAddresses';
import { type Description, describe, offeredServer, type RequestHandler, Sessions } from './sessions';
import type { ToolOptions } from './toolsForModels';

/** A log message of a server (spec: server/utilities/logging). */
export type ForwardedLog = Pick<LogEntry, 'level' | 'logger' | 'data'>;

/** So many log messages are passed on at once: about 0.1 s of work. */
const LOG_BURST = 1_000;
const LOGS_PER_SECOND = 500;

export interface EndpointOptions {
  readonly trust: GatewayTrust;
  /** Called when something prevents a call that only a person can resolve. */
  readonly refused: (refusal: GatewayRefusal) => void;
  /** Whether the editor does more than show a resource with this address, as of a notebook. */
  readonly isActedOn?: (
    uri: string,
    of: { readonly server: string; readonly text?: (() => string) | undefined },
  ) => boolean;
}

/** One server as clients of both eras see it, over HTTP. */
export class Endpoint {
  readonly #passThrough: PassThrough;
  readonly #sessions: Sessions;
  readonly #modern: McpHttpHandler;
  readonly #disposables = new DisposableStore();
  /** Requests with methods that are carried out here. */
  readonly #known = new WeakSet<Request>();

  /** Requests of the modern era in progress, the oldest first: a client gets log messages with its request, or not at all. */
  readonly #open = new Set<ServerContext>();
  /** What streams of changes name: others may follow what one client may not. */
  readonly #listening = new Set<ClientSubscriptions>();
  private readonly trust: GatewayTrust;

  readonly #logGate = new LogGate(
    count => this.#passOn({ level: 'notice', data: `${count} log messages are left out. The server's log has them.` }),
    LOG_BURST,
    LOGS_PER_SECOND,
  );

  constructor(
    readonly server: ServerConnection,
    private readonly options: ToolOptions & EndpointOptions,
  ) {
    const { trust, refused, isActedOn } = options;
    this.trust = trust;
    const changes = this.#disposables.add(new ListChanges(server, trust, kind => this.#listChanged(kind)));
    const addresses = new PlainAddresses((uri, text) => isActedOn?.(uri, { server: server.id, text }) === true);
    const client = {
      isForModels: true,
      addresses,
      refused,
      noteList: (kind: 'tools' | 'prompts', items: readonly unknown[]) => changes.noteList(kind, items),
    };
    this.#passThrough = new PassThrough(server, trust, client, options);
    const handleModern: RequestHandler = (asked, context, client) => {
      this.#open.add(context);
      return this.#passThrough.handle(asked, context, client).finally(() => this.#open.delete(context));
    };
    this.#sessions = new Sessions(this.#passThrough);
    this.#modern = createMcpHandler(
      async ({ requestInfo }) => {
        // The SDK answers unknown methods with another HTTP status.
        const isKnown = requestInfo !== undefined && this.#known.has(requestInfo);
        return offeredServer(await this.#describe(requestInfo?.signal), isKnown ? handleModern : undefined);
      },
      // Streams from the start, because the keep-alive shows that a call which takes minutes is still running.
      { legacy: 'reject', responseMode: 'sse' },
    );
    this.#disposables.add(
      server.subscriptions.onDidUpdate(uri => {
        this.#sessions.resourceUpdated(uri);
        if ([...this.#listening].some(subscriptions => subscriptions.has(uri)))
          this.#modern.notify.resourceUpdated(addresses.forClient(uri));
      }),
    );
  }

  /** Answers one HTTP request. `body` is the JSON of a POST. Rejects if the server is not available. */
  async fetch(request: Request, body: unknown): Promise<Response> {
    if (this.#sessions.has(request) || (await isLegacyRequest(request, body))) {
      return this.#sessions.fetch(request, body, () => this.#describe(request.signal));
    }
    const mismatch = this.#headerMismatch(request, body);
    if (mismatch) return mismatch;
    this.#subscribe(request.signal, body);
    if (carriesOut((body as { method?: unknown } | null)?.method)) this.#known.add(request);
    return this.#modern.fetch(request, { parsedBody: body });
  }

  /**
   * Passes on a log message of the server. In the modern era each belongs to a request, but the server's own connection does
   * not tell to which: it goes with the newest in progress that wants messages (spec: server/utilities/logging). A flood is cut,
   * except for warnings and errors: the answer of a call waits behind what was sent before it.
   */
  log(message: ForwardedLog): void {
    if (this.#logGate.passes(message.level)) this.#passOn(message);
  }

  #passOn({ level, logger, data }: ForwardedLog): void {
    const said = revealedData(logDataForModels(data));
    this.#sessions.log({ level, data: said, ...(logger !== undefined && { logger: revealed(logger) }) });
    const wanting = [...this.#open].findLast(({ mcpReq }) => LOG_LEVEL_META_KEY in (mcpReq.envelope ?? {}));
    // The client may have disconnected.
    wanting?.mcpReq.log(level, said, logger && revealed(logger)).catch(() => {});
  }

  async close(): Promise<void> {
    this.#disposables.dispose();
    for (const subscriptions of this.#listening) subscriptions.dispose();
    await Promise.allSettled([this.#sessions.close(), this.#modern.close()]);
  }

  async #describe(signal: AbortSignal | undefined): Promise<Description> {
    await untilSettled(this.server, signal);
    await this.trust.pins.load(this.server);
    const description = describe(this.server, this.trust.pins);
    if (!description) throw new Error(`MCP server "${this.server.name}" is ${this.server.state.kind}.`);
    return description;
  }

  #listChanged(kind: 'tools' | 'prompts' | 'resources'): void {
    this.#sessions.listChanged(kind);
    const { notify } = this.#modern;
    if (kind === 'tools') notify.toolsChanged();
    else if (kind === 'prompts') notify.promptsChanged();
    else notify.resourcesChanged();
  }

  /** The refusal of a call whose headers do not fit its arguments. The SDK checks the other headers. */
  #headerMismatch({ headers }: Request, body: unknown): Response | undefined {
    const { id, method, params } = Object(body) as { id?: unknown; method?: unknown; params?: Record<string, unknown> };
    // The schemas that are made for models declare no headers.
    if (method !== 'tools/call' || this.options.toolConversion) return undefined;
    const tool = namedFor(this.server.catalog.tools, String(params?.name));
    const problem = tool && parameterHeaderMismatch(tool.inputSchema, params?.arguments, headers);
    if (!problem) return undefined;
    const error = { code: HEADER_MISMATCH, message: `Header mismatch: ${problem}` };
    return Response.json({ jsonrpc: '2.0', id, error }, { status: 400 });
  }

  /** A stream of changes (spec: `subscriptions/listen`) may name resources: they are subscribed while it is open. */
  #subscribe(signal: AbortSignal, body: unknown): void {
    const { method, params } = (body ?? {}) as {
      method?: unknown;
      params?: { notifications?: unknown; _meta?: Readonly<Record<string, unknown>> };
    };
    if (method !== 'subscriptions/listen' || signal.aborted) return;
    const { resourceSubscriptions: uris } = (params?.notifications ?? {}) as { resourceSubscriptions?: unknown };
    if (!Array.isArray(uris)) return;
    const subscriptions = new ClientSubscriptions();
    for (const uri of uris) {
      if (typeof uri !== 'string') continue;
      // A refused resource sends no updates.
      this.#passThrough.subscribe(subscriptions, uri, { _meta: Object(params?._meta) }).catch(() => {});
    }
    this.#listening.add(subscriptions);
    const end = () => {
      this.#listening.delete(subscriptions);
      subscriptions.dispose();
    };
    signal.addEventListener('abort', end, { once: true });
  }
}

const MAX_DEPTH = 50;
const BASE64 = /^=\?base64\?((?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?)\?=$/;

/**
 * What is wrong with the headers of a call, in which its arguments are repeated where the tool declares that with
 * `x-mcp-header` (spec 2026-07-28: basic/transports/streamable-http#custom-headers-from-tool-parameters); undefined if nothing
 * is. Whatever stands between a client and this server may have decided by them.
 */
export function parameterHeaderMismatch(inputSchema: unknown, args: unknown, headers: Headers): string | undefined {
  const visit = (schema: unknown, value: unknown, depth: number): string | undefined => {
    if (typeof schema !== 'object' || schema === null || depth > MAX_DEPTH) return undefined;
    const { 'x-mcp-header': name, type, properties } = schema as Record<string, unknown>;
    const problem = typeof name === 'string' ? problemOf(`Mcp-Param-${name}`, type, value, headers) : undefined;
    if (problem) return problem;
    for (const [key, child] of Object.entries(Object(properties) as object)) {
      const inner = ownMember(value, key);
      const found = visit(child, inner, depth + 1);
      if (found) return found;
    }
    return undefined;
  };
  return visit(inputSchema, args, 0);
}

function problemOf(header: string, type: unknown, value: unknown, headers: Headers): string | undefined {
  // No header is expected for what is not there, and none is defined for other values.
  if (typeof value !== 'string' && typeof value !== 'boolean' && typeof value !== 'number') return undefined;
  const said = headers.get(header);
  const name = visible(header, 100);
  if (said === null) return `the header ${name} is missing`;
  const decoded = decode(said);
  if (decoded === undefined) return `the header ${name} is not valid Base64`;
  const isSame =
    type === 'integer' && typeof value === 'number' ? Number(decoded) === value : decoded === String(value);
  return isSame ? undefined : `the header ${name} is not the value of the argument`;
}

/** The value of a header: as it is, unless it is marked as Base64. */
function decode(said: string): string | undefined {
  if (!said.startsWith('=?base64?') || !said.endsWith('?=')) return said;
  const encoded = BASE64.exec(said)?.[1];
  if (encoded === undefined) return undefined;
  return attempt(() => new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(encoded, 'base64')));
}
