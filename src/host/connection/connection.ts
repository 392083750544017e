import type { Implementation } from '@modelcontextprotocol/client';
import type { HostError } from '../../base/errors';
import { Emitter } from '../../base/events';
import { english, type Phrase, phrase } from '../../base/phrase';
import { Catalog } from '../catalog/catalog';
import type { CatalogSource } from '../catalog/catalogPages';
import type { ServerDefinition, ServerId } from '../definition/definition';
import type { DebuggedLaunch, ServerPurpose } from '../definition/launchGate';
import type { SandboxAttempts } from '../sandbox/attempts';
import { CATALOG_KINDS, type CatalogItems, type CatalogKind, capabilityOf } from '../sdk/listResults';
import type { ServerInfo } from '../sdk/serverInfo';
import type { GuardedPorts } from '../secrets/guardPorts';
import { openChannel } from '../subscriptions/subscriptionChannel';
import { type FollowedState, Subscriptions } from '../subscriptions/subscriptions';
import { FORGOTTEN } from '../transport/httpFault';
import { Account } from './account';
import { ConnectionLog } from './connectionLog';
import { type ConnectionOptions, DEFAULT_MESSAGE_BYTES, pingInterval, requestsInFlight } from './connectionOptions';
import { stepAfterChange } from './definitionChange';
import { explain, isSessionLost } from './explainFailure';
import { launchable } from './launchable';
import { Health, type KnownHealth } from './ping';
import { ServerRequests, type Tried } from './requests';
import { DEFAULT_RESTART, RestartPolicy } from './restartPolicy';
import type { ServerState } from './serverState';
import { GO_ON, Session, type SessionListeners } from './session';
import { SharedRoots } from './sharedRoots';
import { whenSlow } from './slowStart';
import { type StartPolicy, startPolicy } from './startPolicy';
import { Vitals } from './vitals';

const stopped: ServerState = { kind: 'stopped' };
const START = phrase('start');
const ENDED = phrase('it ended unexpectedly');

/**
 * One configured server: its definition, its state and what it offers. Survives restarts and changes of the definition,
 * so that views can hold on to it. Owns at most one live `Session`, and with it one process.
 */
export class ServerConnection {
  readonly catalog: Catalog;
  readonly #subscriptions = new Subscriptions();
  /** Which of its resources are followed, and what is heard of them. Callers subscribe through `RequestsOf`. */
  readonly subscriptions: FollowedState = this.#subscriptions;
  /** The folders that are shared with the server. */
  readonly roots: SharedRoots;
  /** The sign-in of a remote server. */
  readonly account: Account;
  /** Statistics about the server. */
  readonly vitals = new Vitals();
  #attempts: SandboxAttempts | undefined;
  readonly #stateChanged = new Emitter<ServerState>();
  readonly onDidChangeState = this.#stateChanged.event;
  #definition: ServerDefinition;
  #state: ServerState = stopped;
  /** The state while no session runs. Any other than `stopped` is the last one that it reached. */
  #rest: ServerState = stopped;
  #session: Session | undefined;
  #health: Health | undefined;
  #restartTimer: NodeJS.Timeout | undefined;
  #slowTimer: NodeJS.Timeout | undefined;
  readonly #restarts: RestartPolicy;
  #startPolicy: StartPolicy;
  readonly #requests: ServerRequests;
  readonly #log: ConnectionLog;
  /** Ends of earlier sessions: a start waits for them, so that ports and files are free again. */
  #ending: Promise<unknown> = Promise.resolve();

