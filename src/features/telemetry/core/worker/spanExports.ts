import type { ReadableSpan, SpanExporter, SpanProcessor } from '@opentelemetry/sdk-trace';
import { BoundedQueue } from '../boundedQueue';
import type { Told } from './told';

/** Spans that wait for the receiver. */
const MAX_WAITING = 4_096;
const BATCH = 512;

/**
 * Gives spans to the exporter, one batch after the other, so that a receiver that is slow gets no more at once. The SDK's own
 * processor does the same, but does not say how many spans it has dropped.
 */
export class SpanExports implements SpanProcessor {
  readonly #queue = new BoundedQueue<ReadableSpan>(MAX_WAITING);
  #exporting: Promise<void> | undefined;

  constructor(
    private readonly exporter: SpanExporter,
    private readonly told: Told,
  ) {}

  onStart(): void {}

  onEnd(span: ReadableSpan): void {
    this.#queue.push(span);
    // All that are added together are sent together.
    this.#exporting ??= Promise.resolve().then(() => this.#export());
  }

  async forceFlush(): Promise<void> {
    while (this.#exporting !== undefined) await this.#exporting;
  }

  shutdown(): Promise<void> {
    return this.forceFlush();
  }

  async #export(): Promise<void> {
    while (this.#queue.size > 0) {
      const batch = this.#queue.take(BATCH);
      const { promise, resolve } = Promise.withResolvers<void>();
      this.exporter.export(batch, result => {
        if (result.code !== 0) this.#queue.lose(batch.length);
        const lost = this.#queue.takeDropped();
        if (lost > 0) this.told.lost(lost);
        this.told.exported(result);
        resolve();
      });
      await promise;
    }
    this.#exporting = undefined;
  }
}
