type Encoding = 'utf8' | 'base64' | 'base64url' | 'hex' | 'latin1';

const utf8 = new TextDecoder('utf-8', { ignoreBOM: true });
/** So many bytes become arguments of one call at most. */
const STEP = 8_192;

/** Node's `Buffer` as far as this extension uses it, for web windows: bytes with encodings. */
export class Bytes extends Uint8Array {
  override toString(encoding: Encoding = 'utf8', start = 0, end = this.length): string {
    const part = start === 0 && end === this.length ? this : this.subarray(start, end);
    switch (encoding) {
      case 'utf8':
        return utf8.decode(part);
      case 'latin1':
        return latin1(part);
      case 'hex':
        return Array.from(part, byte => byte.toString(16).padStart(2, '0')).join('');
      case 'base64':
        return btoa(latin1(part));
      case 'base64url':
        return btoa(latin1(part))
          .replaceAll('+', '-')
          .replaceAll('/', '_')
          .replace(/(?<!=)=+$/, '');
    }
  }

  override lastIndexOf(wanted: number | string, from = -1, encoding: Encoding = 'utf8'): number {
    if (typeof wanted === 'number') return super.lastIndexOf(wanted, from);
    const bytes = Buffer.from(wanted, encoding);
    const last = this.length - bytes.length;
    for (let at = Math.min(from < 0 ? this.length + from : from, last); at >= 0; at--) {
      if (bytes.every((byte, index) => this[at + index] === byte)) return at;
    }
    return -1;
  }

  readUInt32BE(at: number): number {
    return this.#view.getUint32(at);
  }

  readUInt32LE(at: number): number {
    return this.#view.getUint32(at, true);
  }

  /** @param size in bytes, at most 6. */
  readUIntBE(at: number, size: number): number {
    return this.subarray(at, at + size).reduce((value, byte) => value * 256 + byte, 0);
  }

  get #view(): DataView {
    return new DataView(this.buffer, this.byteOffset, this.byteLength);
  }
}

export const Buffer = {
  /** The bytes of a text; a view on an `ArrayBuffer`; a copy of other bytes. */
  from(value: string | ArrayBuffer | ArrayLike<number>, where?: Encoding | number, length?: number): Bytes {
    if (typeof value === 'string') return encoded(value, where as Encoding | undefined);
    const isMemory = !('length' in value);
    return isMemory ? new Bytes(value, where as number | undefined, length) : new Bytes(value);
  },

  alloc: (size: number): Bytes => new Bytes(size),

  concat(parts: readonly Uint8Array[]): Bytes {
    const all = new Bytes(parts.reduce((sum, { length }) => sum + length, 0));
    let at = 0;
    for (const part of parts) {
      all.set(part, at);
      at += part.length;
    }
    return all;
  },

  byteLength: (text: string): number => new TextEncoder().encode(text).length,
};

function encoded(text: string, encoding: Encoding = 'utf8'): Bytes {
  if (encoding === 'utf8') return new Bytes(new TextEncoder().encode(text).buffer);
  if (encoding === 'hex')
    return new Bytes(Array.from(text.match(/[0-9a-f]{2}/gi) ?? [], pair => Number.parseInt(pair, 16)));
  if (encoding === 'latin1') return new Bytes(Array.from(text, character => character.charCodeAt(0)));
  return fromBase64(text);
}

/** As Node's it takes both alphabets and passes over what belongs to neither. */
function fromBase64(text: string): Bytes {
  const standard = text
    .replace(/=.*/s, '')
    .replaceAll('-', '+')
    .replaceAll('_', '/')
    .replace(/[^A-Za-z0-9+/]/g, '');
  const binary = atob(standard.length % 4 === 1 ? standard.slice(0, -1) : standard);
  const bytes = new Bytes(binary.length);
  for (let at = 0; at < binary.length; at++) bytes[at] = binary.charCodeAt(at);
  return bytes;
}

function latin1(bytes: Uint8Array): string {
  let text = '';
  for (let at = 0; at < bytes.length; at += STEP) text += String.fromCharCode(...bytes.subarray(at, at + STEP));
  return text;
}
