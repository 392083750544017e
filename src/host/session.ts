import {
  type Client,
  type ClientCapabilities,
  type DiscoverResult,
  type Implementation,
  type LoggingLevel,
  type ProtocolEra,
  SdkError,
  SdkErrorCode,
  type ServerCapabilities,
  type Transport,
} from '@modelcontextprotocol/client';
import { HostClient } from './client';
import type { ServerDefinition } from './definition';
import { HostError, messageOf } from './errors';
import { type Circumstances, explain, httpStatus, timedOut } from './explain';
import type { GuardedPorts } from './guardPorts';
import type { ServerEntry } from './settings';
import { createRemoteTransport, createStdioTransport, type RemoteEntry, type StdioEntry } from './transport/create';
import type { HttpFault } from './transport/httpFault';
import type { RemoteListeners } from './transport/httpTransport';
import type { LogMessage } from './transport/incoming';
import { StdioTransport } from './transport/stdio';
import { SchemaValidator } from './validate';

/** A server that says nothing to the era probe for this long is taken for one of the legacy era. */
const PROBE_TIMEOUT_MS = 8_000;

export const DEFAULT_LOG_LEVEL: LoggingLevel = 'info';

/** What a server said of itself when it was connected. */
export interface ServerInfo {
  implementation: Implementation | undefined;
  protocolVersion: string;
  era: ProtocolEra;
  capabilities: ServerCapabilities;
  instructions: string | undefined;
  transport: ServerEntry['type'];
}

/** Called while a session lives. */
export interface SessionListeners {
  /** A `…/list_changed` notification. */
  listChanged(kind: 'tools' | 'prompts' | 'resources'): void;
  /** The session ended by itself: the process exited or the connection was closed. Not called after `close()`. */
  closed(error: HostError): void;
  /** The least severe log message that is wanted now. */
  logLevel(): LoggingLevel;
}

type Ending = Pick<Circumstances, 'exit' | 'closedPipe' | 'stderrTail'>;

/** One connection from launch to end: a transport and the SDK client on it. Restarting makes a new session. */
export class Session {
  #client: Client | undefined;
  #transport: Transport | undefined;
  #connected = false;
  /** Why the transport was closed, when it was lost. */
  #fault: HttpFault | undefined;
  #closing = false;
  #ending: Ending = {};

  constructor(
    private readonly definition: ServerDefinition,
    private readonly clientInfo: Implementation,
    private readonly ports: GuardedPorts,
    private readonly listeners: SessionListeners,
  ) {}

