import { writeFileSync } from 'node:fs';
import { crc32, deflateRawSync } from 'node:zlib';

/** An entry of a zip file that no ordinary tool would write. */
export interface OddEntry {
  name: string;
  content?: string | Buffer;
  /** The mode on Unix. */
  mode?: number;
  /** The size that is declared. */
  declared?: number;
  method?: number;
  flags?: number;
}

/** A zip file with just these entries. With more than 65,535 it is zip64. */
export function zipBytes(entries: readonly OddEntry[]): Buffer {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let at = 0;
  const add = (to: Buffer[], bytes: Buffer) => void to.push(bytes);
  for (const { name, content = '', mode = 0o100644, declared, method = 8, flags = 0x800 } of entries) {
    const data = Buffer.from(content);
    const packed = method === 8 ? deflateRawSync(data, { level: 9 }) : data;
    const title = Buffer.from(name);
    const common = Buffer.alloc(26);
    common.writeUInt16LE(20, 0);
    common.writeUInt16LE(flags, 2);
    common.writeUInt16LE(method, 4);
    common.writeUInt32LE(crc32(data), 10);
    common.writeUInt32LE(packed.length, 14);
    common.writeUInt32LE(declared ?? data.length, 18);
    common.writeUInt16LE(title.length, 22);
    const local = Buffer.concat([Buffer.from('PK\x03\x04', 'latin1'), common, title, packed]);
    const central = Buffer.alloc(14);
    central.writeUInt32LE((mode << 16) >>> 0, 6);
    central.writeUInt32LE(at, 10);
    add(directory, Buffer.concat([Buffer.from('PK\x01\x02\x14\x03', 'latin1'), common, central, title]));
    add(parts, local);
    at += local.length;
  }
  const size = directory.reduce((sum, { length }) => sum + length, 0);
  return Buffer.concat([
    ...parts,
    ...directory,
    ...(entries.length > 0xffff ? zip64(entries.length, size, at) : []),
    end(entries.length, size, at),
  ]);
}

function zip64(count: number, size: number, at: number): Buffer[] {
  const record = Buffer.alloc(56);
  record.write('PK\x06\x06', 'latin1');
  record.writeBigUInt64LE(44n, 4);
  record.writeBigUInt64LE(BigInt(count), 24);
  record.writeBigUInt64LE(BigInt(count), 32);
  record.writeBigUInt64LE(BigInt(size), 40);
  record.writeBigUInt64LE(BigInt(at), 48);
  const locator = Buffer.alloc(20);
  locator.write('PK\x06\x07', 'latin1');
  locator.writeBigUInt64LE(BigInt(at + size), 8);
  locator.writeUInt32LE(1, 16);
  return [record, locator];
}

function end(count: number, size: number, at: number): Buffer {
  const bytes = Buffer.alloc(22);
  bytes.write('PK\x05\x06', 'latin1');
  bytes.writeUInt16LE(Math.min(count, 0xffff), 8);
  bytes.writeUInt16LE(Math.min(count, 0xffff), 10);
  bytes.writeUInt32LE(size, 12);
  bytes.writeUInt32LE(at, 16);
  return bytes;
}

/** A manifest with all that it must have. */
export const manifestWith = (changes: object = {}): Record<string, unknown> => ({
  manifest_version: '0.3',
  name: 'sample',
  version: '1.0.0',
  description: 'A sample',
  author: { name: 'Someone' },
  server: {
    type: 'node',
    entry_point: 'server/index.js',
    mcp_config: { command: 'node', args: ['${__dirname}/server/index.js'] },
  },
  ...changes,
});

/** The entries of a bundle with this manifest, and others. */
export const bundleWith = (manifest: unknown = manifestWith(), ...others: OddEntry[]): OddEntry[] => [
  { name: 'manifest.json', content: typeof manifest === 'string' ? manifest : JSON.stringify(manifest) },
  { name: 'server/index.js', content: 'console.log(1)' },
  ...others,
];

export const writeZip = (path: string, entries: readonly OddEntry[]): string => {
  writeFileSync(path, zipBytes(entries));
  return path;
};
