import assert from 'node:assert/strict';
import { hexDump } from '../../../../../src/features/resources/core/hexDump';

describe('hexDump', () => {
  it('has offset, bytes and ASCII on each line', () => {
    const bytes = Buffer.from('Hello, world!\n\0\x7fABC');
    assert.equal(
      hexDump(bytes),
      '00000000  48 65 6c 6c 6f 2c 20 77  6f 72 6c 64 21 0a 00 7f  Hello, world!...\n' +
        '00000010  41 42 43                                          ABC\n',
    );
  });

  it('is empty for no bytes, and bounded', () => {
    assert.equal(hexDump(new Uint8Array()), '');
    const lines = hexDump(new Uint8Array(100), 40).trimEnd().split('\n');
    assert.equal(lines.length, 3);
    assert.equal(lines[2]?.trimEnd(), `00000020  ${'00 '.repeat(8).trim()}${' '.repeat(27)}........`);
  });
});
