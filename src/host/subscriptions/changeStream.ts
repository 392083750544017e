import { setTimeout as delay } from 'node:timers/promises';
import type { Client, McpSubscription, SubscriptionFilter } from '@modelcontextprotocol/client';
import type { Disposable } from '../../base/events';
import { eventSettings, type ServerInfo } from '../sdk/serverInfo';

/**
 * `live`: its changes are announced. `pending`: not yet, or the server is not ready. `unsupported`: the server does not
 * announce its changes. `failed`: the server refused or did not answer; the log says why.
 */
export type SubscriptionState = 'live' | 'pending' | 'unsupported' | 'failed';

/** Tells the server of one session which resources are wanted. */
export interface SubscriptionChannel extends Disposable {
  /** Makes the server announce changes of these URIs and no others. The result for each goes to `onDidChangeState`. */
  follow(uris: readonly string[]): void;
}

export type ReportState = (uri: string, state: SubscriptionState) => void;

const RETRY_MS = [1_000, 5_000, 30_000];
/** The end of a stream that was open for this long is not a failure. */
const LONG_MS = 10_000;
/** The time after which messages sent on one stream before the next was accepted have arrived. */
const LATE_MS = 1_000;

/**
 * The stream of change notifications of a modern server (spec: basic/patterns/subscriptions): of its lists, and of the
 * resources that are followed. Servers of the legacy era push the former unasked. The SDK never reopens it; this class does,
 * a few times, and then reports a failure. A stream can't be changed, so for other resources a new one is opened and the old
 * one closed a little later, so that nothing is missed in between.
 */
export class ChangeStream implements SubscriptionChannel {
  readonly #abort = new AbortController();
  readonly #lists: SubscriptionFilter;
  readonly #canFollow: boolean;
  #uris: readonly string[] = [];
  /** The resources of the latest stream to which the server agreed. */
  #followed = new Set<string>();
  /** Resources that the server refused. For the sake of the others, they are left out until they are no longer wanted. */
  #refused = new Set<string>();
  #stream: McpSubscription | undefined;
  /** Closes the stream before it, which may still bring what was sent before. */
  #closeBefore: () => void = () => {};
  #running = false;
  /** Whether the wanted resources differ from those for which the stream was opened. */
  #isOutdated = false;
  #wake: () => void = () => {};

  constructor(
    private readonly client: Client,
    { info, events }: { readonly info: ServerInfo; readonly events: boolean },
    /** `log` is called when changes will not be announced; the message says which, and why. */
    private readonly listeners: { readonly report: ReportState; log(message: string): void },
  ) {
    const { tools, prompts, resources } = info.capabilities;
    this.#lists = {
      ...(tools?.listChanged && { toolsListChanged: true }),
      ...(prompts?.listChanged && { promptsListChanged: true }),
      ...(resources?.listChanged && { resourcesListChanged: true }),
      ...(events && eventSettings(info)?.listChanged === true && { eventsListChanged: true }),
    };
    this.#canFollow = resources?.subscribe === true;
    this.#start();
  }

  follow(uris: readonly string[]): void {
    if (!this.#canFollow) {
      for (const uri of uris) this.listeners.report(uri, 'unsupported');
      return;
    }
    // Each session begins with none: the stream of the lists is open for that already.
    const isOutdated = uris.length > 0 || this.#uris.length > 0;
    this.#uris = uris;
    this.#refused = new Set(uris.filter(uri => this.#refused.has(uri)));
    for (const uri of this.#refused) this.listeners.report(uri, 'failed');
    if (isOutdated) {
      this.#isOutdated = true;
      this.#wake();
    }
    this.#start();
  }

  dispose(): void {
    this.#abort.abort();
    this.#wake();
    this.#replace(undefined);
  }

  #start(): void {
    if (this.#running || this.#abort.signal.aborted) return;
    this.#running = true;
    void this.#run().finally(() => {
      this.#running = false;
    });
  }

  async #run(): Promise<void> {
    const { signal } = this.#abort;
    let failures = 0;
    let ends = 0;
    while (!signal.aborted) {
      this.#isOutdated = false;
      const uris = this.#uris.filter(uri => !this.#refused.has(uri));
      const filter = { ...this.#lists, ...(uris.length > 0 && { resourceSubscriptions: [...uris] }) };
      if (Object.keys(filter).length === 0) return this.#replace(undefined);
      try {
        const stream = await this.client.listen(filter, { signal });
        this.#replace(stream);
        this.#followed = new Set(stream.honoredFilter.resourceSubscriptions);
        for (const uri of uris) this.listeners.report(uri, this.#followed.has(uri) ? 'live' : 'unsupported');
        const openedAt = performance.now();
        const end = await this.#untilEnd(stream);
        if (end === 'outdated') continue;
        this.#stream = undefined;
        if (end === 'local' || Object.keys(stream.honoredFilter).length === 0) return;
        for (const uri of this.#followed) this.listeners.report(uri, 'pending');
        failures = 0;
        // A server may end it again and again, for which the pause grows, but it is never given up.
        ends = performance.now() - openedAt > LONG_MS ? 0 : ends + 1;
        if (ends > 0) await this.#pause(RETRY_MS[Math.min(ends, RETRY_MS.length) - 1] ?? 0);
      } catch (error) {
        if (signal.aborted) return;
        if (this.#concede(error as Error, uris)) continue;
        const delay = RETRY_MS[failures++];
        if (delay === undefined) return this.#giveUp(error as Error, uris);
        await this.#pause(delay);
      }
    }
  }

  /** The new stream is open, so the old one, which has reported changes until now, can be closed. Without a new one, at once. */
  #replace(stream: McpSubscription | undefined): void {
    const before = this.#stream;
    this.#stream = stream;
    this.#closeBefore();
    this.#closeBefore = () => {};
    if (!before) return;
    const close = () => {
      clearTimeout(timer);
      void before.close().catch(() => {});
    };
    // What lies in the pipe is read before it is closed, however busy this process was.
    const timer = setTimeout(() => setImmediate(close), LATE_MS);
    this.#closeBefore = close;
    if (!stream) close();
  }

  #untilEnd(stream: McpSubscription): Promise<'outdated' | Awaited<McpSubscription['closed']>> {
    return new Promise(resolve => {
      this.#wake = () => resolve('outdated');
      if (this.#isOutdated) this.#wake();
      void stream.closed.then(resolve);
    });
  }

  /** Handles an error: asks on one stream, or without new resources, which may be the cause. False if neither helps. */
  #concede(error: Error, uris: readonly string[]): boolean {
    if (error.name !== 'ProtocolError') return false;
    if (this.#stream) {
      for (const uri of this.#followed) this.listeners.report(uri, 'pending');
      this.#replace(undefined);
      return true;
    }
    const refused = uris.filter(uri => !this.#followed.has(uri));
    if (refused.length === 0) return false;
    for (const uri of refused) {
      this.#refused.add(uri);
      this.listeners.report(uri, 'failed');
    }
    this.listeners.log(`changes to resources are not reported (${refused.length}): ${error.message}`);
    return true;
  }

  #giveUp(error: Error, uris: readonly string[]): void {
    this.#replace(undefined);
    for (const uri of uris) this.listeners.report(uri, 'failed');
    this.listeners.log(`changes are no longer reported: ${error.message}`);
  }

  /** Waits before the next attempt. */
  #pause(ms: number): Promise<void> {
    return delay(ms, undefined, { signal: this.#abort.signal }).catch(() => undefined);
  }
}
