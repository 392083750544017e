import { type Implementation, SdkError, SdkErrorCode, type Transport } from '@modelcontextprotocol/client';
import { HostError } from '../../base/errors';
import { MAX_TIMER_MS } from '../../base/numberText';
import { plainText } from '../../base/processes';
import { limited, orAborted } from '../../base/queue';
import { visible } from '../../base/text';
import type { ServerDefinition } from '../definition/definition';
import type { AdmittedLaunch, ServerPurpose } from '../definition/launchGate';
import type { LogMessage } from '../reading/framing';
import type { SandboxAttempts } from '../sandbox/attempts';
import { launch } from '../sandbox/launcher';
import type { HostClient } from '../sdk/hostClient';
import { type ServerInfo, serverInfo } from '../sdk/serverInfo';
import type { GuardedPorts } from '../secrets/redactor';
import { type RemoteEntry, reachedAs } from '../settings';
import type { RemoteListeners } from '../transport/httpTransport';
import type { Traffic, Wire } from '../transport/incomingMessages';
import { type Exit, StdioTransport } from '../transport/stdioTransport';
import type { TransportFault } from '../transport/transportFault';
import { type Account, loadRemote } from './account';
import { EraMemory, type EraVerdict, LEGACY, PROBE_SHARE, UNKNOWN_PROBE } from './eraMemory';
import { contradicts, faultOf, httpStatus, leavesEraOpen, refuses } from './errorFacts';
import type { Circumstances } from './explainFailure';
import { GO_ON, startAction } from './serverState';
import { type ClientListeners, createClient } from './sessionClient';

/** A remote server that does not answer the era probe within this time counts as legacy. */
const PROBE_TIMEOUT_MS = 8_000;

/** How long requests of a forgotten session may take to be refused. */
const REFUSED_MS = 1_000;

/** Callbacks of a session. */
export interface SessionListeners extends Omit<ClientListeners, 'log'> {
  /** The session ended unexpectedly: the process exited or the connection closed. Not called after `close()`. */
  closed(error: HostError): void;
  /** Called at the start with the record of what its sandbox blocks, or undefined without a sandbox. */
  confined(attempts: SandboxAttempts | undefined): void;
  /** See `PackagePorts`. */
  newer(version: string): void;
  /** Gives requests their credentials. */
  access(entry: RemoteEntry): ReturnType<Account['access']>;
}

type Ending = Pick<Circumstances, 'attempts' | 'exit' | 'closedPipe' | 'stderrTail' | 'noiseTail'>;

/** One connection from launch to end: a transport and the SDK client on it. A restart creates a new session. */
export class Session {
  /**
   * A debugger may have paused it. Its requests then do not time out, and it is not started a second time, because that
   * process would also wait for a debugger.
   */
  isDebugged = false;
  #inFlight = 0;
  /** Called when no request is in flight any more. */
  #idle: (() => void) | undefined;
  #client: HostClient | undefined;
  #transport: Transport | undefined;
  /** A program that is reached over HTTP. */
  #served: StdioTransport | undefined;
  #connected = false;
  /** Why the transport was lost. */
  #fault: TransportFault | undefined;
  #closing = false;
  /** How it ended unexpectedly: the reason why requests in flight failed. */
  ending: Ending = {};
  /** Of its program, if that is confined. */
  #attempts: SandboxAttempts | undefined;
  #startMs = MAX_TIMER_MS;
  /** Whether a remote server counts as legacy only because it did not answer the probe. */
  #isGuess = false;
  /** Whether it was started a second time because it did not answer the probe. */
  #isCostly = false;
  readonly #eras: EraMemory;

  constructor(
    private readonly definition: ServerDefinition,
    private readonly ports: GuardedPorts,
    private readonly listeners: SessionListeners,
    private readonly options: { readonly clientInfo: Implementation; readonly maxMessageBytes: number },
  ) {
    this.#eras = new EraMemory(ports.memory, definition.fingerprint);
  }

