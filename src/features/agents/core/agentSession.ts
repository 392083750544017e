import type { Socket } from 'node:net';
import {
  CLIENT_INFO_META_KEY,
  type JSONRPCMessage,
  type Server,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { INVALID_REQUEST, RESOURCE_NOT_FOUND, SERVER_ERROR } from '../../../base/errors';
import type { Disposable } from '../../../base/events';
import { isObject } from '../../../base/json';
import { phrase } from '../../../base/phrase';
import { Queue, within } from '../../../base/queue';
import { type GatewayTrust, offeredServer, type RequestHandler, WireError } from '../../../gateway';
import type { ServerConnection, ServerSet } from '../../../host';
import type { ClientAnswer, ClientIdentity, Clients } from '../../clients/core';
import type { Profile } from '../../profiles/core';
import type { AskApproval, RefusedCall, ToolCalls } from '../../trust/core';
import { type AgentProcess, agentIdentity } from './agentIdentity';
import { AgentTools } from './agentTools';
import { LIST_METHODS, type ServedServers, SharedServers, type SharedServersOptions } from './sharedServers';
import { SignsOfLife } from './signsOfLife';
import { SocketTransport } from './socketTransport';

/** An agent that has come in: the bridge that it started has proved that it is of the same person. */
export interface ArrivedAgent {
  readonly socket: Socket;
  readonly process: AgentProcess;
  /** The one server that it wants. Absent: all. */
  readonly server?: string;
}

/** What the session gives to whatever serves its client. */
export interface SessionHooks extends Pick<SharedServersOptions, 'changed' | 'client' | 'only' | 'updated'> {
  readonly trust: Omit<GatewayTrust, 'offered' | 'asker'>;
}

export interface AgentSessionOptions {
  readonly servers: Pick<ServerSet, 'all' | 'onDidChange'>;
  readonly trust: Omit<GatewayTrust, 'calls' | 'asker'> & {
    readonly calls: Pick<ToolCalls, 'approve' | 'isAllowed'>;
  };
  readonly clients: Pick<Clients, 'answer' | 'ask' | 'onDidChangeProfile' | 'onDidDecide' | 'profile'>;
  readonly includes: (server: ServerConnection) => boolean;
  /** Serves the editor's own chat in another way than agents, and counts its requests as the chat's. Absent: an agent's. */
  readonly chat?: {
    serve(hooks: SessionHooks): ServedServers;
    /** The name under which everything that this chat reads counts together. */
    readonly conversation: string;
  };
  /** The person's own profile of a name: they may choose one for an agent. */
  readonly profile: (name: string) => Pick<Profile, 'servers' | 'tools'> | undefined;
  readonly version: string;
  /** How long an agent waits for a person, in milliseconds. Most agents wait no longer than a minute for an answer. */
  readonly personMs?: number | undefined;
  /** How long an agent waits for a person before it gets a list, in milliseconds: it can go on without. */
  readonly listMs?: number | undefined;
  /** How often a client that waits gets a sign of life, in milliseconds. */
  readonly signMs?: number | undefined;
}

const PERSON_MS = 50_000;
/** Longest wait for a list; later items arrive as `list_changed`. */
const LIST_MS = 15_000;
/** Resources that the streams of one session follow. Each is looked up in all lists. */
const MAX_FOLLOWED = 1_000;
/** Calls that wait for a person, in one session. */
const MAX_QUESTIONS = 8;
const OWN_NAME = 'mcp-host';
const MAX_NAME = 100;
/** With this, requests tell to which conversation they belong. */
const CONVERSATION = 'vscode.conversationId';

/** One agent that uses the servers of this window, in either era of the protocol. */
export class AgentSession {
  readonly #transport: SocketTransport;
  readonly #served: ServedServers;
  readonly #decisions: Disposable;
  readonly #handle: { close(): Promise<void> };
  /** Streams of changes, by the ids of their requests: the resources that each names. */
  readonly #listening = new Map<unknown, readonly unknown[]>();
  #server: Server | undefined;
  #identity: ClientIdentity | undefined;
  #admission: Promise<ClientAnswer> | undefined;
  #isAdmitted = false;
  readonly #gone = new AbortController();
  readonly #questions = new Queue();
  readonly closed: Promise<void>;

  constructor(
    private readonly agent: ArrivedAgent,
    private readonly options: AgentSessionOptions,
  ) {
    const hooks: SessionHooks = {
      trust: { ...options.trust, calls: this.#calls(), requests: this.#requests(), ask: this.#askApproval },
      only: agent.server,
      client: () => this.name,
      changed: list => this.#notify(`notifications/${list}/list_changed`),
      updated: uri => this.#notify('notifications/resources/updated', { uri }),
    };
    this.#served = options.chat?.serve(hooks) ?? this.#share(hooks);
    this.#decisions = options.clients.onDidDecide(({ client, what }) => {
      const { id, program } = this.#identity ?? {};
      const isThis = client.kind === 'agent' && client.id === id && client.program === program;
      if (isThis && (what === 'revoked' || (what === 'denied' && this.#isAdmitted))) void this.close();
    });
    this.#transport = new SocketTransport(agent.socket);
    this.#transport.onseen = message => this.#see(message);
    this.closed = new Promise(resolve => agent.socket.once('close', () => resolve()));
    void this.closed.then(() => this.#dispose());
    this.#handle = serveStdio(() => this.#serve(), { transport: this.#transport });
  }

  /** For people, once the agent has given its name. */
  get name(): string | undefined {
    return this.#identity?.name;
  }

  async close(): Promise<void> {
    await this.#handle.close();
    await this.closed;
  }

  #share({ trust, ...hooks }: SessionHooks): ServedServers {
    const { options } = this;
    const offered = new AgentTools(options, () => this.#identity);
    return new SharedServers({
      ...hooks,
      servers: options.servers,
      trust: { ...trust, offered, asker: () => 'both' },
      includes: server => offered.includesServer(server),
    });
  }

  #dispose(): void {
    this.#gone.abort();
    this.#decisions.dispose();
    this.#served.dispose();
  }

  /** Answers an allowed agent's first message with all that it needs; others get that with the first request. */
  async #serve(): Promise<Server> {
    const { clients, version } = this.options;
    const isAllowed = this.#identity && clients.answer(this.#identity) === 'allowed';
    this.#server = offeredServer(
      {
        implementation: { name: this.agent.server ?? 'mcp-host', version },
        capabilities: {
          tools: { listChanged: true },
          prompts: { listChanged: true },
          resources: { listChanged: true, subscribe: true },
          completions: {},
        },
        instructions: isAllowed ? await this.#served.instructions() : undefined,
      },
      this.#answer,
    );
    return this.#server;
  }

  readonly #answer: RequestHandler = async (request, context, client) => {
    const signs = new SignsOfLife(context.mcpReq, this.options.signMs);
    try {
      return await this.#carryOut(request, { ...context, mcpReq: signs.request }, client);
    } finally {
      signs.dispose();
    }
  };

  readonly #carryOut: RequestHandler = async (request, context, client) => {
    const list = LIST_METHODS[request.method as keyof typeof LIST_METHODS];
    try {
      const answer = await this.#admit(list ? (this.options.listMs ?? LIST_MS) : this.#personMs);
      // An agent without tools goes on, and is told of them when the person has answered.
      if (answer === 'waiting' && list) {
        void this.#admission?.then(() =>
          this.#notify(`notifications/${list === 'resourceTemplates' ? 'resources' : list}/list_changed`),
        );
        return { [list]: [] };
      }
      if (answer !== 'allowed') throw new WireError(SERVER_ERROR, this.#refusal(answer));
      return await this.#served.handle(request, this.#in(context), client);
    } catch (error) {
      if ((error as WireError).code === RESOURCE_NOT_FOUND) this.#transport.notFound.add(request.id);
      throw error;
    }
  };

  /** Reads of all sessions of an agent count together: its model may use several, one after the other. */
  #in(context: ServerContext): ServerContext {
    const { mcpReq } = context;
    return { ...context, mcpReq: { ...mcpReq, _meta: { ...mcpReq._meta, ...this.#conversation } } };
  }

  get #conversation() {
    return { [CONVERSATION]: this.options.chat?.conversation ?? `agent ${this.#identity?.id}` };
  }

  async #admit(limitMs: number): Promise<ClientAnswer | 'waiting'> {
    const identity = this.#identity;
    if (this.#isAdmitted) {
      const isStill = !identity || identity.isUncertain || this.options.clients.answer(identity) === 'allowed';
      // Another window may have revoked it.
      if (!isStill) void this.close();
      return isStill ? 'allowed' : 'denied';
    }
    // A bridge among our own servers would lead back to us.
    if (identity?.id === OWN_NAME)
      throw new WireError(SERVER_ERROR, 'The bridge cannot be a server of MCP Host itself.');
    if (!identity) throw new WireError(INVALID_REQUEST, 'The client has not said its name.');
    this.#admission ??= this.options.clients.ask(identity).then(answer => {
      this.#isAdmitted = answer === 'allowed';
      // Answers are remembered elsewhere: the next request may find another.
      if (!this.#isAdmitted) this.#admission = undefined;
      return answer;
    });
    return within(this.#admission, limitMs, 'waiting' as const);
  }

  #refusal(answer: Exclude<ClientAnswer, 'allowed'> | 'waiting'): string {
    const who = `"${this.#identity?.name}"`;
    return {
      denied: `The user does not allow ${who} to use these MCP servers. They can change that in the editor with "MCP Host: Manage Trust…".`,
      unanswered: `The user closed the question whether ${who} may use these MCP servers. They can reload the window of the editor to be asked again.`,
      busy: 'Too many agents ask the user at once. Try again later.',
      waiting: `The user has not answered yet whether ${who} may use these MCP servers. The question is in the editor: try again when they have answered.`,
    }[answer];
  }

  /** The one door to calls: with the agent's name, and a limit to how long it waits for the person. */
  #calls(): GatewayTrust['calls'] {
    const { calls } = this.options.trust;
    return {
      isAllowed: call => calls.isAllowed(call),
      approve: (call, ask) => {
        const seconds = Math.round(this.#personMs / 1000);
        const late: RefusedCall = {
          approved: false,
          why: 'unanswered',
          by: 'person',
          message: phrase(
            'The call was not approved in the editor within {0} seconds. Ask the user before you try again.',
            seconds,
          ),
        };
        // With the time, the question ends: an answer to it would come to nothing.
        return this.#inTime(until => {
          const asked = calls.approve({ ...call, ...this.#caller }, (one, pin) => ask({ ...one, until }, pin));
          return within(asked, this.#personMs, late);
        });
      },
    };
  }

  /** The one door to other requests, likewise. */
  #requests(): GatewayTrust['requests'] {
    return {
      as: caller => {
        const ask: AskApproval = (call, pin) =>
          this.#inTime(until => within(this.#askApproval({ ...call, until }, pin), this.#personMs, undefined));
        const trail = 'trail' in caller ? caller.trail : undefined;
        return this.options.trust.requests.as({ ...this.#caller, trail, ask });
      },
    };
  }

  /** Who makes the requests, for rules, questions and the audit log. */
  get #caller(): { origin: 'gateway' } | { origin: 'agent'; client: { id: string; name: string } } {
    const { id = '', name = '' } = this.#identity ?? {};
    return this.options.chat ? { origin: 'gateway' } : { origin: 'agent', client: { id, name } };
  }

  readonly #askApproval: AskApproval = (call, pin) => {
    // A flood of questions would only teach the person to click them away.
    if (this.#questions.length >= MAX_QUESTIONS) return Promise.resolve(undefined);
    return this.#questions.run(async () =>
      this.agent.socket.destroyed || call.until?.aborted ? undefined : this.options.trust.ask(call, pin),
    );
  };

  /** @param run gets a signal that is aborted when it is over, or the agent is gone. */
  async #inTime<T>(run: (until: AbortSignal) => Promise<T>): Promise<T> {
    const over = new AbortController();
    try {
      return await run(AbortSignal.any([over.signal, this.#gone.signal]));
    } finally {
      over.abort();
    }
  }

  get #personMs(): number {
    return this.options.personMs ?? PERSON_MS;
  }

  #see(message: JSONRPCMessage): void {
    if (!('method' in message)) return;
    const { method } = message;
    const params = (message.params ?? {}) as Readonly<Record<string, unknown>>;
    const info = method === 'initialize' ? params.clientInfo : Object(params._meta)[CLIENT_INFO_META_KEY];
    if (isObject(info) && typeof info.name === 'string' && info.name) this.#named(info.name, info.version);
    if (method === 'subscriptions/listen' && 'id' in message) this.#listen(message.id, params);
    if (method === 'notifications/cancelled') this.#listen(params.requestId, {});
  }

  /** The name that it gives first holds for the session. */
  #named(name: string, version: unknown): void {
    const short = name.slice(0, MAX_NAME);
    if (this.#identity && this.#identity.id !== short) return void this.close();
    this.#identity ??= agentIdentity(
      { name: short, ...(typeof version === 'string' && { version }) },
      this.agent.process,
    );
  }

  /** A stream of changes (spec: `subscriptions/listen`) may name resources: they are subscribed while it is open. */
  #listen(id: unknown, { notifications }: Readonly<Record<string, unknown>>): void {
    const before = this.#listening.get(id) ?? [];
    this.#listening.delete(id);
    const kept = [...this.#listening.values()].flat();
    const { resourceSubscriptions: named } = Object(notifications) as { resourceSubscriptions?: unknown };
    if (Array.isArray(named) && this.#listening.size < MAX_FOLLOWED) {
      const uris = named.slice(0, Math.max(0, MAX_FOLLOWED - kept.length));
      this.#listening.set(id, uris);
      const subscribe = (answer: ClientAnswer | 'waiting') => {
        if (answer !== 'allowed') return;
        for (const uri of uris) {
          // A resource that does not exist or is refused sends no updates, and needs no answer.
          this.#served.subscribe(uri, { _meta: this.#conversation }).catch(() => {});
        }
      };
      // A client that has not named itself learns that from the answer to its request.
      this.#admit(this.#personMs).then(subscribe, () => {});
    }
    const followed = new Set([...kept, ...(this.#listening.get(id) ?? [])]);
    for (const uri of before) if (!followed.has(uri)) this.#served.unsubscribe(uri);
  }

  #notify(method: string, params?: { uri: string }): void {
    if (!this.#isAdmitted) return;
    const notification = { method, ...(params && { params }) } as Parameters<Server['notification']>[0];
    // It may be gone.
    this.#server?.notification(notification).catch(() => {});
  }
}
