import { type ProtocolEra, ProtocolError, SdkError } from '@modelcontextprotocol/client';
import type { HostErrorCode } from '../../base/errors';
import type { MemoryPort } from '../definition/ports';
import { unknownVersionIn } from '../sdk/saidInWords';
import { faultOf, httpStatus } from './errorFacts';

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

/**
 * Whether an outdated verdict may have caused a failed start: the server was reached and rejected what it was sent. False if
 * it could not be launched or reached, asks for a sign-in, or is broken itself.
 */
export function contradicts(error: unknown): boolean {
  const status = httpStatus(error);
  if (status !== undefined) return status >= 400 && status < 500 && ![401, 403, 429].includes(status);
  return error instanceof ProtocolError || error instanceof SdkError || unknownVersionIn(error) !== undefined;
}

/** Faults of the server or the way to it. All others are ours, or those of a sign-in. */
const OF_SERVER = new Set<HostErrorCode>(['CLOSED', 'PROTOCOL', 'TOO_LARGE', 'UNREACHABLE']);

/** Whether a failed probe leaves the era open: it neither says what only a server of the modern era would, nor asks for a sign-in. */
export function leavesEraOpen(error: unknown): boolean {
  const fault = faultOf(error);
  if (fault) return OF_SERVER.has(fault.code);
  return httpStatus(error) !== 401 && !(error instanceof ProtocolError);
}

/** Whether this is how a server of the modern era alone refuses `initialize` (spec: basic/versioning#compatibility-matrix). */
export const refuses = (error: unknown): boolean => error instanceof ProtocolError || httpStatus(error) === 400;
