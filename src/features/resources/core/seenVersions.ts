import { sha256 } from '../../../base/fingerprint';
import { addressKey, type ResourceAddress } from './resourceAddress';
import type { ResourceContent } from './resourceContent';

/** The version of a watched resource that a person has seen, or was notified of. */
export interface SeenVersion {
  readonly digest: string;
  /** The text to compare with; undefined for other content or too much text. */
  readonly text: string | undefined;
}

const MAX_TEXT_BYTES = 1024 * 1024;
const MAX_ALL_BYTES = 16 * 1024 * 1024;

/** Remembers versions within a bound: beyond it, only the fact of a change is known, not the change. */
export class SeenVersions {
  readonly #seen = new Map<string, { address: ResourceAddress; version: SeenVersion; bytes: number }>();
  #bytes = 0;

  get(address: ResourceAddress): SeenVersion | undefined {
    return this.#seen.get(addressKey(address))?.version;
  }

  set(address: ResourceAddress, { kind, shown }: ResourceContent): void {
    const isShort = kind === 'text' && shown.length <= MAX_TEXT_BYTES;
    this.put(address, { digest: sha256(shown), text: isShort ? Buffer.from(shown).toString('utf8') : undefined });
  }

  put(address: ResourceAddress, { digest, text }: SeenVersion): void {
    this.delete(address);
    const bytes = text === undefined ? 0 : Buffer.byteLength(text);
    const fits = this.#bytes + bytes <= MAX_ALL_BYTES;
    this.#seen.set(addressKey(address), {
      address,
      version: { digest, text: fits ? text : undefined },
      bytes: fits ? bytes : 0,
    });
    if (fits) this.#bytes += bytes;
  }

  delete(address: ResourceAddress): void {
    const key = addressKey(address);
    this.#bytes -= this.#seen.get(key)?.bytes ?? 0;
    this.#seen.delete(key);
  }

  /** Forgets all others. */
  keepOnly(isKept: (address: ResourceAddress) => boolean): void {
    for (const { address } of this.#seen.values()) if (!isKept(address)) this.delete(address);
  }

  /** False when nothing was seen before. */
  differs(address: ResourceAddress, { shown }: ResourceContent): boolean {
    const seen = this.get(address);
    return seen !== undefined && seen.digest !== sha256(shown);
  }
}
