import { randomUUID } from 'node:crypto';
import {
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  type Implementation,
  type JSONRPCMessage,
  type JSONRPCRequest,
  type LoggingMessageNotification,
  type RequestId,
  type Result,
  Server,
  type ServerCapabilities,
  type ServerContext,
  type TransportSendOptions,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import { INVALID_PARAMS, RESOURCE_NOT_FOUND, SERVER_ERROR, SESSION_NOT_FOUND } from '../base/errors';
import { revealedData } from '../base/modelData';
import type { Pins } from '../features/trust/core';
import type { ServerConnection } from '../host';
import { ClientSubscriptions } from './clientSubscriptions';
import { implementationForModels, instructionsForModels } from './formsForModels';
import type { PassThrough } from './passThrough';
import { WireError } from './wireError';

/** Clients forget to end their sessions: beyond this many, the least recently used one is ended. */
const MAX_SESSIONS = 64;

/** The sessions of clients of the legacy era (spec 2025-11-25: basic/transports#session-management) with one server. */
export class Sessions {
  /** In order of use: the most recent one is last. */
  readonly #sessions = new Map<string, Session>();

  constructor(private readonly passThrough: Pick<PassThrough, 'addresses' | 'handle' | 'subscribe'>) {}

  /** Whether a request belongs to a session, and so to the legacy era. */
  has({ headers }: Request): boolean {
    return this.#sessions.has(headers.get('mcp-session-id') ?? '');
  }

  /** @param describe returns what the server says about itself; called when a session begins. */
  async fetch(request: Request, body: unknown, describe: () => Promise<Description>): Promise<Response> {
    const id = request.headers.get('mcp-session-id');
    const known = id === null ? undefined : this.#sessions.get(id);
    if (id !== null && !known) return problem(404, SESSION_NOT_FOUND, 'Session not found');
    if (known && id !== null) {
      this.#sessions.delete(id);
      this.#sessions.set(id, known);
      return known.transport.handleRequest(request, { parsedBody: body });
    }
    if ((body as { method?: unknown } | undefined)?.method !== 'initialize')
      return problem(400, SERVER_ERROR, 'Bad Request: there is no session yet, send initialize first');
    return this.#begin(request, body, await describe());
  }

  listChanged(kind: 'tools' | 'prompts' | 'resources'): void {
    for (const { server } of this.#sessions.values()) {
      notify(server, { method: `notifications/${kind}/list_changed` });
    }
  }

  /** Clients get messages from the level on that they set; all until they have set one. */
  log(message: LoggingMessageNotification['params']): void {
    for (const [id, { server }] of this.#sessions) server.sendLoggingMessage(message, id).catch(() => {});
  }

  /** @param uri as the server has it. */
  resourceUpdated(uri: string): void {
    const params = { uri: this.passThrough.addresses.forClient(uri) };
    for (const { server, subscriptions } of this.#sessions.values()) {
      if (subscriptions.has(uri)) notify(server, { method: 'notifications/resources/updated', params });
    }
  }

  async close(): Promise<void> {
    await Promise.allSettled([...this.#sessions.values()].map(({ server }) => server.close()));
  }

  async #begin(request: Request, body: unknown, description: Description): Promise<Response> {
    const subscriptions = new ClientSubscriptions();
    const transport = new ExactTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: id => this.#add(id, { server, transport, subscriptions }),
    });
    const server = offeredServer(description, async (asked, context, client) => {
      try {
        const { method, params } = asked;
        if (method !== 'resources/subscribe' && method !== 'resources/unsubscribe')
          return await this.passThrough.handle(asked, context, client);
        const uri = (params as { uri?: unknown } | undefined)?.uri;
        if (typeof uri !== 'string') throw new WireError(INVALID_PARAMS, 'Invalid params: "uri" is not a string');
        if (method === 'resources/unsubscribe') subscriptions.delete(this.passThrough.addresses.forServer(uri));
        else await this.passThrough.subscribe(subscriptions, uri, context.mcpReq);
        return {};
      } catch (error) {
        if ((error as WireError).code === RESOURCE_NOT_FOUND) transport.notFound.add(asked.id);
        throw error;
      }
    });
    server.onclose = () => {
      subscriptions.dispose();
      if (transport.sessionId !== undefined) this.#sessions.delete(transport.sessionId);
    };
    await server.connect(transport);
    return transport.handleRequest(request, { parsedBody: body });
  }

  #add(id: string, session: Session): void {
    this.#sessions.set(id, session);
    if (this.#sessions.size <= MAX_SESSIONS) return;
    const [oldest] = this.#sessions.values();
    void oldest?.server.close();
  }
}

interface Session {
  readonly server: Server;
  readonly transport: ExactTransport;
  readonly subscriptions: ClientSubscriptions;
}

/** The SDK replaces one error code of the legacy era by another; this sends the code that the actual server sent. */
class ExactTransport extends WebStandardStreamableHTTPServerTransport {
  readonly notFound = new Set<RequestId>();

  override send(message: JSONRPCMessage, options?: TransportSendOptions): Promise<void> {
    if ('error' in message && message.id !== undefined && this.notFound.delete(message.id)) {
      return super.send({ ...message, error: { ...message.error, code: RESOURCE_NOT_FOUND } }, options);
    }
    return super.send(message, options);
  }
}

function notify(server: Server, notification: Parameters<Server['notification']>[0]): void {
  server.notification(notification).catch(() => {});
}

function problem(status: number, code: number, message: string): Response {
  return Response.json({ jsonrpc: '2.0', id: null, error: { code, message } }, { status });
}

/** Carries out a request of a client, which has declared this. Rejects with a `WireError`. */
export type RequestHandler = (
  request: JSONRPCRequest,
  context: ServerContext,
  client: ClientCapabilities | undefined,
) => Promise<Result>;

/** The gateway validates nothing: servers and clients do. */
const noValidator = {
  getValidator: () => () => {
    throw new Error('The gateway validates nothing.');
  },
};

/**
 * One server as one client of the gateway sees it. Requests go to the handler unread: the SDK's own handlers would check and
 * strip, and so alter, what the actual server says. Without a handler it knows only what every server does.
 */
export function offeredServer(
  { implementation, capabilities, instructions }: Description,
  handle?: RequestHandler,
): Server {
  const server = new Server(implementation, {
    capabilities,
    jsonSchemaValidator: noValidator,
    ...(instructions !== undefined && { instructions }),
  });
  if (handle) {
    server.fallbackRequestHandler = (request, context) => {
      const envelope: Readonly<Record<string, unknown>> = context.mcpReq.envelope ?? {};
      const declared = envelope[CLIENT_CAPABILITIES_META_KEY] as ClientCapabilities | undefined;
      return handle(request, context, declared ?? server.getClientCapabilities());
    };
  }
  return server;
}

/** What the gateway says on behalf of a server (spec: basic/lifecycle, server/discover). */
export interface Description {
  readonly implementation: Implementation;
  readonly capabilities: ServerCapabilities;
  readonly instructions: string | undefined;
}

/**
 * What a ready server says about itself, under its configured name, so that a server which calls itself like another can't
 * take its place. Undefined while it is not ready. Load the server's pins first.
 */
export function describe(server: ServerConnection, pins: Pick<Pins, 'instructions'>): Description | undefined {
  const { info } = server;
  if (!info) return undefined;
  return {
    implementation: implementationForModels(revealedData(implementation(server.id, info.implementation))),
    capabilities: capabilities(info.capabilities),
    instructions: instructionsForModels(pins.instructions(server)),
  };
}

/** Without a title, because the editor would name the server's tools after it. */
function implementation(name: string, info: Implementation | undefined): Implementation {
  const { title: _, ...more } = info ?? { version: '0' };
  return { ...more, name };
}

/**
 * Extensions that need nothing but what is passed on anyway: results, resources and their `_meta`. Those with methods of their
 * own, such as tasks, which the host follows itself, and skills, would be declared and not served.
 */
const EXTENSIONS = ['io.modelcontextprotocol/ui'];

/** The supported part of a server's capabilities. List changes are always announced, because a restart may bring some. */
function capabilities(offered: ServerCapabilities): ServerCapabilities {
  const { tools, prompts, resources, completions, logging, extensions = {} } = offered;
  const served = Object.entries(extensions).filter(([name]) => EXTENSIONS.includes(name));
  return {
    ...(tools && { tools: { listChanged: true } }),
    ...(prompts && { prompts: { listChanged: true } }),
    ...(resources && { resources: { listChanged: true, ...(resources.subscribe && { subscribe: true }) } }),
    ...(completions && { completions: {} }),
    ...(logging && { logging: {} }),
    ...(served.length > 0 && { extensions: Object.fromEntries(served) }),
  };
}
