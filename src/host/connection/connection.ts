import type { Implementation } from '@modelcontextprotocol/client';
import type { HostError } from '../../base/errors';
import { Emitter, type Event } from '../../base/events';
import { english, type Phrase, phrase } from '../../base/phrase';
import { Catalog } from '../catalog/catalog';
import type { CatalogSource } from '../catalog/catalogPages';
import type { ServerDefinition, ServerId } from '../definition/definition';
import type { DebuggedLaunch, ServerPurpose } from '../definition/launchGate';
import { CATALOG_KINDS, type CatalogItems, type CatalogKind, capabilityOf } from '../reading/lists';
import type { SandboxAttempts } from '../sandbox/attempts';
import type { ServerInfo } from '../sdk/serverInfo';
import type { GuardedPorts } from '../secrets/redactor';
import { type FollowedState, openChannel, Subscriptions } from '../subscriptions/subscriptions';
import { Account, loadRemote } from './account';
import { ConnectionLog } from './connectionLog';
import { type ConnectionOptions, limitsOf, type StartPolicy, startPolicy, stepAfterChange } from './connectionOptions';
import { launchable } from './launchable';
import { type KnownPings, Pings } from './ping';
import { type RequestAttempt, ServerRequests } from './requests';
import { type Restart, Restarts } from './restarts';
import { GO_ON, isRunning, type ServerState, START, StateHolder, startAction } from './serverState';
import { Session, type SessionListeners } from './session';
import { loadClient } from './sessionHandshake';
import { SharedRoots } from './sharedRoots';
import { Vitals } from './vitals';

const stopped: ServerState = { kind: 'stopped' };

/** How a server is started, besides the reason. */
type LaunchOptions = Partial<Pick<Restart, 'after' | 'isQuiet'>> & { readonly purpose?: ServerPurpose | undefined };

/**
 * One configured server: its definition, its state and what it offers. Survives restarts and changes of the definition,
 * so that views can hold on to it. Owns at most one live `Session`, and with it one process.
 */
