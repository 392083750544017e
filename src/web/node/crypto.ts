import { sha256 } from '@noble/hashes/sha2.js';
import { Buffer, type Bytes } from '../buffer';

/** The synchronous part of `node:crypto`. The browser's own hashes come with a promise, which their callers can't wait for. */
export function createHash(algorithm: 'sha256') {
  if (algorithm !== 'sha256') throw new TypeError(`There is no ${algorithm} here.`);
  const hash = sha256.create();
  return {
    update(data: string | Uint8Array) {
      hash.update(typeof data === 'string' ? new TextEncoder().encode(data) : data);
      return this;
    },
    digest: (encoding: 'hex' | 'base64' | 'base64url') => Buffer.from(hash.digest()).toString(encoding),
  };
}

export const randomUUID = (): string => crypto.randomUUID();

export function randomBytes(size: number): Bytes {
  return crypto.getRandomValues(Buffer.alloc(size));
}

/** Takes as long whatever differs. @throws RangeError when the lengths differ, as Node does. */
export function timingSafeEqual(a: Uint8Array, b: Uint8Array): boolean {
  if (a.length !== b.length) throw new RangeError('Input buffers must have the same byte length');
  return a.reduce((difference, byte, index) => difference | (byte ^ b[index]!), 0) === 0;
}