  /** The live client. Throws when the session is not connected. */
  get client(): Client {
    if (!this.#client || !this.#connected) throw new SdkError(SdkErrorCode.NotConnected, 'not connected');
    return this.#client;
  }

  /** How it ended, when it did so by itself: why what was in flight then has failed. */
  get ending(): Ending {
    return this.#ending;
  }

  get pid(): number | undefined {
    return this.#transport instanceof StdioTransport ? (this.#transport.pid ?? undefined) : undefined;
  }

  /**
   * Launches or reaches the server and negotiates the era (spec: basic/lifecycle). Rejects with a `HostError` after at
   * most `timeouts.startMs`; nothing is left running then.
   */
  async connect(entry: ServerEntry): Promise<ServerInfo> {
    const { startMs } = entry.timeouts;
    const abort = new AbortController();
    const timer = setTimeout(() => {
      abort.abort();
      // Ends a handshake that waits for an answer, and the process.
      void this.#transport?.close();
    }, startMs);
    try {
      const kind =
        entry.type === 'stdio'
          ? await this.#connectStdio(entry, abort.signal)
          : await this.#connectRemote(entry, abort.signal);
      if (this.#closing) throw new SdkError(SdkErrorCode.ConnectionClosed, 'closed');
      this.#connected = true;
      return this.#serverInfo(kind);
    } catch (error) {
      const transport = this.#transport;
      const { exit, closedPipe, stderrTail = [] } = transport instanceof StdioTransport ? transport : {};
      await transport?.close();
      const action = 'start';
      if (abort.signal.aborted) {
        const limit = timedOut({ timeoutMs: startMs, action });
        throw new HostError({ server: this.definition.name, action, cause: error, stderrTail, ...limit });
      }
      throw explain(this.#fault ?? error, {
        definition: { ...this.definition, entry },
        action,
        timeoutMs: startMs,
        exit,
        closedPipe,
        stderrTail,
      });
    } finally {
      clearTimeout(timer);
    }
  }

  /** Ends the session. Resolves when the process is gone. */
  async close(): Promise<void> {
    this.#closing = true;
    this.#connected = false;
    // The client would not close a transport that is still being probed.
    await Promise.allSettled([this.#client?.close(), this.#transport?.close()]);
  }

  async #connectStdio(entry: StdioEntry, signal: AbortSignal): Promise<'stdio'> {
    const [shellPath, envFile] = await Promise.all([
      this.ports.shellPath(),
      entry.envFile === undefined ? undefined : this.#readEnvFile(entry.envFile),
    ]);
    const open = () =>
      createStdioTransport(
        entry,
        { shellPath, envFile },
        { ...this.#messageListeners('stdout'), stderr: line => this.#log('stderr', 'info', line) },
      );
    try {
      await this.#attempt(open(), signal);
    } catch (error) {
      // Some servers of the legacy era die of any request before `initialize`: start those again without the probe.
      const diedOfProbe = error instanceof SdkError && error.code === SdkErrorCode.EraNegotiationFailed;
      if (!diedOfProbe || signal.aborted || this.#closing) throw error;
      await this.#transport?.close();
      await this.#attempt(open(), signal, { kind: 'legacy' });
    }
    return 'stdio';
  }

  async #connectRemote(entry: RemoteEntry, signal: AbortSignal): Promise<'http' | 'sse'> {
    if (entry.type === 'sse') {
      await this.#attempt(createRemoteTransport(entry, 'sse', this.#remoteListeners()), signal, { kind: 'legacy' });
      return 'sse';
    }
    try {
      await this.#attempt(createRemoteTransport(entry, 'http', this.#remoteListeners()), signal);
      return 'http';
    } catch (error) {
      const status = httpStatus(error) ?? 0;
      const refused = status >= 400 && status < 500 && status !== 401 && status !== 403;
      if (!refused || signal.aborted || this.#closing) throw error;
      await this.#transport?.close();
      try {
        await this.#attempt(createRemoteTransport(entry, 'sse', this.#remoteListeners()), signal, { kind: 'legacy' });
      } catch (sseError) {
        // The first refusal says more of the URL than the failed fallback, unless the fallback asks for a sign-in.
        throw httpStatus(sseError) === 401 ? sseError : error;
      }
      return 'sse';
    }
  }

  async #attempt(
    transport: Transport,
    signal: AbortSignal,
    prior?: { kind: 'legacy' } | { kind: 'modern'; discover: DiscoverResult },
  ): Promise<void> {
    if (signal.aborted || this.#closing)
      throw new SdkError(SdkErrorCode.ConnectionClosed, 'closed before it was connected');
    const client = this.#createClient();
    this.#client = client;
    this.#transport = transport;
    // `startMs` bounds the whole start; the SDK's own limit must not end it earlier.
    const timeout = this.definition.entry?.timeouts.startMs ?? PROBE_TIMEOUT_MS;
    this.#fault = undefined;
    await client.connect(transport, prior ? { timeout, signal, prior } : { timeout, signal });
    client.onclose = () => {
      if (this.#closing || this.#client !== client) return;
      this.#connected = false;
      const { exit, closedPipe, stderrTail = [] } = transport instanceof StdioTransport ? transport : {};
      const closed = this.#fault ?? new SdkError(SdkErrorCode.ConnectionClosed, 'closed');
      this.#ending = { exit, closedPipe, stderrTail };
      this.listeners.closed(explain(closed, { definition: this.definition, action: 'go on', ...this.#ending }));
    };
  }

  #messageListeners(source: 'stdout' | 'lifecycle') {
    return {
      noise: (text: string) =>
        this.#log(source, 'warning', `not an MCP message: ${this.ports.redactor.text(text).slice(0, 1_000)}`),
      log: (message: LogMessage) => this.ports.log.log(this.definition, { source: 'server', ...message }),
      leftOut: (what: string) => this.#log('lifecycle', 'warning', `left out: ${what}`),
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

  #createClient(): Client {
    const capabilities: ClientCapabilities = { roots: { listChanged: true } };
    const client = new HostClient(
      this.clientInfo,
      {
        capabilities,
        jsonSchemaValidator: new SchemaValidator(),
        versionNegotiation: { mode: 'auto', probe: { timeoutMs: PROBE_TIMEOUT_MS } },
      },
      () => this.listeners.logLevel(),
    );
    client.setRequestHandler('roots/list', () => ({ roots: this.ports.roots.list() }));
    client.setNotificationHandler('notifications/message', ({ params }) => {
      this.ports.log.log(this.definition, { source: 'server', ...params });
    });
    for (const kind of ['tools', 'prompts', 'resources'] as const) {
      client.setNotificationHandler(`notifications/${kind}/list_changed`, () => this.listeners.listChanged(kind));
    }
    // The SDK puts whole messages into its errors.
    client.onerror = error => this.#log('lifecycle', 'debug', messageOf(error));
    return client;
  }

  #serverInfo(transport: ServerInfo['transport']): ServerInfo {
    const client = this.#client!;
    return {
      implementation: client.getServerVersion(),
      protocolVersion: client.getNegotiatedProtocolVersion() ?? 'unknown',
      era: client.getProtocolEra() ?? 'legacy',
      capabilities: client.getServerCapabilities() ?? {},
      instructions: client.getInstructions(),
      transport,
    };
  }

  async #readEnvFile(path: string): Promise<string> {
    try {
      return await this.ports.readFile(path);
    } catch (error) {
      throw new HostError({
        code: 'INVALID_SETTINGS',
        server: this.definition.name,
        action: 'start',
        reason: `its "envFile" ${path} can't be read`,
        remedy: 'Create the file or remove "envFile" from the settings entry.',
        cause: error,
      });
    }
  }

  #log(source: 'stderr' | 'stdout' | 'lifecycle', level: LoggingLevel, text: string): void {
    this.ports.log.log(this.definition, { source, level, data: text });
  }
}
