import type { Implementation } from '@modelcontextprotocol/client';
import { DisposableStore, Emitter, type Event } from '../base/events';
import { phrase } from '../base/phrase';
import type { OpenRequests, RequestsOf } from './connection/allowedRequests';
import { ServerConnection } from './connection/connection';
import type { ConnectionOptions } from './connection/connectionOptions';
import type { ServerRequests } from './connection/requests';
import type { ServerDefinition, ServerId } from './definition/definition';
import type { HostPorts } from './definition/ports';
import { type GuardedPorts, guardPorts, Redactor } from './secrets/redactor';
import { TraceLog } from './trace/traceLog';

const CONFIGURED = phrase('set to start automatically');
const REMOVED = phrase('it was removed from settings');
const ADD_AGAIN = phrase('Add it again to use it.');

export interface ServerChange {
  server: ServerConnection;
  what: 'state' | 'catalog';
}

/** The window's servers as every feature sees them. */
export interface ServerSet {
  /** All configured servers, including stopped and invalid ones, in the order of the settings. */
  readonly all: readonly ServerConnection[];
  get(id: ServerId): ServerConnection | undefined;
  /** The messages between them and this window; undefined until `onDidChange` announces the first of them. */
  readonly trace: TraceLog | undefined;
  readonly byHand: RequestsOf;
  /** The state or the catalog of one server changed; undefined: servers were added or removed. */
  readonly onDidChange: Event<ServerChange | undefined>;
}

/** Gives access to the servers of a host without asking any policy. The owner of the host passes `open` to its policy only. */
export class RequestDoors {
  readonly #requests = new WeakMap<ServerConnection, ServerRequests>();

  /** @throws Error for a server of another host. */
  readonly open: OpenRequests = server => {
    const requests = this.#requests.get(server);
    if (!requests) throw new Error(`MCP server "${server.name}" belongs to another host.`);
    return requests;
  };

  add(server: ServerConnection, requests: ServerRequests): void {
    this.#requests.set(server, requests);
  }
}

/**
 * The MCP host (spec: architecture#host): one client per configured server. Give it definitions with `reconcile`; it starts,
 * stops and restarts only what changed. It owns the set of servers and announces every change in it.
 */
export class McpHost {
  readonly #servers = new Map<ServerId, { connection: ServerConnection; listeners: DisposableStore }>();
  /** Servers that were removed and whose processes are still ending. */
  readonly #ending = new Set<Promise<void>>();
  readonly #serversChanged = new Emitter<void>();
  readonly #serverChanged = new Emitter<ServerChange>();
  readonly #listeners = new DisposableStore();
  readonly #redactor = new Redactor();
  readonly #ports: GuardedPorts;
  /** Every message of every server, in both directions, as far back as `ConnectionOptions.trace` says. */
  readonly trace = new TraceLog(text => this.#redactor.text(text));
  /** A server was added or removed. */
  readonly onDidChangeServers = this.#serversChanged.event;
  readonly onDidChangeServer = this.#serverChanged.event;

  constructor(
    private readonly clientInfo: Implementation,
    ports: HostPorts,
    private readonly options: ConnectionOptions = {},
    private readonly doors = new RequestDoors(),
  ) {
    this.#ports = guardPorts(ports, this.#redactor, this.trace);
    this.#limitTrace();
    this.#listeners.add(
      ports.roots.onDidChange(() => {
        for (const { roots } of this.servers) roots.announce();
      }),
    );
    const level = ports.log.onDidChangeLevel?.(id => this.get(id)?.applyLogLevel());
    if (level) this.#listeners.add(level);
  }

  /** All configured servers, including stopped and invalid ones, in the order of the settings. */
  get servers(): readonly ServerConnection[] {
    return [...this.#servers.values()].map(({ connection }) => connection);
  }

  get(id: ServerId): ServerConnection | undefined {
    return this.#servers.get(id)?.connection;
  }

  /** See `RequestDoors`. */
  get requests(): OpenRequests {
    return this.doors.open;
  }

  /**
   * Makes the set of servers match the definitions: new ones start if they start by themselves, removed ones stop, those
   * whose fingerprint changed restart, and all others adopt changed options.
   */
  reconcile(definitions: readonly ServerDefinition[]): void {
    this.#limitTrace();
    const before = new Map(this.#servers);
    const started: ServerConnection[] = [];
    this.#servers.clear();
    for (const { id, secrets } of definitions) this.#redactor.guess(id, secrets);
    for (const definition of definitions) {
      const known = before.get(definition.id);
      before.delete(definition.id);
      this.#servers.set(definition.id, known ?? this.#create(definition));
      if (!known) started.push(this.get(definition.id)!);
    }
    for (const { connection, listeners } of before.values()) {
      listeners.dispose();
      const ended = connection.dispose(REMOVED, ADD_AGAIN).finally(() => {
        this.#ending.delete(ended);
        // What it said may still be in the trace.
        if (!this.#servers.has(connection.id) && !this.trace.isOn) this.#redactor.forget(connection.id);
      });
      this.#ending.add(ended);
    }
    this.#serversChanged.fire();
    for (const definition of definitions) {
      const connection = this.get(definition.id)!;
      if (!started.includes(connection)) connection.update(definition);
      else if (connection.startPolicy === 'onStartup') void connection.start(CONFIGURED);
    }
  }

  /** Stops every server. Resolves when all their processes are gone, after at most about 5 seconds. */
  async dispose(): Promise<void> {
    this.#listeners.dispose();
    for (const { listeners } of this.#servers.values()) listeners.dispose();
    const stops = this.servers.map(server => server.dispose(phrase('the editor is closing')));
    this.#servers.clear();
    await Promise.allSettled([...stops, ...this.#ending]);
    this.#serversChanged.dispose();
    this.#serverChanged.dispose();
    this.trace.dispose();
  }

  #limitTrace(): void {
    if (this.options.trace) this.trace.limit(this.options.trace());
  }

  #create(definition: ServerDefinition): { connection: ServerConnection; listeners: DisposableStore } {
    const { connection, requests } = ServerConnection.create(definition, this.clientInfo, this.#ports, this.options);
    this.doors.add(connection, requests);
    const listeners = new DisposableStore();
    listeners.add(connection.onDidChangeState(() => this.#serverChanged.fire({ server: connection, what: 'state' })));
    listeners.add(
      connection.catalog.onDidChange(() => this.#serverChanged.fire({ server: connection, what: 'catalog' })),
    );
    return { connection, listeners };
  }
}
