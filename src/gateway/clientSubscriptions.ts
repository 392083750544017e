import { type Disposable, DisposableMap, until } from '../base/events';
import { phrase } from '../base/phrase';
import { type AllowedRequests, type ServerConnection, untilSettled as settled, timerMs } from '../host';
import type { CatalogKind } from '../host/catalog';

/** The resources that one client of the gateway has subscribed to (spec: server/resources#subscriptions). */
export class ClientSubscriptions implements Disposable {
  readonly #handles = new DisposableMap<string>();

  has(uri: string): boolean {
    return this.#handles.has(uri);
  }

  /** Rejects, with a `HostError`, if the client may not have it. */
  async add(uri: string, requests: Pick<AllowedRequests, 'subscribe'>): Promise<void> {
    if (this.#handles.has(uri)) return;
    const subscription = requests.subscribe(uri);
    this.#handles.set(uri, subscription);
    try {
      await subscription.allowed;
    } catch (error) {
      if (this.#handles.get(uri) === subscription) this.#handles.delete(uri);
      throw error;
    }
  }

  delete(uri: string): void {
    this.#handles.delete(uri);
  }

  dispose(): void {
    this.#handles.dispose();
  }
}

const DEFAULT_LIMIT_MS = 60_000;
const NEEDED = phrase('it is needed in native chat');

/**
 * Waits while a server starts or restarts, for `timeouts.requestMs` at most. Starts one that starts on demand, and tries one
 * again at once that is down.
 * Afterwards it may be in any state: the request that follows says what is wrong.
 */
export async function untilSettled(server: ServerConnection, signal: AbortSignal | undefined): Promise<void> {
  const { timeouts } = server.definition.entry ?? {};
  let limitMs = timerMs(timeouts?.requestMs, DEFAULT_LIMIT_MS);
  if (server.state.kind === 'stopped' && server.startPolicy === 'onDemand' && !signal?.aborted) {
    void server.start(NEEDED);
    limitMs = Math.max(limitMs, timeouts?.startMs ?? 0);
  } else server.retry(NEEDED);
  await settled(server, limitMs, signal);
}

/** Waits until a list of the server was loaded, or failed; `timeouts.requestMs` at most. */
export async function untilListed(server: ServerConnection, kind: CatalogKind, signal: AbortSignal): Promise<void> {
  await untilSettled(server, signal);
  const isOver = () => {
    const { status, cached } = server.catalog.list(kind);
    // While a list is reloaded, the old one still is what the server offers.
    const isLoading = status === 'loading' && (cached === true || server.catalog[kind].length === 0);
    return server.state.kind !== 'ready' || !(isLoading || status === 'cached');
  };
  const limitMs = timerMs(server.definition.entry?.timeouts.requestMs, DEFAULT_LIMIT_MS);
  await untilOver([server], isOver, limitMs, signal);
}

/** Waits until something is over that states and lists of these servers tell, or the limit or the signal. Never rejects. */
export const untilOver = (
  servers: readonly ServerConnection[],
  isOver: () => boolean,
  limitMs: number,
  signal: AbortSignal,
): Promise<void> =>
  until(
    isOver,
    servers.flatMap(server => [server.onDidChangeState, server.catalog.onDidChange]),
    { limitMs, signal },
  );

/** A question that ends with its caller's patience, and so also when the caller cancels. One that waits for ever is left as it is. */
export const inTime = <T extends { readonly until?: AbortSignal }>(asked: T, signal: AbortSignal): T =>
  asked.until ? { ...asked, until: AbortSignal.any([asked.until, signal]) } : asked;