  constructor(
    definition: ServerDefinition,
    private readonly clientInfo: Implementation,
    private readonly ports: GuardedPorts,
    private readonly options: ConnectionOptions = {},
  ) {
    this.#definition = definition;
    this.#log = new ConnectionLog(ports, () => this.#definition);
    this.#requests = new ServerRequests(this, {
      ports,
      options,
      log: this.#log,
      subscriptions: this.#subscriptions,
      session: () => this.#session,
      answered: () => this.#health?.contact(),
      failed: (session, error, tried) => this.#failed(session, error, tried),
    });
    this.roots = new SharedRoots(this, this.#requests, ports);
    this.account = new Account(this, clientInfo, ports);
    this.#startPolicy = startPolicy(definition, options);
    this.#restarts = new RestartPolicy(options.restart ?? DEFAULT_RESTART);
    // Its requests belong to one session: they do not wait for the next.
    const request: CatalogSource['request'] = (action, send, options) =>
      this.#requests.request(action, send, { ...options, waits: false });
    this.catalog = new Catalog({ request, announces: kind => this.announces(kind) }, ports.memory);
    this.catalog.onDidChange(kind => this.#log.excluded(kind, this.catalog.list(kind)));
    void this.catalog.remember(definition);
  }

  /** @returns a new connection, and its requests: its host keeps these to itself (`McpHost.requests`). */
  static create(...args: ConstructorParameters<typeof ServerConnection>) {
    const connection = new ServerConnection(...args);
    return { connection, requests: connection.#requests };
  }

  get definition(): ServerDefinition {
    return this.#definition;
  }

  /** Unique key of the server in this window. */
  get id(): ServerId {
    return this.#definition.id;
  }

  /** As configured. */
  get name(): string {
    return this.#definition.name;
  }

  get state(): ServerState {
    return this.#state;
  }

  /** The server's declarations during the handshake, while it is ready: name, version, capabilities. */
  get info(): ServerInfo | undefined {
    return this.#state.kind === 'ready' ? this.#state.info : undefined;
  }

  /** When the server last answered, and how long it took; while it is ready. */
  get health(): KnownHealth | undefined {
    return this.#health;
  }

  /** How often it was restarted because it ended unexpectedly. */
  get restartCount(): number {
    return this.#restarts.count;
  }

  /** Attempts that the sandbox has blocked since the last start. Undefined if it is not confined. */
  get attempts(): SandboxAttempts | undefined {
    return this.#attempts;
  }

  /** When it is started, as its entry and the settings say. */
  get startPolicy(): StartPolicy {
    return this.#startPolicy;
  }

  /** Whether a request would be sent, now or after a while: the server is ready, is starting, or starts when it is used. */
  get isUsable(): boolean {
    const { kind } = this.#state;
    if (kind === 'stopped') return this.#startPolicy === 'onDemand';
    return kind === 'ready' || kind === 'starting' || kind === 'reconnecting';
  }

  /** Waits, and starts the server, as a request would. Resolves when a request could be sent, and rejects as it would. */
  untilReady(signal?: AbortSignal): Promise<void> {
    return this.#requests.request(phrase('start'), async () => undefined, { signal });
  }

  /** When the newest of the unanswered tool calls and prompts was sent; undefined if there are none. */
  get askedAt(): number | undefined {
    return this.#requests.askedAt;
  }

  /** Whether the ready server says when a list of this kind has changed. */
  announces(kind: CatalogKind): boolean {
    return this.info?.capabilities[capabilityOf(kind)]?.listChanged === true;
  }

  /**
   * The items that can be used now: those that it lists, or those that it listed last if using one starts the server or waits
   * for it.
   */
  offers<K extends CatalogKind>(kind: K): readonly CatalogItems[K][] {
    return this.isUsable ? this.catalog.known(kind) : [];
  }

  /** Starts the server unless it is starting or ready. Never rejects: a failure is the state. */
  start(reason: Phrase | string, purpose?: ServerPurpose): Promise<void> {
    this.#restarts.reset();
    return this.#launch(reason, undefined, purpose);
  }

  /** @param after why the server ended, if this start is a restart: a failure then counts as one more unexpected end. */
  async #launch(reason: Phrase | string, after?: HostError, purpose = this.options.purpose): Promise<void> {
    if (this.#session || this.#rest !== stopped) return;
    clearTimeout(this.#restartTimer);
    const tried = launchable(this.#definition);
    if ('code' in tried) return this.#fail(this.#log.error({ ...tried, action: START }));
    const { entry } = tried;
    let debugged: DebuggedLaunch | undefined;
    const listeners: SessionListeners = {
      listChanged: kind => this.catalog.listChanged(kind),
      resourceUpdated: uri => this.#subscriptions.received(uri),
      closed: error => this.#onEnded(session, () => this.#recover(error, debugged)),
      logLevel: () => this.#log.level,
      roots: () => this.roots.list(),
      authorize: remote => this.account.authorize(remote),
      confined: attempts => {
        this.#attempts = attempts;
        attempts?.onDidBlock(attempt => this.#log.blocked(attempt));
      },
    };
    const session = new Session(this.#definition, this.ports, listeners, {
      clientInfo: this.clientInfo,
      maxMessageBytes: this.options.maxMessageBytes?.() ?? DEFAULT_MESSAGE_BYTES,
    });
    this.#session = session;
    this.vitals.began(session);
    this.roots.forget();
    this.#log.write('info', `starting: ${english(reason)}`);
    this.#set({ kind: 'starting', isSlow: false }, reason);
    this.#slowTimer = whenSlow(entry, this.options, note => {
      this.#log.write('warning', note);
      this.#set({ kind: 'starting', isSlow: true });
    });
    const [admitted] = await Promise.all([
      this.ports.launch.admit(this.#definition, purpose ?? 'server'),
      this.#ending,
    ]);
    if (this.#session !== session) return;
    if ('needs' in admitted) {
      this.#session = undefined;
      const { needs, reason, remedy } = admitted;
      const code = needs === 'needsTrust' ? 'NEEDS_TRUST' : 'NEEDS_INPUT';
      return this.#need(needs, this.#log.error({ code, action: START, reason, remedy }));
    }
    ({ debugged } = admitted);
    try {
      const info = await session.connect(admitted);
      if (this.#session === session) this.#onReady(session, info);
    } catch (error) {
      this.vitals.ended(session);
      if (this.#session !== session) return;
      this.#session = undefined;
      const failure = error as HostError;
      if (failure.code === 'UNAUTHORIZED') this.#need('needsAuth', failure);
      else if (after || debugged?.isAttached) this.#recover(failure, debugged);
      else this.#fail(failure);
    }
  }

  /** Stops the server, also one that is still starting. Resolves when its process is gone. */
  async stop(reason: Phrase | string): Promise<void> {
    const session = this.#session;
    clearTimeout(this.#restartTimer);
    if (session) {
      this.#log.write('info', `stopping: ${english(reason)}`);
      this.#release();
      this.#ending = Promise.allSettled([this.#ending, this.#close(session)]);
    } else if (this.#state.kind !== 'stopped') this.#log.write('info', `stopped: ${english(reason)}`);
    this.#set(this.#rest, reason);
    await this.#ending;
  }

  /** Stops the server for good: later starts fail with the reason. Resolves when its process is gone. */
  dispose(reason: Phrase, remedy?: Phrase): Promise<void> {
    const error = this.#log.error({ code: 'NOT_READY', action: START, reason, ...(remedy && { remedy }) });
    this.#rest = { kind: 'failed', error, gaveUp: false };
    this.account.dispose(error);
    return this.stop(reason);
  }

  async restart(reason: Phrase | string, purpose?: ServerPurpose): Promise<void> {
    void this.stop(reason);
    await this.start(reason, purpose);
  }

  /**
   * Takes over a changed definition, and options that changed: restarts when what is launched changed, else applies the
   * rest at once.
   */
  update(definition: ServerDefinition): void {
    const before = { definition: this.#definition, policy: this.#startPolicy, state: this.#state };
    const now = { definition, policy: startPolicy(definition, this.options) };
    [this.#definition, this.#startPolicy] = [now.definition, now.policy];
    this.#requests.gate.inFlight = requestsInFlight(this.options);
    const step = stepAfterChange(before, now, before.state.kind);
    if (step) void this[step.what](step.why);
    // The row of a stopped server shows its start policy.
    if (before.policy !== now.policy && this.#state === before.state) this.#stateChanged.fire(this.#state);
    void this.catalog.remember(definition);
    if (before.definition.entry?.logLevel !== definition.entry?.logLevel) this.applyLogLevel();
    this.roots.announce();
  }

  #failed(session: Session, error: unknown, tried: Tried): HostError {
    if (isSessionLost(error))
      this.#onClosed(session, this.#log.error({ code: 'CLOSED', action: GO_ON, reason: FORGOTTEN }));
    const how = { definition: this.#definition, ...tried, ...session.ending };
    const failure = this.ports.redactor.error(explain(error, how));
    if (failure.code === 'UNAUTHORIZED') this.#onEnded(session, () => this.#need('needsAuth', failure));
    return failure;
  }

  #onReady(session: Session, info: ServerInfo): void {
    this.#log.ready(info);
    this.#subscriptions.attach(
      openChannel(this.#requests, session.client, info, message => this.#log.write('warning', message)),
    );
    this.#health ??= new Health(session, info, pingInterval(this.options), {
      isBusy: () => this.#requests.gate.isBusy,
      lost: reason => this.#onClosed(session, this.#log.closed(reason)),
      changed: now => this.#onReady(session, now),
      log: this.#log,
      pings: this.vitals.pings,
    });
    this.#set({ kind: 'ready', info, pid: session.pid });
    this.#sendLogLevel();
    void this.catalog.loadAll(CATALOG_KINDS.filter(kind => info.capabilities[capabilityOf(kind)]));
  }

  #onClosed(session: Session, error: HostError): void {
    this.#onEnded(session, () => this.#recover(error));
  }

  #onEnded(session: Session, next: () => void): void {
    if (this.#session !== session) return;
    this.#release();
    this.#ending = this.#close(session);
    next();
  }

  /**
   * Restarts a server that ended unexpectedly, after a delay, unless that happened too often. Debuggers end the program when
   * a person stops them: then it restarts immediately, and counts as failed only if that start fails.
   */
  #recover(error: HostError, debugged?: DebuggedLaunch): void {
    if (debugged?.over) {
      this.#log.write('info', error.reason);
      return void this.#launch(debugged.over);
    }
    const delayMs = this.#restarts.next(Date.now());
    if (delayMs === undefined) {
      this.#log.write('error', 'it ended unexpectedly too often and is no longer restarted');
      this.#fail(error, true);
      return;
    }
    this.#log.write('error', `${error.message} It restarts in ${(delayMs / 1000).toFixed(1)} s.`);
    this.#set({ kind: 'reconnecting', error, at: Date.now() + delayMs });
    this.#restartTimer = setTimeout(() => void this.#launch(ENDED, error), delayMs);
  }

  /** Applies another log level: in the legacy era by a request, in the modern era with each following request. */
  applyLogLevel(): void {
    if (!this.info?.capabilities.logging) return;
    this.#log.write('info', `its log messages are asked for from "${this.#log.level}" on`);
    this.#sendLogLevel();
  }

  #sendLogLevel(): void {
    const session = this.#session;
    this.#requests.setLogLevel(this.#log.level).catch((error: Error) => {
      // The next session sends it again.
      if (this.#session === session) this.#log.write('warning', error.message);
    });
  }

  /** Drops the session, whatever ended it. */
  #release(): void {
    this.#session = undefined;
    this.#subscriptions.detach();
    this.#health?.dispose();
    this.#health = undefined;
    this.catalog.clear();
  }

  #close(session: Session): Promise<void> {
    this.vitals.ended(session);
    return session.close().finally(() => this.vitals.ended(session));
  }

  #need(kind: 'needsTrust' | 'needsInput' | 'needsAuth', error: HostError): void {
    this.#log.write('warning', error.message);
    this.#set({ kind, error });
  }

  #fail(error: HostError, gaveUp = false): void {
    this.#log.write('error', error.message);
    this.#set({ kind: 'failed', error, gaveUp });
  }

  /** Redacts the secrets of this server in a text that is to be shown or written. */
  redact(text: string): string {
    return this.ports.redactor.text(text);
  }

  #set(state: ServerState, why?: Phrase | string): void {
    clearTimeout(this.#slowTimer);
    if (state === this.#state) return;
    this.#state = 'error' in state ? { ...state, error: this.ports.redactor.error(state.error) } : state;
    this.vitals.changed(this.#state, why);
    this.#stateChanged.fire(this.#state);
  }
}
