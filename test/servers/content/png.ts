import { crc32, deflateSync } from 'node:zlib';

/** A square PNG, `size` pixels wide, of two colours in a chequered pattern: a picture that is told apart from a blank. */
export function chequeredPng(size: number): Buffer {
  const square = Math.ceil(size / 4);
  const rows = Array.from({ length: size }, (_, y) => {
    const row = Buffer.alloc(1 + size * 3); // the leading 0 says: no filter
    for (let x = 0; x < size; x++) {
      const isDark = (Math.floor(x / square) + Math.floor(y / square)) % 2 === 0;
      row.set(isDark ? [0x20, 0x60, 0xc0] : [0xff, 0xd0, 0x40], 1 + x * 3);
    }
    return row;
  });
  const header = Buffer.alloc(13);
  header.writeUInt32BE(size, 0);
  header.writeUInt32BE(size, 4);
  header.set([8, 2, 0, 0, 0], 8); // 8 bits a channel, RGB
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  const parts = [
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(Buffer.concat(rows))),
    chunk('IEND', Buffer.alloc(0)),
  ];
  return Buffer.concat([signature, ...parts]);
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const result = Buffer.alloc(body.length + 8);
  result.writeUInt32BE(data.length, 0);
  body.copy(result, 4);
  result.writeUInt32BE(crc32(body), body.length + 4);
  return result;
}
