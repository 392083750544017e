import type { ProtocolEra } from '@modelcontextprotocol/client';
import type { MemoryPort } from '../definition/ports';

/** The result of negotiating with a server. */
export interface EraVerdict {
  readonly era: ProtocolEra;
  /** Streamable HTTP was refused and HTTP+SSE worked. */
  readonly sse: boolean;
}

const VALID_MS = 24 * 3_600_000;

/**
 * Remembers for a day which era a server belongs to. A server that ignores the probe, dies of it or refuses the newer
 * transport then costs that time once a day, not at each start.
 *
 * The date is that of the negotiation. Using a verdict must not renew it: a `legacy` verdict always works, even after the
 * server has learned the modern era.
 */
export class EraMemory {
  readonly #key: string;

  /** @param fingerprint of what is launched: another command or URL is another server. */
  constructor(
    private readonly memory: MemoryPort,
    fingerprint: string,
  ) {
    this.#key = `era/${fingerprint}`;
  }

  /** The verdict, unless there is none or it is too old. Never rejects. */
  async read(): Promise<EraVerdict | undefined> {
    const { era, sse, at } = ((await this.memory.read(this.#key)) ?? {}) as Record<string, unknown>;
    if ((era !== 'legacy' && era !== 'modern') || typeof at !== 'number') return undefined;
    const age = Date.now() - at;
    return age >= 0 && age < VALID_MS ? { era, sse: sse === true } : undefined;
  }

  /** Keeps what was just negotiated. */
  write(verdict: EraVerdict): void {
    void this.memory.write(this.#key, { ...verdict, at: Date.now() });
  }

  forget(): void {
    void this.memory.write(this.#key, undefined);
  }
}