  /** The live client. Throws when the session is not connected. */
  get client(): HostClient {
    if (!this.#client || !this.#connected) throw new SdkError(SdkErrorCode.NotConnected, 'not connected');
    return this.#client;
  }

  /** The id of its latest answer, if nothing was asked under it. */
  get strayId(): string | number | undefined {
    return this.#client?.strayId;
  }

  get pid(): number | undefined {
    return this.#process?.pid ?? undefined;
  }

  /** Traffic of its transport. Excludes the first attempt of a start that was tried twice. */
  get traffic(): Traffic | undefined {
    return (this.#transport as { traffic?: Traffic } | undefined)?.traffic;
  }

  /** The last line of stderr, or else the last of stdout that is no MCP message. */
  get printed(): string | undefined {
    const { stderrTail, noiseTail } = endOf(this.#process);
    return stderrTail.at(-1) ?? noiseTail.at(-1);
  }

  /** How the process ended, once it has. */
  get exit(): Exit | undefined {
    return this.#process?.exit;
  }

  /** Its program, whether that is its transport or serves one. */
  get #process(): StdioTransport | undefined {
    return this.#served ?? (this.#transport instanceof StdioTransport ? this.#transport : undefined);
  }

  /**
   * Launches or reaches the server and negotiates the era (spec: basic/lifecycle). Rejects with a `HostError` after at
   * most `timeouts.startMs`; nothing is left running then.
   */
  async connect(admitted: AdmittedLaunch<ServerPurpose>): Promise<ServerInfo> {
    const { entry, debugged } = admitted;
    this.isDebugged = debugged !== undefined;
    if (!debugged) this.#startMs = entry.timeouts.startMs;
    const startMs = this.#startMs;
    const abort = new AbortController();
    const timer = setTimeout(() => {
      abort.abort();
      // Ends a handshake that waits for an answer, and the process.
      void this.#transport?.close();
    }, startMs);
    try {
      const kind = await this.#negotiate(abort.signal, verdict =>
        entry.type === 'stdio'
          ? this.#connectProgram(admitted, abort.signal, verdict)
          : this.#connectRemote(entry, abort.signal, { verdict, mayReach: admitted.mayReach }),
      );
      if (this.#closing) throw new SdkError(SdkErrorCode.ConnectionClosed, 'closed');
      this.#connected = true;
      this.#process?.settle();
      return serverInfo(this.client, kind);
    } catch (error) {
      const ended = { ...endOf(this.#process), strayId: this.strayId };
      await Promise.all([this.#transport?.close(), this.#served?.close()]);
      const how = { action: startAction(entry), limit: 'startMs', timeoutMs: startMs, ...ended } as const;
      const attempts = this.#attempts;
      if (abort.signal.aborted) {
        const late = loadRemote().timedOut(how);
        const explanation = attempts ? loadRemote().explainConfined(late, attempts, ended.stderrTail) : late;
        throw new HostError({ ...how, server: this.definition.name, cause: error, ...explanation });
      }
      throw loadRemote().explain(this.#fault ?? error, {
        ...how,
        offered: this.#client?.offered,
        definition: { ...this.definition, entry },
        attempts,
      });
    } finally {
      clearTimeout(timer);
    }
  }

  /** To be called when a request is sent. */
  requestBegan(): void {
    this.#inFlight++;
  }

  /** To be called when a request is over. */
  requestEnded(): void {
    if (--this.#inFlight === 0) this.#idle?.();
  }

  /**
   * Waits after the server has refused the session, so that other requests in flight are refused too: it has not carried
   * them out either. Resolves when there are none.
   */
  async untilRefused(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#idle = resolve;
    const timer = setTimeout(resolve, this.#inFlight === 0 ? 0 : REFUSED_MS);
    await promise;
    clearTimeout(timer);
  }

  /** Ends the session. Resolves when the process is gone. */
  async close(): Promise<void> {
    this.#closing = true;
    this.#connected = false;
    // The client does not close a transport that is still being probed.
    await Promise.allSettled([this.#client?.close(), this.#transport?.close()]);
    await this.#served?.close();
  }

  /**
   * Connects with the remembered era. If that may be why it fails because the server has changed, forgets it and connects
   * once more without; likewise if the server of an unanswered probe refuses `initialize`: it may only just have woken up.
   */
  async #negotiate<T extends ServerInfo['transport']>(
    signal: AbortSignal,
    connect: (verdict: EraVerdict | undefined) => Promise<T>,
  ): Promise<T> {
    const said = this.definition.entry?.protocol;
    let verdict = said ? LEGACY : await this.#eras.read();
    let transport: T;
    try {
      transport = await connect(verdict);
    } catch (error) {
      const why = this.#fault ?? error;
      const assumed = verdict ?? (this.#isGuess && refuses(why) ? LEGACY : undefined);
      const mayBeWhy = !this.isDebugged && (signal.aborted || contradicts(why));
      if (!assumed || said || this.#closing || !mayBeWhy) throw error;
      this.#eras.forget();
      if (signal.aborted) throw error;
      this.#log('lifecycle', 'info', `it does not seem to be of the ${assumed.era} era: negotiating again`);
      await this.#transport?.close();
      verdict = undefined;
      transport = await connect(verdict);
    }
    const found = { era: this.#client?.getProtocolEra() ?? 'legacy', sse: transport === 'sse' };
    // A server paused by a debugger reveals nothing about its era.
    if (!this.isDebugged && (found.era !== verdict?.era || found.sse !== verdict.sse))
      this.#eras.write(found, this.#isCostly);
    return transport;
  }

  async #connectProgram(
    admitted: AdmittedLaunch,
    signal: AbortSignal,
    verdict: EraVerdict | undefined,
  ): Promise<ServerInfo['transport']> {
    const ports = { ...this.ports, packages: { memory: this.ports.memory, newer: this.listeners.newer } };
    const program = await launch(admitted, ports, text => this.#log('lifecycle', 'notice', text));
    const { attempts, cwd } = program;
    this.#log('lifecycle', 'info', `it runs in ${visible(cwd)}`);
    this.#attempts = attempts;
    this.listeners.confined(attempts);
    const stderr = (line: string) => {
      this.#log('stderr', 'info', line);
      attempts?.said(line);
    };
    const listeners = { ...this.#messageListeners('stdout'), stderr };
    const reached = reachedAs(admitted.entry);
    if (reached.type === 'stdio') {
      await this.#reach(() => new StdioTransport(program, listeners, this.options.maxMessageBytes), signal, verdict);
      return 'stdio';
    }
    await this.#served?.close();
    const noise = (line: string) => this.#log('stdout', 'info', plainText(line));
    const served = new StdioTransport(program, { ...listeners, noise, wire: () => {} }, undefined, false);
    this.#served = served;
    await loadRemote().startServing(served, reached.url, this.definition.name, signal);
    served.onclose = () => {
      if (!this.#closing) void this.#transport?.close();
    };
    return this.#connectRemote(reached, signal, { verdict, mayReach: admitted.mayReach });
  }

  async #connectRemote(
    entry: RemoteEntry,
    signal: AbortSignal,
    { verdict, mayReach }: Pick<AdmittedLaunch, 'mayReach'> & { readonly verdict: EraVerdict | undefined },
  ): Promise<'http' | 'sse'> {
    const options = { ...this.options, mayReach, ...this.listeners.access(entry) };
    const open = (kind: 'http' | 'sse') =>
      loadRemote().createRemoteTransport(entry, kind, this.#remoteListeners(), options);
    if (entry.type === 'sse' || verdict?.sse) {
      // A server that has moved to the newer transport may open a stream and send nothing on it.
      const attempt = (limit: AbortSignal) => this.#attempt(open('sse'), limit, LEGACY);
      await (verdict?.sse ? limited(PROBE_TIMEOUT_MS, [signal], attempt) : attempt(signal));
      return 'sse';
    }
    try {
      await this.#reach(() => open('http'), signal, verdict);
      return 'http';
    } catch (error) {
      const status = httpStatus(error) ?? 0;
      const refused = status >= 400 && status < 500 && status !== 401 && status !== 403;
      if (!refused || verdict || signal.aborted || this.#closing) throw error;
      await this.#transport?.close();
      try {
        await this.#attempt(open('sse'), signal, LEGACY);
      } catch (sseError) {
        // The first refusal is more useful than the failed fallback, unless the fallback asks for a sign-in.
        throw httpStatus(sseError) === 401 || faultOf(sseError)?.code === 'UNAUTHORIZED' ? sseError : error;
      }
      return 'sse';
    }
  }

  /**
   * Connects over a new transport, and over another one without the probe if nothing that only a server of the modern era
   * would say came in answer to it (spec: basic/versioning#backward-compatibility-with-initialization-based-versions): legacy
   * servers die of a request before `initialize`, ignore it, or answer it in any way, as does what stands before them.
   */
  async #reach(open: () => Transport, signal: AbortSignal, verdict: EraVerdict | undefined): Promise<void> {
    const transport = open();
    const isProgram = transport instanceof StdioTransport;
    const patienceMs = this.#startMs * PROBE_SHARE;
    let isSilent = false;
    const giveUp = () => {
      if (!this.#client?.reader.isProbing) return;
      isSilent = true;
      // It may also be slow, and then has all the time of its next start.
      this.#eras.write(LEGACY, true);
      void transport.close();
    };
    const timer = isProgram ? setTimeout(giveUp, patienceMs) : undefined;
    try {
      await this.#attempt(transport, signal, verdict);
    } catch (error) {
      const isOpen = isSilent || (this.#client?.reader.isProbing && leavesEraOpen(error));
      if (!isOpen || signal.aborted || this.#closing || this.isDebugged) throw error;
      await transport.close();
      this.#isGuess = !isProgram;
      this.#isCostly = isProgram;
      if (isProgram) {
        const how = isSilent ? `it did not answer within ${patienceMs / 1_000} s` : 'it ended without answering';
        this.#log('lifecycle', 'notice', `${how} ${UNKNOWN_PROBE}`);
      }
      await this.#attempt(open(), signal, LEGACY);
    } finally {
      clearTimeout(timer);
    }
  }

  async #attempt(transport: Transport, signal: AbortSignal, verdict: EraVerdict | undefined): Promise<void> {
    if (signal.aborted || this.#closing)
      throw new SdkError(SdkErrorCode.ConnectionClosed, 'closed before it was connected');
    // `startMs` bounds the whole start; the SDK's own limit must not end it earlier.
    const timeout = this.#startMs;
    // The answer of a program to the probe decides whenever it comes. A server that answered it before may be slow now.
    const remoteMs = verdict?.era === 'modern' ? Math.max(PROBE_TIMEOUT_MS, timeout / 2) : PROBE_TIMEOUT_MS;
    const probeMs = transport instanceof StdioTransport ? MAX_TIMER_MS : remoteMs;
    const client = createClient(
      this.definition,
      this.ports,
      { ...this.listeners, log: this.#log },
      { clientInfo: this.options.clientInfo, probeMs },
    );
    if (this.isDebugged) client.deadlines.standStill();
    this.#client = client;
    this.#transport = transport;
    this.#fault = undefined;
    // A modern verdict does not skip the probe, which shows whether the server is there and what it supports now.
    const prior = verdict?.era === 'legacy' ? ({ prior: { kind: 'legacy' } } as const) : {};
    // HTTP+SSE waits for the first event of its stream for ever, also when it is closed: who aborts does not wait for that.
    const late = () => new SdkError(SdkErrorCode.RequestTimeout, 'no answer in time');
    await orAborted(client.connect(transport, { timeout, signal, ...prior }), signal, late);
    client.onclose = () => {
      if (this.#closing || this.#client !== client) return;
      this.#connected = false;
      const ended = endOf(this.#process);
      const closed = this.#fault ?? new SdkError(SdkErrorCode.ConnectionClosed, 'closed');
      this.ending = { ...ended, attempts: this.#attempts };
      this.listeners.closed(
        loadRemote().explain(closed, { definition: this.definition, action: GO_ON, ...this.ending }),
      );
    };
  }

  #messageListeners(source: 'stdout' | 'lifecycle') {
    return {
      noise: (text: string) =>
        this.#log(
          source,
          'warning',
          `not an MCP message: ${this.ports.redactor.text(plainText(text)).slice(0, 1_000)}`,
        ),
      log: (message: LogMessage) => this.ports.log.log(this.definition, { source: 'server', ...message }),
      leftOut: (what: string) => this.#log('lifecycle', 'warning', `left out: ${what}`),
      wire: ((direction, text) => this.ports.trace.write(this.definition.id, direction, text)) satisfies Wire,
    };
  }

  #remoteListeners(): RemoteListeners {
    return {
      ...this.#messageListeners('lifecycle'),
      say: what => this.#log('lifecycle', 'info', what),
      lost: fault => {
        this.#fault = fault;
        void this.#transport?.close();
      },
    };
  }

  readonly #log: ClientListeners['log'] = (source, level, data) =>
    this.ports.log.log(this.definition, { source, level, data });
}

/** How a program ended, if there is one. */
function endOf({ exit, closedPipe, stderrTail = [], noiseTail = [] }: Partial<StdioTransport> = {}) {
  return { exit, closedPipe, stderrTail, noiseTail };
}
