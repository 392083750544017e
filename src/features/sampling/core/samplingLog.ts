import type { AuditPort } from '../../trust';
import type { SamplingError } from './samplingError';
import type { SamplingUsage } from './samplingUsage';

const MINUTE_MS = 60_000;

/** Keeps what became of each request: in the audit log, and in what was used. */
export class SamplingLog {
  /** The time of the last audit log line about a server's excessive requests. */
  readonly #limited = new Map<string, number>();

  constructor(
    private readonly usage: SamplingUsage,
    private readonly audit: AuditPort,
  ) {}

  sent(server: string, answer: 'allow' | 'send' | 'edit', model: string, tokens: number): void {
    this.audit.record({ type: 'sampling', server, answer, model, tokens });
    void this.usage.record(server, { answer, model, tokens });
  }

  refused(server: string, { answer }: SamplingError): void {
    if (answer === 'limited') {
      // Once a minute: a server that asks a thousand times must not drive all else out of the log.
      if (Date.now() - (this.#limited.get(server) ?? 0) < MINUTE_MS) return;
      this.#limited.set(server, Date.now());
    }
    this.audit.record({ type: 'sampling', server, answer });
    void this.usage.record(server, { answer });
  }
}
