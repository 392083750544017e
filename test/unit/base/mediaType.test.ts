import assert from 'node:assert/strict';
import { mediaTypeOf } from '../../../src/base/mediaType';

const hex = (...parts: string[]) => Buffer.from(parts.join(''), 'hex');
const START = 'ffd8ffe0000400ff';
const frame = (width: string, height: string) => `ffc2000b08${height}${width}01012200`;
const SCAN = 'ffda0008010100003f0012ff0034ffd056';
const END = 'ffd9';
const pixelsOf = (bytes: Buffer) => {
  const { width, height, scans } = mediaTypeOf(bytes) ?? {};
  return [width, height, ...(scans === undefined ? [] : [scans])];
};

describe('the pixels of a picture, by its bytes', () => {
  it('are in the frame of a JPEG, whose scans are counted', () => {
    const one = frame('0010', '0020');
    assert.deepEqual(pixelsOf(hex(START, one, SCAN, END)), [16, 32, 1]);
    assert.deepEqual(pixelsOf(hex(START, one, SCAN, 'ffc40002', SCAN, SCAN, END, SCAN)), [16, 32, 3]);
    assert.deepEqual(pixelsOf(hex(START, 'ffff', one, SCAN)), [16, 32, 1], 'filled, and cut off');
    assert.deepEqual(pixelsOf(hex(START, one)), [16, 32, 0]);
  });

  it('are unknown for a JPEG in which decoders may find another frame', () => {
    const one = frame('0010', '0010');
    for (const bytes of [
      hex(START, 'ffd00002', one, SCAN, END),
      hex(START, 'ff010002', one, SCAN, END),
      hex(START, 'ffd80002', one, SCAN, END),
      hex(START, END, one, SCAN, END),
      hex(START, '00', one, SCAN, END),
      hex(START, one, one, SCAN, END),
      hex(START, one, SCAN, one, SCAN, END),
      hex(START, SCAN, one, END),
      hex(START),
    ])
      assert.deepEqual(pixelsOf(bytes), [undefined, undefined], bytes.toString('hex'));
  });

  it('are those of the largest frame of a GIF if it is larger than the screen', () => {
    const head = '47494638396110000800';
    const first = (at: string, size: string) => `2c${at}${at}${size}${size}000201ab00`;
    assert.deepEqual(pixelsOf(hex(head, '000000', first('0000', '0400'))), [16, 8]);
    assert.deepEqual(pixelsOf(hex(head, '000000', first('0100', '2000'))), [33, 33]);
    const table = `800000${'010203'.repeat(2)}`;
    assert.deepEqual(pixelsOf(hex(head, table, '21f90400000000', '00', first('0000', '2000'))), [32, 32]);
    const second = first('0000', '4000');
    assert.deepEqual(pixelsOf(hex(head, '000000', first('0000', '0400'), '21fe01aa00', second, '3b')), [64, 64]);
    assert.deepEqual(pixelsOf(hex(head, '000000')), [16, 8]);
  });
});
