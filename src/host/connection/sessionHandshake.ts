import type { Implementation, Transport } from '@modelcontextprotocol/client';
import { MAX_TIMER_MS } from '../../base/numberText';
import { plainText } from '../../base/processes';
import { limited, orAborted } from '../../base/queue';
import { beginningOf, visible } from '../../base/text';
import type { ServerDefinition } from '../definition/definition';
import type { AdmittedLaunch, ServerPurpose } from '../definition/launchGate';
import type { LogMessage } from '../reading/framing';
import type { SandboxAttempts } from '../sandbox/attempts';
import { launch } from '../sandbox/launcher';
import type { HostClient } from '../sdk/hostClient';
import type { ServerInfo } from '../sdk/serverInfo';
import type { GuardedPorts } from '../secrets/redactor';
import { type RemoteEntry, reachedAs } from '../settings';
import type { RemoteListeners } from '../transport/httpTransport';
import type { Wire } from '../transport/incomingMessages';
import { StdioTransport } from '../transport/stdioTransport';
import type { TransportFault } from '../transport/transportFault';
import { type Account, loadRemote } from './account';
import { EraMemory, type EraVerdict, LEGACY, PROBE_SHARE, UNKNOWN_PROBE } from './eraMemory';
import type { ClientListeners } from './sessionClient';

/** A remote server that does not answer the era probe within this time counts as legacy. */
const PROBE_TIMEOUT_MS = 8_000;

/** What a handshake reports, and asks for. */
export interface HandshakeListeners extends Omit<ClientListeners, 'log'> {
  /** Called at the start with the record of what its sandbox blocks, or undefined without a sandbox. */
  confined(attempts: SandboxAttempts | undefined): void;
  /** See `PackagePorts`. */
  newer(version: string): void;
  /** Gives requests their credentials. */
  access(entry: RemoteEntry): ReturnType<Account['access']>;
}

export interface SessionOptions {
  readonly clientInfo: Implementation;
  readonly maxMessageBytes: number;
}

interface HandshakeOptions extends SessionOptions {
  readonly admitted: AdmittedLaunch<ServerPurpose>;
  /** Bounds the whole start. */
  readonly startMs: number;
  /** Aborted after that. */
  readonly signal: AbortSignal;
  /** Called when the connection is lost once it was made. */
  lost(): void;
}

/**
 * Launches or reaches a server and negotiates the era (spec: basic/lifecycle), by as many attempts as that takes. Each is a client
 * on a transport of its own: with the remembered era, with the probe, with `initialize` alone, and over HTTP+SSE.
 */
export class Handshake {
  /** Those of the latest attempt. */
  client: HostClient | undefined;
  transport: Transport | undefined;
  /** Why that transport was lost. */
  fault: TransportFault | undefined;
  /** Of its program, if that is confined. */
  attempts: SandboxAttempts | undefined;
  /** A program that is reached over HTTP. */
  #served: StdioTransport | undefined;
  #isClosed = false;
  /** Whether a remote server counts as legacy only because it did not answer the probe. */
  #isGuess = false;
  /** Whether it was started a second time because it did not answer the probe. */
  #isCostly = false;
  readonly #eras: EraMemory;
  readonly #isDebugged: boolean;

  constructor(
    private readonly definition: ServerDefinition,
    private readonly ports: GuardedPorts,
    private readonly listeners: HandshakeListeners,
    private readonly options: HandshakeOptions,
  ) {
    this.#eras = new EraMemory(ports.memory, definition.fingerprint);
    this.#isDebugged = options.admitted.debugged !== undefined;
  }

  /** Its program, whether that is its transport or serves one. */
  get program(): StdioTransport | undefined {
    return this.#served ?? (this.transport instanceof StdioTransport ? this.transport : undefined);
  }

  /** Resolves when its program is gone. */
  async close(): Promise<void> {
    this.#isClosed = true;
    // The client does not close a transport that is still being probed.
    await Promise.allSettled([this.client?.close(), this.transport?.close()]);
    await this.#served?.close();
  }

