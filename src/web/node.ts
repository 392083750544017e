// In place of: node:buffer, node:crypto, node:dns, node:fs, node:module, node:net, node:os, node:url, node:util, node:zlib
import { sha256 } from '@noble/hashes/sha2.js';
import { Buffer, type Bytes } from './buffer';

const strict = new TextDecoder('utf-8', { fatal: true });

export function isUtf8(bytes: Uint8Array): boolean {
  try {
    strict.decode(bytes);
    return true;
  } catch {
    return false;
  }
}

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

export const randomBytes = (size: number): Bytes => crypto.getRandomValues(Buffer.alloc(size));

/** Takes as long whatever differs. @throws RangeError when the lengths differ, as Node does. */
export function timingSafeEqual(a: Uint8Array, b: Uint8Array): boolean {
  if (a.length !== b.length) throw new RangeError('Input buffers must have the same byte length');
  return a.reduce((difference, byte, index) => difference | (byte ^ b[index]!), 0) === 0;
}

/** A browser resolves names itself, without exposing addresses. */
export function lookup(host: string, _options: unknown, answer: (error: Error, found: never[]) => void): void {
  answer(new Error(`The address of ${host} can't be looked up in a web window.`), []);
}

/** No disk can be read synchronously in a web window. */
export const existsSync = (): boolean => false;

export const realpathSync = {
  native(path: string): never {
    throw new Error(`${path} is not on a disk of this window.`);
  },
};

export const lstatSync = (path: string): never => realpathSync.native(path);
export { lstatSync as mkdirSync, lstatSync as readFileSync };

/** The browser caches compiled code itself. */
export const enableCompileCache = undefined;

/** 4, 6, or 0 for what is no IP address. */
export function isIP(text: string): 0 | 4 | 6 {
  if (/^(\d{1,3})(\.\d{1,3}){3}$/.test(text)) return text.split('.').every(part => Number(part) < 256) ? 4 : 0;
  return text.includes(':') && URL.canParse(`http://[${text}]/`) ? 6 : 0;
}

/** A browser does not reveal the home folder. */
export const homedir = (): string => '/';

/** The machine is unknown here. */
export const release = (): string => 'web';
export { release as hostname };

const [BASE, T_MIN, T_MAX, SKEW, DAMP] = [36, 1, 26, 38, 700];

/** There is no disk in a web window. */
export function fileURLToPath(uri: string): never {
  throw new Error(`${uri} is not on a disk of this window.`);
}

/** A host name as browsers may draw it: its labels `xn--…` decoded, as far as they can be. */
export const domainToUnicode = (host: string): string => host.split('.').map(drawn).join('.');

function drawn(label: string): string {
  if (!label.startsWith('xn--')) return label;
  try {
    const decoded = decodeLabel(label.slice(4));
    return /\p{C}/u.test(decoded) ? label : decoded;
  } catch {
    return label;
  }
}

/** Punycode (RFC 3492, 6.2). @throws RangeError for anything else. */
function decodeLabel(text: string): string {
  const cut = text.lastIndexOf('-');
  const characters = [...text.slice(0, Math.max(0, cut))].map(character => character.codePointAt(0)!);
  let [code, at, bias] = [128, 0, 72];
  for (let next = cut + 1; next < text.length; ) {
    const before = at;
    for (let weight = 1, k = BASE; ; k += BASE) {
      const digit = digitOf(text[next++]);
      at += digit * weight;
      const limit = Math.min(Math.max(k - bias, T_MIN), T_MAX);
      if (digit < limit) break;
      weight *= BASE - limit;
    }
    const count = characters.length + 1;
    bias = adapt(at - before, count, before === 0);
    code += Math.floor(at / count);
    at %= count;
    characters.splice(at++, 0, code);
  }
  return String.fromCodePoint(...characters);
}

function digitOf(character = ''): number {
  if (/^[a-z]$/i.test(character)) return character.toLowerCase().charCodeAt(0) - 97;
  if (/^\d$/.test(character)) return Number(character) + 26;
  throw new RangeError('It is not Punycode.');
}

function adapt(difference: number, count: number, isFirst: boolean): number {
  let delta = Math.floor(difference / (isFirst ? DAMP : 2));
  delta += Math.floor(delta / count);
  let k = 0;
  for (; delta > ((BASE - T_MIN) * T_MAX) / 2; k += BASE) delta = Math.floor(delta / (BASE - T_MIN));
  return k + Math.floor(((BASE - T_MIN + 1) * delta) / (delta + SKEW));
}

/** Only programs have environments. */
export const parseEnv = (): Record<string, string> => ({});

const TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let sum = byte;
  for (let bit = 0; bit < 8; bit++) sum = sum & 1 ? 0xedb88320 ^ (sum >>> 1) : sum >>> 1;
  return sum;
});

/** The sum that PNG has at the end of each chunk (https://www.w3.org/TR/png/#D-CRCAppendix). */
export function crc32(bytes: Uint8Array): number {
  let sum = 0xffffffff;
  for (const byte of bytes) sum = TABLE[(sum ^ byte) & 0xff]! ^ (sum >>> 8);
  return (sum ^ 0xffffffff) >>> 0;
}
