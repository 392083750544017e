import type { Client, McpSubscription, SubscriptionFilter } from '@modelcontextprotocol/client';
import type { Disposable } from './events';
import type { ServerInfo } from './session';

const RETRY_MS = [1_000, 5_000, 30_000];
/** A stream that was open for so long did well: its end is no failure. */
const LONG_MS = 10_000;

/**
 * Keeps the stream of change notifications of a modern server open (spec: `subscriptions/listen`); servers of the legacy
 * era push them unasked. The SDK never listens again by itself: this does, a few times, then reports.
 */
export class ChangeStream implements Disposable {
  readonly #abort = new AbortController();
  #subscription: McpSubscription | undefined;

  constructor(
    private readonly client: Client,
    { era, capabilities: { tools, prompts, resources } }: ServerInfo,
    private readonly onLost: (error: Error) => void,
  ) {
    const filter: SubscriptionFilter = {
      ...(tools?.listChanged && { toolsListChanged: true }),
      ...(prompts?.listChanged && { promptsListChanged: true }),
      ...(resources?.listChanged && { resourcesListChanged: true }),
    };
    if (era === 'modern' && Object.keys(filter).length > 0) void this.#listen(filter);
  }

  dispose(): void {
    this.#abort.abort();
    void this.#subscription?.close().catch(() => {});
  }

  async #listen(filter: SubscriptionFilter): Promise<void> {
    const { signal } = this.#abort;
    let failures = 0;
    let ends = 0;
    while (!signal.aborted) {
      try {
        this.#subscription = await this.client.listen(filter, { signal });
        const since = performance.now();
        if ((await this.#subscription.closed) !== 'remote') return;
        failures = 0;
        // A server may end it again and again: the pause grows, and it is never given up for that.
        ends = performance.now() - since > LONG_MS ? 0 : ends + 1;
        if (ends > 0) await waitOrAbort(RETRY_MS[Math.min(ends, RETRY_MS.length) - 1] ?? 0, signal);
      } catch (error) {
        if (signal.aborted) return;
        const delay = RETRY_MS[failures++];
        if (delay === undefined) return this.onLost(error as Error);
        await waitOrAbort(delay, signal);
      }
    }
  }
}

function waitOrAbort(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise(resolve => {
    const done = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal.addEventListener('abort', done);
  });
}
