import { HostError } from '../../base/errors';
import { MAX_TIMER_MS } from '../../base/numberText';
import type { ServerDefinition } from '../definition/definition';
import type { AdmittedLaunch, ServerPurpose } from '../definition/launchGate';
import type { HostClient } from '../sdk/hostClient';
import { type ServerInfo, serverInfo } from '../sdk/serverInfo';
import type { GuardedPorts } from '../secrets/redactor';
import type { Traffic } from '../transport/incomingMessages';
import type { Exit, StdioTransport } from '../transport/stdioTransport';
import { loadRemote } from './account';
import { EraMemory, LEGACY } from './eraMemory';
import type { Circumstances } from './explainFailure';
import { GO_ON, startAction } from './serverState';
import { Handshake, type HandshakeListeners, loadClient, type SessionOptions } from './sessionHandshake';

/** How long requests of a forgotten session may take to be refused. */
const REFUSED_MS = 1_000;

export interface SessionListeners extends HandshakeListeners {
  /** The session ended unexpectedly: the process exited or the connection closed. Not called after `close()`. */
  closed(error: HostError): void;
}

type Ending = Pick<Circumstances, 'attempts' | 'exit' | 'closedPipe' | 'stderrTail' | 'noiseTail'>;

/** One connection from launch to end: a transport and the SDK client on it. A restart creates a new session. */
export class Session {
  /** A debugger may have paused it: requests do not time out, and it is not started again, as that would wait too. */
  isDebugged = false;
  #inFlight = 0;
  /** Called when no request is in flight any more. */
  #idle: (() => void) | undefined;
  #handshake: Handshake | undefined;
  #connected = false;
  #isClosing = false;
  /** How it ended unexpectedly: the reason why requests in flight failed. */
  ending: Ending = {};

  constructor(
    private readonly definition: ServerDefinition,
    private readonly ports: GuardedPorts,
    private readonly listeners: SessionListeners,
    private readonly options: SessionOptions,
  ) {}

  /** The live client. Throws when the session is not connected. */
  get client(): HostClient {
    const client = this.#connected ? this.#handshake?.client : undefined;
    if (!client) throw loadClient().sdkError('NotConnected', 'not connected');
    return client;
  }

  /** What explains why a request on it failed. */
  get circumstances(): Ending & Pick<Circumstances, 'era' | 'strayId'> {
    const client = this.#handshake?.client;
    return { ...this.ending, era: client?.getProtocolEra(), strayId: client?.strayId };
  }

  get pid(): number | undefined {
    return this.#handshake?.program?.pid ?? undefined;
  }

  /** Traffic of its transport. Excludes the first attempt of a start that was tried twice. */
  get traffic(): Traffic | undefined {
    return (this.#handshake?.transport as { traffic?: Traffic } | undefined)?.traffic;
  }

  /** The last line of stderr, or else the last of stdout that is no MCP message. */
  get printed(): string | undefined {
    const { stderrTail, noiseTail } = endOf(this.#handshake?.program);
    return stderrTail.at(-1) ?? noiseTail.at(-1);
  }

  /** How the process ended, once it has. */
  get exit(): Exit | undefined {
    return this.#handshake?.program?.exit;
  }

  /** Launches or reaches the server and negotiates the era (spec: basic/lifecycle), within `timeouts.startMs`. */
  async connect(admitted: AdmittedLaunch<ServerPurpose>): Promise<ServerInfo> {
    const { entry, debugged } = admitted;
    this.isDebugged = debugged !== undefined;
    const startMs = debugged ? MAX_TIMER_MS : entry.timeouts.startMs;
    const abort = new AbortController();
    const { signal } = abort;
    const handshake = new Handshake(this.definition, this.ports, this.listeners, {
      ...this.options,
      admitted,
      startMs,
      signal,
      lost: () => this.#lost(handshake),
    });
    this.#handshake = handshake;
    const timer = setTimeout(() => {
      abort.abort();
      // Ends a handshake that waits for an answer, and the process.
      void handshake.transport?.close();
    }, startMs);
    try {
      const kind = await handshake.run();
      if (this.#isClosing) throw loadClient().sdkError('ConnectionClosed', 'closed');
      this.#connected = true;
      handshake.program?.settle();
      return serverInfo(this.client, kind);
    } catch (error) {
      const ended = { ...this.#endOf(handshake.program), strayId: handshake.client?.strayId };
      await handshake.close();
      const how = { action: startAction(entry), limit: 'startMs', timeoutMs: startMs, ...ended } as const;
      const { attempts } = handshake;
      if (signal.aborted) {
        const late = loadRemote().timedOut(how);
        const explanation = attempts ? loadRemote().explainConfined(late, attempts, ended.stderrTail) : late;
        throw new HostError({ ...how, server: this.definition.name, cause: error, ...explanation });
      }
      const cause = handshake.fault ?? error;
      loadClient().redactCauses(cause, text => this.ports.redactor.textForProgram(text));
      throw loadRemote().explain(cause, {
        ...how,
        offered: handshake.client?.offered,
        definition: { ...this.definition, entry },
        attempts,
      });
    } finally {
      clearTimeout(timer);
    }
  }

  #lost({ fault, program, attempts }: Handshake): void {
    this.#connected = false;
    this.ending = { ...this.#endOf(program), attempts };
    const closed = fault ?? loadClient().sdkError('ConnectionClosed', 'closed');
    this.listeners.closed(loadRemote().explain(closed, { definition: this.definition, action: GO_ON, ...this.ending }));
  }

  /** Without secrets, before a part of a line is cut out. */
  #endOf(program: StdioTransport | undefined): ReturnType<typeof endOf> {
    const { stderrTail, noiseTail, ...end } = endOf(program);
    const redact = (line: string) => this.ports.redactor.textForProgram(line);
    return { ...end, stderrTail: stderrTail.map(redact), noiseTail: noiseTail.map(redact) };
  }

  /** Remembers that the next session with this server is to be of the legacy era. */
  speakLegacyNext(): void {
    new EraMemory(this.ports.memory, this.definition.fingerprint).write(LEGACY, true);
  }

  /** To be called when a request is sent. */
  requestBegan(): void {
    this.#inFlight++;
  }

  /** To be called when a request is over. */
  requestEnded(): void {
    if (--this.#inFlight === 0) this.#idle?.();
  }

  /** Waits until the requests in flight of a refused session are refused too: it has carried out none of them. */
  async untilRefused(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#idle = resolve;
    const timer = setTimeout(resolve, this.#inFlight === 0 ? 0 : REFUSED_MS);
    await promise;
    clearTimeout(timer);
  }

  /** Ends the session. Resolves when the process is gone. */
  async close(): Promise<void> {
    this.#isClosing = true;
    this.#connected = false;
    await this.#handshake?.close();
  }
}

/** How a program ended, if there is one. */
function endOf({ exit, closedPipe, stderrTail = [], noiseTail = [] }: Partial<StdioTransport> = {}) {
  return { exit, closedPipe, stderrTail, noiseTail };
}
