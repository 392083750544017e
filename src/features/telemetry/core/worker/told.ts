import type { FromTelemetry, Signal } from '../operation';

/** What an exporter says. `code` 0: the receiver has taken it. */
interface ExportResult {
  readonly code: number;
  readonly error?: Error;
}

/** Tells the window whether the receiver takes one signal, when that changes. */
export class Told {
  #said: FromTelemetry['type'] | undefined;

  constructor(
    private readonly signal: Signal,
    private readonly tell: (message: FromTelemetry) => void,
  ) {}

  exported<T extends ExportResult>(result: T): T {
    const { signal } = this;
    const said = result.code === 0 ? 'delivered' : 'failing';
    if (said !== this.#said)
      this.tell(said === 'delivered' ? { type: said, signal } : { type: said, signal, reason: reasonOf(result.error) });
    this.#said = said;
    return result;
  }

  lost(spans: number): void {
    this.tell({ type: 'lost', spans });
    // The next success is told with the number of those that were lost.
    if (this.#said === 'delivered') this.#said = undefined;
  }
}

/** Name, HTTP status or code of the network, and message. */
function reasonOf(error: Error | undefined): string {
  if (!error) return 'unknown';
  const { message, code, cause } = error as Error & { code?: unknown };
  const codes = [code, (cause as { code?: unknown } | undefined)?.code].filter(one => one !== undefined);
  return [message || error.name, ...(codes.length > 0 ? [`(${codes.join(', ')})`] : [])].join(' ');
}