  /**
   * Connects with the remembered era. If that may be why it fails because the server has changed, forgets it and connects
   * once more without; likewise if the server of an unanswered probe refuses `initialize`: it may only just have woken up.
   */
  async run(): Promise<ServerInfo['transport']> {
    const { signal } = this.options;
    const said = this.definition.entry?.protocol;
    let verdict = said ? LEGACY : await this.#eras.read();
    let transport: ServerInfo['transport'];
    try {
      transport = await this.#connect(verdict);
    } catch (error) {
      const why = this.fault ?? error;
      const { contradicts, refuses } = loadClient();
      const assumed = verdict ?? (this.#isGuess && refuses(why) ? LEGACY : undefined);
      const mayBeWhy = !this.#isDebugged && (signal.aborted || contradicts(why));
      if (!assumed || said || this.#isClosed || !mayBeWhy) throw error;
      this.#eras.forget();
      if (signal.aborted) throw error;
      this.#log('lifecycle', 'info', `it does not seem to be of the ${assumed.era} era: negotiating again`);
      await this.transport?.close();
      verdict = undefined;
      transport = await this.#connect(verdict);
    }
    const found = { era: this.client?.getProtocolEra() ?? 'legacy', sse: transport === 'sse' };
    // A server paused by a debugger reveals nothing about its era.
    if (!this.#isDebugged && (found.era !== verdict?.era || found.sse !== verdict.sse))
      this.#eras.write(found, this.#isCostly);
    return transport;
  }

  #connect(verdict: EraVerdict | undefined): Promise<ServerInfo['transport']> {
    const { entry } = this.options.admitted;
    return entry.type === 'stdio' ? this.#connectProgram(verdict) : this.#connectRemote(entry, verdict);
  }

  async #connectProgram(verdict: EraVerdict | undefined): Promise<ServerInfo['transport']> {
    const { admitted, signal, maxMessageBytes } = this.options;
    const ports = { ...this.ports, packages: { memory: this.ports.memory, newer: this.listeners.newer } };
    const program = await launch(admitted, ports, text => this.#log('lifecycle', 'notice', text));
    const { attempts, cwd } = program;
    this.#log('lifecycle', 'info', `it runs in ${visible(cwd)}`);
    this.attempts = attempts;
    this.listeners.confined(attempts);
    const stderr = (line: string) => {
      this.#log('stderr', 'info', line);
      attempts?.said(line);
    };
    const listeners = { ...this.#messageListeners('stdout'), stderr };
    const reached = reachedAs(admitted.entry);
    if (reached.type === 'stdio') {
      await this.#reach(() => new StdioTransport(program, listeners, maxMessageBytes), verdict);
      return 'stdio';
    }
    await this.#served?.close();
    const noise = (line: string) => this.#log('stdout', 'info', noiseText(line));
    const served = new StdioTransport(program, { ...listeners, noise, wire: () => {} }, undefined, false);
    this.#served = served;
    await loadRemote().startServing(served, reached.url, this.definition.name, signal);
    served.onclose = () => {
      if (!this.#isClosed) void this.transport?.close();
    };
    return this.#connectRemote(reached, verdict);
  }

  async #connectRemote(entry: RemoteEntry, verdict: EraVerdict | undefined): Promise<'http' | 'sse'> {
    const { admitted, signal, clientInfo, maxMessageBytes } = this.options;
    const { mayReach } = admitted;
    const options = { clientInfo, maxMessageBytes, mayReach, ...this.listeners.access(entry) };
    const open = (kind: 'http' | 'sse') =>
      loadRemote().createRemoteTransport(entry, kind, this.#remoteListeners(), options);
    if (entry.type === 'sse' || verdict?.sse) {
      // A server that has moved to the newer transport may open a stream and send nothing on it.
      const attempt = (limit: AbortSignal) => this.#attempt(open('sse'), LEGACY, limit);
      await (verdict?.sse ? limited(PROBE_TIMEOUT_MS, [signal], attempt) : attempt(signal));
      return 'sse';
    }
    try {
      await this.#reach(() => open('http'), verdict);
      return 'http';
    } catch (error) {
      const { faultOf, httpStatus } = loadClient();
      const status = httpStatus(error) ?? 0;
      const refused = status >= 400 && status < 500 && status !== 401 && status !== 403;
      if (!refused || verdict || signal.aborted || this.#isClosed) throw error;
      await this.transport?.close();
      try {
        await this.#attempt(open('sse'), LEGACY);
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
  async #reach(open: () => Transport, verdict: EraVerdict | undefined): Promise<void> {
    const { signal } = this.options;
    const transport = open();
    const isProgram = transport instanceof StdioTransport;
    const patienceMs = this.options.startMs * PROBE_SHARE;
    let isSilent = false;
    const giveUp = () => {
      if (!this.client?.reader.isProbing) return;
      isSilent = true;
      // It may also be slow, and then has all the time of its next start.
      this.#eras.write(LEGACY, true);
      void transport.close();
    };
    const timer = isProgram ? setTimeout(giveUp, patienceMs) : undefined;
    try {
      await this.#attempt(transport, verdict);
    } catch (error) {
      const isOpen = isSilent || (this.client?.reader.isProbing && loadClient().leavesEraOpen(error));
      if (!isOpen || signal.aborted || this.#isClosed || this.#isDebugged) throw error;
      await transport.close();
      this.#isGuess = !isProgram;
      this.#isCostly = isProgram;
      if (isProgram) {
        const how = isSilent ? `it did not answer within ${patienceMs / 1_000} s` : 'it ended without answering';
        this.#log('lifecycle', 'notice', `${how} ${UNKNOWN_PROBE}`);
      }
      await this.#attempt(open(), LEGACY);
    } finally {
      clearTimeout(timer);
    }
  }

  async #attempt(
    transport: Transport,
    verdict: EraVerdict | undefined,
    signal: AbortSignal = this.options.signal,
  ): Promise<void> {
    if (signal.aborted || this.#isClosed)
      throw loadClient().sdkError('ConnectionClosed', 'closed before it was connected');
    this.client = undefined;
    this.transport = transport;
    this.fault = undefined;
    const isProgram = transport instanceof StdioTransport;
    const late = () => loadClient().sdkError('RequestTimeout', 'no answer in time');
    // First of all, so that it boots while we load what speaks to it.
    if (isProgram) await orAborted(transport.start(), signal, late);
    const { createClient, rehearse } = loadClient();
    // `startMs` bounds the whole start; the SDK's own limit must not end it earlier.
    const timeout = this.options.startMs;
    // The answer of a program to the probe decides whenever it comes. A server that answered it before may be slow now.
    const remoteMs = verdict?.era === 'modern' ? Math.max(PROBE_TIMEOUT_MS, timeout / 2) : PROBE_TIMEOUT_MS;
    const probeMs = isProgram ? MAX_TIMER_MS : remoteMs;
    const client = createClient(
      this.definition,
      this.ports,
      { ...this.listeners, log: this.#log },
      { clientInfo: this.options.clientInfo, probeMs },
    );
    if (this.#isDebugged) client.deadlines.standStill();
    this.client = client;
    // A modern verdict does not skip the probe, which shows whether the server is there and what it supports now.
    const prior = verdict?.era === 'legacy' ? ({ prior: { kind: 'legacy' } } as const) : {};
    const connecting = client.connect(transport, { timeout, signal, ...prior });
    if (isProgram) setImmediate(rehearse);
    // HTTP+SSE waits for the first event of its stream for ever, also when it is closed: who aborts does not wait for that.
    await orAborted(connecting, signal, late);
    client.onclose = () => {
      if (!this.#isClosed && this.client === client) this.options.lost();
    };
  }

  #messageListeners(source: 'stdout' | 'lifecycle') {
    return {
      noise: (text: string) =>
        this.#log(
          source,
          'warning',
          `not an MCP message: ${this.ports.redactor.text(noiseText(text)).slice(0, 1_000)}`,
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
        this.fault = fault;
        void this.transport?.close();
      },
    };
  }

  readonly #log: ClientListeners['log'] = (source, level, data) =>
    this.ports.log.log(this.definition, { source, level, data });
}

/** A line that is no message, as it is logged: its beginning, without colours and progress. */
const noiseText = (text: string) => plainText(beginningOf(text, 4_000));

/** Loads what is needed when a program boots, or a server is reached. */
export const loadClient = () => require('./client') as typeof import('./client');
