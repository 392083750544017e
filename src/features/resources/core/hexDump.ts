/** How much of a resource a hex view shows: 64 Ki lines. */
export const MAX_HEX_BYTES = 1024 * 1024;

const WIDTH = 16;

/** Offset, 16 bytes and their ASCII on each line, up to `maxBytes`. */
export function hexDump(bytes: Uint8Array, maxBytes = MAX_HEX_BYTES): string {
  const shown = Math.min(bytes.length, maxBytes);
  const lines: string[] = [];
  for (let offset = 0; offset < shown; offset += WIDTH)
    lines.push(hexLine(bytes.subarray(offset, Math.min(offset + WIDTH, shown)), offset));
  return lines.map(line => `${line}\n`).join('');
}

function hexLine(row: Uint8Array, offset: number): string {
  let hex = '';
  let ascii = '';
  for (let index = 0; index < WIDTH; index++) {
    const byte = row[index];
    hex += `${index === WIDTH / 2 ? '  ' : ' '}${byte === undefined ? '  ' : HEX[byte]}`;
    if (byte !== undefined) ascii += byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : '.';
  }
  return `${offset.toString(16).padStart(8, '0')} ${hex}  ${ascii}`;
}

const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));
