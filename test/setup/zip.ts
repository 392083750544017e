// What a VSIX is: a zip file, as the packager writes it: no zip64, no comment, no encryption.
import { inflateRawSync } from 'node:zlib';

interface ZipEntry {
  name: string;
  /** Where its header stands in the directory at the end of the file. */
  at: number;
  content(): Buffer;
}

/** @throws Error when `zip` is not a zip file. */
export function zipEntries(zip: Buffer): ZipEntry[] {
  const end = zip.length - 22;
  if (end < 0 || zip.readUInt32LE(end) !== 0x06054b50) throw new Error('this is not a zip file without a comment');
  const entries: ZipEntry[] = [];
  let at = zip.readUInt32LE(end + 16);
  while (at < end) {
    const [name, extra, comment] = [28, 30, 32].map(offset => zip.readUInt16LE(at + offset)) as [
      number,
      number,
      number,
    ];
    const [method, size, local] = [zip.readUInt16LE(at + 10), zip.readUInt32LE(at + 20), zip.readUInt32LE(at + 42)];
    entries.push({
      name: zip.toString('utf8', at + 46, at + 46 + name),
      at,
      content: () => {
        const start = local + 30 + zip.readUInt16LE(local + 26) + zip.readUInt16LE(local + 28);
        const packed = zip.subarray(start, start + size);
        return method === 0 ? packed : inflateRawSync(packed);
      },
    });
    at += 46 + name + extra + comment;
  }
  return entries;
}

/** Gives every file the mode `rw-r--r--`: else it would be that of the packager's checkout. */
export function withPlainModes(zip: Buffer): Buffer {
  const plain = Buffer.from(zip);
  for (const { at } of zipEntries(plain)) plain.writeUInt32LE((0o100644 << 16) >>> 0, at + 38);
  return plain;
}
