/** A value in DER (X.690), of definite length, with a tag of one byte. */
export interface DerValue {
  readonly tag: number;
  /** All of it, with tag and length. */
  readonly whole: Buffer;
  readonly content: Buffer;
}

export const SEQUENCE = 0x30;
export const SET = 0x31;
export const OCTETS = 0x04;
/** Context-specific, constructed: `[0]`. */
export const FIRST = 0xa0;

/** The values that stand one after the other. @throws Error for what is no DER. */
export function derValues(bytes: Buffer): DerValue[] {
  const values: DerValue[] = [];
  for (let at = 0; at < bytes.length; ) {
    const tag = bytes.readUInt8(at);
    let length = bytes.readUInt8(at + 1);
    let start = at + 2;
    if (length > 0x84 || length === 0x80) throw new Error('a length that DER does not have');
    if (length > 0x80) {
      const size = length - 0x80;
      length = bytes.readUIntBE(start, size);
      start += size;
    }
    const end = start + length;
    if (end > bytes.length) throw new Error('a value that is longer than its holder');
    values.push({ tag, whole: bytes.subarray(at, end), content: bytes.subarray(start, end) });
    at = end;
  }
  return values;
}
