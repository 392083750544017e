import { HostError } from '../../../base/errors';
import type { Disposable } from '../../../base/events';
import { type Phrase, phrase } from '../../../base/phrase';
import type { ServerChange, ServerConnection, ServerSet } from '../../../host';
import type { ServerId } from '../../../host/definition';

/** How long settings may take to be read after activation. */
const SETTINGS_MS = 10_000;
/** A start is bounded by `startMs`, but waits for the end of an earlier process before that. */
const ENDING_MS = 5_000;

/** Whether it will soon be ready, or say why not. */
const isComing = ({ state }: ServerConnection): boolean =>
  state.kind === 'starting' || (state.kind === 'reconnecting' && !state.isDown);

/**
 * Waits for servers. An editor that is restored with its window asks for its resource before any server is configured,
 * let alone ready: it is to fill in, not to fail.
 */
export class Readiness implements Disposable {
  readonly #subscription: Disposable;
  readonly #waiting = new Set<() => void>();
  #settled: boolean;

  constructor(private readonly servers: ServerSet) {
    this.#settled = servers.all.length > 0;
    this.#subscription = servers.onDidChange(change => this.#onChange(change));
  }

  /**
   * The server once it is ready. Rejects with a `HostError` that says what to do when it is not configured, stopped, or
   * could not be started. `action` completes "could not …".
   */
  async server(id: ServerId, action: Phrase): Promise<ServerConnection> {
    await this.#until(() => this.#settled, SETTINGS_MS);
    const server = this.servers.get(id);
    if (!server) {
      throw new HostError({
        code: 'NOT_READY',
        server: id,
        action,
        reason: phrase('it is not configured'),
        remedy: phrase('Add it to "mcpHost.servers" in your settings.'),
      });
    }
    const startMs = server.definition.entry?.timeouts.startMs ?? 0;
    server.retry(action);
    await this.#until(() => !isComing(server), startMs + ENDING_MS);
    // What is not ready now says so itself when it is asked; only a failed start has a better reason to give.
    if (server.state.kind !== 'failed') return server;
    const { code, phrases } = server.state.error;
    throw new HostError({
      code,
      server: server.name,
      action,
      reason: phrase('it is not running: {0}', phrases.reason),
      ...(phrases.remedy && { remedy: phrases.remedy }),
    });
  }

  dispose(): void {
    this.#subscription.dispose();
    for (const check of [...this.#waiting]) check();
  }

  #onChange(change: ServerChange | undefined): void {
    // Servers that were just added start in the same turn: who waits goes on after it.
    if (change === undefined) this.#settled = true;
    for (const check of [...this.#waiting]) check();
  }

  /** Resolves when the condition holds, at the latest after `timeoutMs`. */
  #until(condition: () => boolean, timeoutMs: number): Promise<void> {
    if (condition()) return Promise.resolve();
    return new Promise(resolve => {
      const finish = () => {
        clearTimeout(timer);
        this.#waiting.delete(check);
        resolve();
      };
      const check = () => {
        if (condition()) finish();
      };
      const timer = setTimeout(finish, timeoutMs);
      this.#waiting.add(check);
    });
  }
}
