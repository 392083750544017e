import assert from 'node:assert/strict';
import { iconTypeOf } from '../../../src/editor/iconType';

const png = (width: number, height: number) => {
  const bytes = Buffer.alloc(32);
  bytes.write('\x89PNG\r\n\x1a\n', 'latin1');
  bytes.writeUInt32BE(width, 16);
  bytes.writeUInt32BE(height, 20);
  return bytes;
};
const jpeg = Buffer.from('ffd8ffe000104a464946', 'hex');
const webp = Buffer.from('RIFF\x10\0\0\0WEBPVP8 ', 'latin1');
const svg = Buffer.from('\ufeff<?xml version="1.0"?>\n<!-- x --><svg xmlns="http://www.w3.org/2000/svg"/>');

describe('the type of an icon', () => {
  it('is what its bytes say', () => {
    assert.deepEqual(
      [png(16, 16), jpeg, webp, svg, Buffer.from('<svg>')].map(bytes => iconTypeOf(bytes)),
      ['image/png', 'image/jpeg', 'image/webp', 'image/svg+xml', 'image/svg+xml'],
    );
  });

  it('may be said as image/jpg', () => assert.equal(iconTypeOf(jpeg, 'image/jpg'), 'image/jpeg'));

  it('is none when something else is said', () => {
    assert.equal(iconTypeOf(png(16, 16), 'image/png'), 'image/png');
    for (const said of ['image/jpeg', 'image/gif', 'text/html', ''])
      assert.equal(iconTypeOf(png(16, 16), said), undefined);
    assert.equal(iconTypeOf(svg, 'image/png'), undefined);
  });

  it('is none for anything else', () => {
    const others = [
      '',
      'GIF89a',
      '<html><svg></svg>',
      '<!DOCTYPE html><svg>',
      '<svgx>',
      'RIFF\x10\0\0\0WAVE',
      '\x89PNG',
    ];
    for (const other of others) assert.equal(iconTypeOf(Buffer.from(other, 'latin1')), undefined, other);
  });

  it('is none for a few bytes that stand for a huge picture', () => {
    assert.equal(iconTypeOf(png(2_048, 2_048)), 'image/png');
    for (const [width, height] of [
      [2_049, 1],
      [1, 100_000],
      [2 ** 32 - 1, 2 ** 32 - 1],
    ] as const)
      assert.equal(iconTypeOf(png(width, height)), undefined);
    assert.equal(iconTypeOf(png(16, 16).subarray(0, 20)), undefined);
  });
});
