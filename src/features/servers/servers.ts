import vscode = require('vscode');

import { Emitter, type Lazy, Owner } from '../../base/events';
import { Coalescer } from '../../base/queue';
import type {
  ConfiguredServers,
  McpHost,
  RequestsOf,
  ResolvedDefinitions,
  ServerChange,
  ServerConnection,
  ServerSet,
  TraceLog,
} from '../../host';
import type { ServerId } from '../../host/definition';
import type { Configuration } from '../settings';

/** `loading` until settings have been read and the host is there; `empty` if no server is configured. */
type Phase = 'loading' | 'empty' | 'ready';

/** Everything that servers need, started with the first one configured. */
interface StartedHost {
  readonly host: Omit<McpHost, 'requests'>;
  readonly byHand: RequestsOf;
  /** Reads settings. */
  resolve(configured: readonly ConfiguredServers[]): ResolvedDefinitions;
}

/**
 * The window's servers: keeps the host's set in line with settings. The host and everything that it needs is started when
 * the first server is configured, so that a window without servers pays nothing.
 */
export class Servers extends Owner implements ServerSet {
  readonly #changed = this.own(new Emitter<ServerChange | undefined>());
  readonly onDidChange = this.#changed.event;
  readonly #resolved = this.own(new Emitter<ResolvedDefinitions>());
  /** Fires when settings were read, with what they define and what is wrong with them. */
  readonly onDidResolve = this.#resolved.event;
  /** Saving several files or pasting a block causes a burst of events, which one pass handles. */
  readonly #reload = this.own(new Coalescer(() => void this.load(), { quietMs: 10, maxMs: 500 }));
  #phase: Phase = 'loading';
  #disposed = false;

  constructor(
    private readonly configuration: Configuration,
    private readonly started: Lazy<StartedHost>,
  ) {
    super();
    this.own(configuration.onDidChange(() => this.#reload.trigger()));
  }

  get all(): readonly ServerConnection[] {
    return this.started.loaded?.host.servers ?? [];
  }

  get phase(): Phase {
    return this.#phase;
  }

  get trace(): TraceLog | undefined {
    return this.started.loaded?.host.trace;
  }

  get byHand(): RequestsOf {
    return this.started().byHand;
  }

  get(id: ServerId): ServerConnection | undefined {
    return this.started.loaded?.host.get(id);
  }

  /** Reads settings and brings the servers in line with them. */
  load(): void {
    if (this.#disposed) return;
    const configured = this.configuration.servers;
    if (configured.length === 0 && !this.started.loaded) {
      this.#setPhase('empty');
      return;
    }
    const { host, resolve } = this.started();
    const resolved = resolve(configured);
    this.configuration.watch(resolved.configKeys);
    this.#resolved.fire(resolved);
    host.reconcile(resolved.definitions);
    this.#setPhase(this.all.length === 0 ? 'empty' : 'ready');
  }

  /** Passes the events of the host on. */
  follow(host: Omit<McpHost, 'requests'>): void {
    host.onDidChangeServers(() => this.#changed.fire(undefined));
    host.onDidChangeServer(change => this.#changed.fire(change));
  }

  /** Stops all servers; resolves when their processes are gone. */
  async close(): Promise<void> {
    this.#disposed = true;
    await this.started.loaded?.host.dispose();
  }

  #setPhase(phase: Phase): void {
    this.#phase = phase;
    void vscode.commands.executeCommand('setContext', 'mcpHost.phase', phase);
    this.#changed.fire(undefined);
  }
}
