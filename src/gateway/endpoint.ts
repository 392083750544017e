import {
  createMcpHandler,
  isLegacyRequest,
  LOG_LEVEL_META_KEY,
  type McpHttpHandler,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { HEADER_MISMATCH } from '../base/errors';
import { DisposableStore } from '../base/events';
import { namedFor, revealedData } from '../base/modelData';
import { revealed } from '../base/text';
import { LogGate, type ServerConnection } from '../host';
import type { LogEntry } from '../host/definition';
import { ClientSubscriptions } from './clientSubscriptions';
import { type Description, describe } from './description';
import { parameterHeaderMismatch } from './headerCheck';
import { ListChanges } from './listChanges';
import { offeredServer, type RequestHandler } from './offeredServer';
import { carriesOut, type GatewayRefusal, type GatewayTrust, PassThrough } from './passThrough';
import { Sessions } from './sessions';
import type { ToolOptions } from './toolsForModels';
import { untilSettled } from './untilListed';

/** A log message of a server (spec: server/utilities/logging). */
export type ForwardedLog = Pick<LogEntry, 'level' | 'logger' | 'data'>;

/** So many log messages are passed on at once: about 0.1 s of work. */
const LOG_BURST = 1_000;
const LOGS_PER_SECOND = 500;

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
    private readonly options: ToolOptions & { trust: GatewayTrust; refused(refusal: GatewayRefusal): void },
  ) {
    const { trust, refused } = options;
    this.trust = trust;
    const changes = this.#disposables.add(new ListChanges(server, trust, kind => this.#listChanged(kind)));
    const client = {
      isForModels: true,
      refused,
      given: (kind: 'tools' | 'prompts', items: readonly unknown[]) => changes.given(kind, items),
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
          this.#modern.notify.resourceUpdated(uri);
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
    const said = revealedData(data);
    this.#sessions.log({ level, data: said, ...(logger !== undefined && { logger: revealed(logger) }) });
    const wanting = [...this.#open].findLast(({ mcpReq }) => LOG_LEVEL_META_KEY in (mcpReq.envelope ?? {}));
    // Whoever asked may be gone.
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
      // Of one that is refused no change is told.
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
