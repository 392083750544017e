import vscode = require('vscode');

import { Coalescer } from '../../base/coalescer';
import { Emitter } from '../../base/events';
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

/**
 * The window's servers: keeps the host's set in line with settings. The host and everything that it needs is started when
 * the first server is configured, so that a window without servers pays nothing.
 */
export class Servers implements ServerSet, vscode.Disposable {
  readonly #changed = new Emitter<ServerChange | undefined>();
  readonly onDidChange = this.#changed.event;
  readonly #resolved = new Emitter<ResolvedDefinitions>();
  /** Fires when settings were read, with what they define and what is wrong with them. */
  readonly onDidResolve = this.#resolved.event;
  /** Saving several files or pasting a block causes a burst of events, which one pass handles. */
  readonly #reload = new Coalescer(() => void this.load(), { quietMs: 10, maxMs: 500 });
  readonly #subscription: vscode.Disposable;
  #host: Omit<McpHost, 'requests'> | undefined;
  #byHand: RequestsOf | undefined;
  #phase: Phase = 'loading';
  #disposed = false;

  constructor(
    private readonly configuration: Configuration,
    /** Creates the host, which is then passed to `adopt`. @returns what reads settings. */
    private readonly start: () => { resolve(configured: readonly ConfiguredServers[]): ResolvedDefinitions },
  ) {
    this.#subscription = configuration.onDidChange(() => this.#reload.trigger());
  }

  get all(): readonly ServerConnection[] {
    return this.#host?.servers ?? [];
  }

  get phase(): Phase {
    return this.#phase;
  }

  get trace(): TraceLog | undefined {
    return this.#host?.trace;
  }

  /** @throws before there is a host, when there are no servers either. */
  get byHand(): RequestsOf {
    if (!this.#byHand) throw new Error('There are no servers yet.');
    return this.#byHand;
  }

  get(id: ServerId): ServerConnection | undefined {
    return this.#host?.get(id);
  }

  /** Reads settings and brings the servers in line with them. */
  load(): void {
    if (this.#disposed) return;
    const configured = this.configuration.servers;
    if (configured.length === 0 && !this.#host) {
      this.#setPhase('empty');
      return;
    }
    const resolved = this.start().resolve(configured);
    this.configuration.watch(resolved.configKeys);
    this.#resolved.fire(resolved);
    this.#host?.reconcile(resolved.definitions);
    this.#setPhase(this.all.length === 0 ? 'empty' : 'ready');
  }

  /** The host that runs the servers from now on, and the requests that a person makes of them. */
  adopt(host: Omit<McpHost, 'requests'>, byHand: RequestsOf): void {
    this.#host = host;
    this.#byHand = byHand;
    host.onDidChangeServers(() => this.#changed.fire(undefined));
    host.onDidChangeServer(change => this.#changed.fire(change));
  }

  /** Stops all servers; resolves when their processes are gone. */
  async close(): Promise<void> {
    this.#disposed = true;
    await this.#host?.dispose();
  }

  dispose(): void {
    this.#reload.cancel();
    this.#subscription.dispose();
    this.#changed.dispose();
    this.#resolved.dispose();
  }

  #setPhase(phase: Phase): void {
    this.#phase = phase;
    void vscode.commands.executeCommand('setContext', 'mcpHost.phase', phase);
    this.#changed.fire(undefined);
  }
}