export class ServerConnection {
  readonly catalog: Catalog;
  readonly #subscriptions = new Subscriptions();
  /** Which of its resources are followed, and what is heard of them. Callers subscribe through `RequestsOf`. */
  readonly subscriptions: FollowedState = this.#subscriptions;
  readonly roots: SharedRoots;
  readonly account: Account;
  readonly vitals: Vitals;
  #attempts: SandboxAttempts | undefined;
  readonly #states: StateHolder;
  readonly #eventTypesChanged = new Emitter<void>();
  /** The server offers other types of events (SEP-3415). */
  readonly onDidChangeEventTypes = this.#eventTypesChanged.event;
  #definition: ServerDefinition;
  /** The state while no session runs. Any other than `stopped` is the last one that it reached. */
  #rest: ServerState = stopped;
  #session: Session | undefined;
  #pings: Pings | undefined;
  readonly #restarts: Restarts;
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
    this.vitals = new Vitals(() => ports.trace.ended(this.id));
    this.#log = new ConnectionLog(ports, () => this.#definition);
    this.#states = new StateHolder({
      log: (level, text) => this.#log.write(level, text),
      changed: (state, why) => this.vitals.changed(state, why),
      redactor: ports.redactor,
      slowStartMs: options.slowStartMs,
      printed: () => this.#session?.printed,
    });
    this.#requests = new ServerRequests(this, {
      ports,
      options,
      log: this.#log,
      subscriptions: this.#subscriptions,
      session: () => this.#session,
      answered: () => this.#pings?.contact(),
      failed: (session, error, tried) => this.#failed(session, error, tried),
    });
    this.roots = new SharedRoots(this, this.#requests, ports);
    this.account = new Account(this, clientInfo, ports);
    this.#startPolicy = startPolicy(definition, options);
    const isRemote = () => (this.#definition.entry?.type ?? 'stdio') !== 'stdio';
    const launch = ({ reason, ...how }: Restart) => void this.#launch(reason, how);
    this.#restarts = new Restarts({ isRemote, launch, error: problem => this.#log.error(problem) }, options.restart);
    const source: CatalogSource = {
      // Its requests belong to one session: they do not wait for the next.
      request: (action, send, options) =>
        this.#requests.request(action, send, { ...options, waits: false, isRead: true }),
      announces: kind => this.announces(kind),
      leftOut: (...part) => this.#log.leftOut(...part),
    };
    this.catalog = new Catalog(source, ports.memory);
    this.catalog.onDidChange(kind => this.#log.listed(kind, this.catalog.list(kind)));
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

  get id(): ServerId {
    return this.#definition.id;
  }

  get name(): string {
    return this.#definition.name;
  }

  get state(): ServerState {
    return this.#states.current;
  }

  get onDidChangeState(): Event<ServerState> {
    return this.#states.onDidChange;
  }

  /** The server's declarations during the handshake, while it is ready: name, version, capabilities. */
  get info(): ServerInfo | undefined {
    return this.state.kind === 'ready' ? this.state.info : undefined;
  }

  /** When the server last answered, and how long it took; while it is ready. */
  get health(): KnownPings | undefined {
    return this.#pings;
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
    const { kind } = this.state;
    if (kind === 'stopped') return this.#startPolicy === 'onDemand';
    return isRunning(kind);
  }

  /** Waits, and starts the server, as a request would. Resolves when a request could be sent, and rejects as it would. */
  untilReady(signal?: AbortSignal): Promise<void> {
    return this.#requests.request(START, async () => undefined, { signal });
  }

  /** When the newest of the unanswered tool calls and prompts was sent; undefined if there are none. */
  get latestRequestAt(): number | undefined {
    return this.#requests.latestRequestAt;
  }

  /** Whether the ready server says when a list of this kind has changed. */
  announces(kind: CatalogKind): boolean {
    return this.info?.capabilities[capabilityOf(kind)]?.listChanged === true;
  }

  /** The items that can be used now: those listed, or listed last if using one starts the server or waits for it. */
  offers<K extends CatalogKind>(kind: K): readonly CatalogItems[K][] {
    return this.isUsable ? this.catalog.knownItems(kind) : [];
  }

  /** Starts the server unless it is starting or ready. Never rejects: a failure is the state. */
  start(reason: Phrase | string, purpose?: ServerPurpose): Promise<void> {
    this.#restarts.reset();
    return this.#launch(reason, { purpose });
  }

  /** Immediately retries a remote server that could not be reached: a request needs it, or the network may be back. */
  retry(reason: Phrase): void {
    if (this.#session) void this.#launch(reason);
    else this.#restarts.retry(reason);
  }

  /** A failure counts as one more unexpected end if the start is a restart, with `after`. */
  async #launch(
    reason: Phrase | string,
    { after, isQuiet = false, purpose = this.options.purpose }: LaunchOptions = {},
  ): Promise<void> {
    // One that was tried quietly is waited for from now on.
    if (this.#session && 'error' in this.state) this.#states.set({ kind: 'starting', isSlow: false }, reason);
    if (this.#session || this.#rest !== stopped) return;
    this.#restarts.cancel();
    const tried = launchable(this.#definition);
    if ('code' in tried) return this.#states.fail(this.#log.error({ ...tried, action: START }));
    let debugged: DebuggedLaunch | undefined;
    const listeners: SessionListeners = {
      listChanged: kind => this.catalog.listChanged(kind),
      resourceUpdated: uri => this.#subscriptions.received(uri),
      eventTypesChanged: () => this.#eventTypesChanged.fire(),
      closed: error => this.#onEnded(session, () => this.#recover(error, debugged)),
      logLevel: () => this.#log.level,
      leftOut: (...part) => this.#log.leftOut(...part),
      streamed: params => this.#requests.streamed.received(params),
      roots: () => this.roots.list(),
      access: remote => this.account.access(remote, after !== undefined || isQuiet),
      confined: attempts => {
        this.#attempts = attempts;
        attempts?.onDidBlock(attempt => this.#log.blocked(attempt));
      },
      newer: version => this.#states.published(version),
    };
    const session = new Session(this.#definition, this.ports, listeners, {
      clientInfo: this.clientInfo,
      maxMessageBytes: limitsOf(this.options).messageBytes,
    });
    this.#session = session;
    this.vitals.began(session);
    this.roots.forget();
    this.#states.starting(tried.entry, reason, isQuiet, purpose);
    try {
      const [admitted] = await Promise.all([
        this.ports.launch.admit(this.#definition, purpose ?? 'server'),
        this.#ending,
      ]);
      if (this.#session !== session) return;
      if ('needs' in admitted) {
        this.#session = undefined;
        const error = this.#log.refused(admitted, START);
        return admitted.needs === 'permission' ? this.#states.fail(error) : this.#states.need(admitted.needs, error);
      }
      ({ debugged } = admitted);
      const info = await session.connect(admitted);
      if (this.#session === session) this.#onReady(session, info);
    } catch (error) {
      this.vitals.ended(session);
      if (this.#session !== session) return;
      this.#session = undefined;
      const failure = this.#log.explained(error, startAction(tried.entry));
      if (failure.code === 'UNAUTHORIZED') this.#states.need('needsAuth', failure);
      else if (after || debugged?.isAttached) this.#recover(failure, debugged, isQuiet);
      else {
        this.#states.fail(failure, { isQuiet });
        this.#restarts.afterFirst(failure);
      }
    }
  }

  /** Stops the server, also one that is still starting. Resolves when its process is gone. */
  async stop(reason: Phrase | string): Promise<void> {
    const session = this.#session;
    this.#restarts.cancel();
    if (session) {
      this.#log.write('info', `stopping: ${english(reason)}`);
      this.#release();
      this.#ending = Promise.allSettled([this.#ending, this.#close(session)]);
    } else if (this.state.kind !== 'stopped') this.#log.write('info', `stopped: ${english(reason)}`);
    this.#states.set(this.#rest, reason);
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

  /** Takes over a changed definition and options: restarts when what is launched changed, else applies the rest. */
  update(definition: ServerDefinition): void {
    const before = { definition: this.#definition, policy: this.#startPolicy, state: this.state };
    const now = { definition, policy: startPolicy(definition, this.options) };
    [this.#definition, this.#startPolicy] = [now.definition, now.policy];
    this.#requests.gate.inFlight = limitsOf(this.options).requestsInFlight;
    const step = stepAfterChange(before, now, before.state.kind);
    if (step) void this[step.what](step.why);
    // The row of a stopped server shows its start policy.
    if (before.policy !== now.policy && this.state === before.state) this.#states.announce();
    void this.catalog.remember(definition);
    if (before.definition.entry?.logLevel !== definition.entry?.logLevel) this.applyLogLevel();
    this.roots.announce();
  }

  #failed(session: Session, error: unknown, tried: RequestAttempt): HostError {
    const { faultOf, redactCauses } = loadClient();
    redactCauses(error, text => this.redactForProgram(text));
    const fault = faultOf(error);
    if (fault?.code === 'SESSION_LOST') {
      // The caller of a request that is not repeated learns whether it was carried out.
      const remedy = phrase('It reconnects automatically.');
      const lost = this.#log.error({ code: fault.code, action: GO_ON, reason: fault.phrase, remedy });
      this.#onClosed(session, lost, () => session.untilRefused());
    }
    const how = { definition: this.#definition, ...tried, ...session.circumstances };
    const failure = this.ports.redactor.error(loadRemote().explain(error, how));
    this.#log.stackOf(failure);
    if (failure.code === 'UNAUTHORIZED') this.#onEnded(session, () => this.#states.need('needsAuth', failure));
    return failure;
  }

  #onReady(session: Session, info: ServerInfo): void {
    this.#restarts.ready();
    this.#log.ready(info);
    const log = (message: string) => this.#log.write('warning', message);
    const events = this.options.events?.() === true;
    this.#subscriptions.attach(openChannel(this.#requests, session.client, { info, events, log }));
    this.#pings ??= new Pings(session, info, limitsOf(this.options).pingIntervalMs, {
      isBusy: () => this.#requests.gate.isBusy,
      lost: reason => this.#onClosed(session, this.#log.error({ code: 'CLOSED', action: GO_ON, reason })),
      changed: now => this.#onReady(session, now),
      log: this.#log,
      pings: this.vitals.pings,
    });
    this.#states.set({ kind: 'ready', info, pid: session.pid });
    this.#sendLogLevel();
    void this.catalog.loadAll(CATALOG_KINDS.filter(kind => info.capabilities[capabilityOf(kind)]));
  }

  #onClosed(session: Session, error: HostError, last?: () => Promise<void>): void {
    this.#onEnded(session, () => this.#recover(error), last);
  }

  /** @param last resolves when the session may be closed. */
  #onEnded(session: Session, next: () => void, last?: () => Promise<void>): void {
    if (this.#session !== session) return;
    this.#release();
    this.#ending = last ? last().then(() => this.#close(session)) : this.#close(session);
    next();
  }

  /**
   * Restarts a server that ended unexpectedly, after a delay, unless that happened too often. Debuggers end the program when
   * a person stops them: then it restarts immediately, and counts as failed only if that start fails.
   */
  #recover(error: HostError, debugged?: DebuggedLaunch, isQuiet = false): void {
    if (debugged?.over) {
      this.#log.write('info', error.reason);
      return void this.#launch(debugged.over);
    }
    const next = this.#restarts.after(error);
    if (!next) {
      if (this.#definition.entry?.type === 'stdio')
        this.#log.write('error', 'it ended unexpectedly too often and is no longer restarted');
      return void this.#states.fail(error, { gaveUp: true });
    }
    const waitS = Math.max(0, next.at - Date.now()) / 1_000;
    this.#log.write(isQuiet ? 'debug' : 'error', `${next.error.message} It restarts in ${waitS.toFixed(1)} s.`);
    this.#states.set(next);
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
    this.#pings?.dispose();
    this.#pings = undefined;
    this.catalog.clear();
  }

  #close(session: Session): Promise<void> {
    this.vitals.ended(session);
    return session.close().finally(() => this.vitals.ended(session));
  }

  /** Redacts secrets in a text for the person. */
  redact(text: string): string {
    return this.ports.redactor.text(text);
  }

  /** Redacts secrets in a text of this server that a program or a model reads. */
  redactForProgram(text: string): string {
    return this.ports.redactor.textForProgram(text);
  }
}
