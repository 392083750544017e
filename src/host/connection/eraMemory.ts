import type { ProtocolEra } from '@modelcontextprotocol/client';
import { type Phrase, phrase } from '../../base/phrase';
import type { MemoryPort } from '../definition/ports';

/**
 * The part of a start in which a program may answer the era probe, however long it takes to start. Then it is started anew and
 * asked `initialize`: down the same pipe, that would reach it behind the probe, and many servers refuse it there.
 */
export const PROBE_SHARE = 3 / 4;

/** What the log says of a program that was started anew. It completes "it did not answer". */
export const UNKNOWN_PROBE =
  'server/discover, a question of MCP Host that programs of earlier versions of the protocol need not know. ' +
  'It is started anew and asked initialize, which is remembered for a month';

/** The remedy for a tool that asks while it runs, which its framework refuses in the modern era. */
export const RESTART_AS_LEGACY: Phrase = phrase(
  'Restart the server. It then speaks an earlier version of MCP, with which this may work.',
);

/** The result of negotiating with a server. */
export interface EraVerdict {
  readonly era: ProtocolEra;
  /** Streamable HTTP was refused and HTTP+SSE worked. */
  readonly sse: boolean;
}

const DAY_MS = 24 * 3_600_000;
/** For how many days an era is remembered, and that of a program that ignores the probe or ends on it. */
const ERA_DAYS = { plain: 1, costly: 30 };

export const LEGACY: EraVerdict = { era: 'legacy', sse: false };

/** The eras that servers were found to belong to, by the fingerprint of what is launched: another command or URL is another server. */
export class EraMemory {
  readonly #key: string;

  constructor(
    private readonly memory: MemoryPort,
    fingerprint: string,
  ) {
    this.#key = `era/${fingerprint}`;
  }

  /**
   * The era found not long ago; undefined if none. A server that refuses the newer transport then costs that time once a day,
   * and a program that ignores the probe or ends on it once a month. Using a verdict does not renew it, because `legacy` works
   * even after the server has learned the modern era.
   */
  async read(): Promise<EraVerdict | undefined> {
    const { era, sse, at, isCostly } = Object(await this.memory.read(this.#key)) as Record<string, unknown>;
    if ((era !== 'legacy' && era !== 'modern') || typeof at !== 'number') return undefined;
    const days = (Date.now() - at) / DAY_MS;
    const limit = ERA_DAYS[isCostly === true ? 'costly' : 'plain'];
    return days >= 0 && days < limit ? { era, sse: sse === true } : undefined;
  }

  /** @param isCostly whether the program had to be started anew to find it out. */
  write(verdict: EraVerdict, isCostly: boolean): void {
    void this.memory.write(this.#key, { ...verdict, at: Date.now(), ...(isCostly && { isCostly }) });
  }

  forget(): void {
    void this.memory.write(this.#key, undefined);
  }
}
