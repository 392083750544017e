import assert from 'node:assert/strict';
import { iconTypeOf } from '../../../src/base/inlineIcon';

const png = (width: number, height: number) => {
  const bytes = Buffer.alloc(32);
  bytes.write('\x89PNG\r\n\x1a\n', 'latin1');
  bytes.writeUInt32BE(width, 16);
  bytes.writeUInt32BE(height, 20);
  return bytes;
};
/** A header of each kind, before whatever is drawn. */
const jpeg = (width = 16, height = 16) => {
  const frame = Buffer.from('ffc00011080000000003012200021101031101', 'hex');
  frame.writeUInt16BE(height, 5);
  frame.writeUInt16BE(width, 7);
  return Buffer.concat([Buffer.from('ffd8ffe000104a46494600010100000100010000', 'hex'), frame]);
};
const riff = (kind: string, fill: (bytes: Buffer) => void) => {
  const bytes = Buffer.alloc(40);
  bytes.write(`RIFF\x20\0\0\0WEBP${kind}`, 'latin1');
  fill(bytes);
  return bytes;
};
const lossy = (width: number, height: number) =>
  riff('VP8 ', bytes => {
    bytes.writeUInt16LE(width, 26);
    bytes.writeUInt16LE(height, 28);
  });
const lossless = (width: number, height: number) =>
  riff('VP8L', bytes => bytes.writeUInt32LE(((width - 1) | ((height - 1) << 14)) >>> 0, 21));
const extended = (width: number, height: number, flags = 0) =>
  riff('VP8X', bytes => {
    bytes[20] = flags;
    bytes.writeUIntLE(width - 1, 24, 3);
    bytes.writeUIntLE(height - 1, 27, 3);
  });
const webp = lossy(16, 16);
const svg = Buffer.from('\ufeff<?xml version="1.0"?>\n<!-- x --><svg xmlns="http://www.w3.org/2000/svg"/>');

describe('iconTypeOf', () => {
  it('returns the type of the bytes @fetchedIcons.returns-type-bytes', () => {
    assert.deepEqual(
      [png(16, 16), jpeg(), webp, svg, Buffer.from('<svg></svg>')].map(bytes => iconTypeOf(bytes)),
      ['image/png', 'image/jpeg', 'image/webp', 'image/svg+xml', 'image/svg+xml'],
    );
  });

  it('accepts image/jpg for JPEG @fetchedIcons.accepts-image-jpg', () =>
    assert.equal(iconTypeOf(jpeg(), 'image/jpg'), 'image/jpeg'));

  it('rejects an icon whose bytes contradict its declared type @fetchedIcons.rejects-icon-bytes', () => {
    assert.equal(iconTypeOf(png(16, 16), 'image/png'), 'image/png');
    for (const said of ['image/jpeg', 'image/gif', 'text/html', ''])
      assert.equal(iconTypeOf(png(16, 16), said), undefined);
    assert.equal(iconTypeOf(svg, 'image/png'), undefined);
  });

  it('rejects everything else @fetchedIcons.rejects-else', () => {
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

  it('rejects a small file that decodes to a huge picture @fetchedIcons.rejects-small-file', () => {
    const kinds = { 'image/png': [png], 'image/jpeg': [jpeg], 'image/webp': [lossy, lossless, extended] };
    for (const [type, makers] of Object.entries(kinds)) {
      for (const make of makers) {
        assert.equal(iconTypeOf(make(2_048, 2_048)), type);
        for (const [width, height] of [
          [2_049, 1],
          [1, 16_000],
          [16_000, 16_000],
        ] as const)
          assert.equal(iconTypeOf(make(width, height)), undefined, `${type} ${width}x${height}`);
      }
    }
    assert.equal(iconTypeOf(png(2 ** 32 - 1, 2 ** 32 - 1)), undefined);
    assert.equal(iconTypeOf(extended(2 ** 24, 2 ** 24)), undefined);
    for (const bytes of [
      png(16, 16).subarray(0, 20),
      png(0, 16),
      jpeg().subarray(0, 24),
      webp.subarray(0, 28),
      lossy(0, 16),
    ])
      assert.equal(iconTypeOf(bytes), undefined);
  });

  it('rejects a JPEG that goes over its pixels more often than programs write', () => {
    const scans = (count: number) =>
      Buffer.concat([jpeg(), Buffer.from('ffda000811010000003f0012'.repeat(count), 'hex')]);
    assert.equal(iconTypeOf(scans(10)), 'image/jpeg');
    assert.equal(iconTypeOf(scans(20)), undefined);
  });

  it('rejects images with many frames @fetchedIcons.rejects-images-many', () => {
    const chunk = (name: string, data = '') => {
      const length = Buffer.alloc(4);
      length.writeUInt32BE(data.length);
      return Buffer.concat([length, Buffer.from(`${name}${data}crc!`)]);
    };
    const head = Buffer.concat([
      Buffer.from('89504e470d0a1a0a', 'hex'),
      chunk('IHDR', '\0\0\0\x10\0\0\0\x10\x08\x06\0\0\0'),
    ]);
    const typeOf = (...chunks: Buffer[]) => iconTypeOf(Buffer.concat([head, ...chunks]));
    const [frames, image] = [chunk('acTL', '12345678'), chunk('IDAT', '1')];
    assert.equal(typeOf(frames, image), undefined);
    assert.equal(typeOf(chunk('tEXt', 'IDAT'), frames, image), undefined, 'behind that word in a text');
    assert.equal(typeOf(chunk('IDAT', 'acTL')), 'image/png', 'that word in its data');
    assert.equal(iconTypeOf(extended(16, 16, 2)), undefined);
    assert.equal(iconTypeOf(extended(16, 16, 16)), 'image/webp', 'with transparency');
  });

  it('rejects SVG that is more than shapes, gradients and a few cuts', () => {
    const drawing = (inside: string) => Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg">${inside}</svg>`);
    const cut = '<clipPath id="c"><path d="M0 0h16"/></clipPath>';
    for (const inside of [
      '<path id="a"/><use href="#a"/>',
      '<image href="data:image/png;base64,AAAA"/>',
      '<marker id="k"/>',
      '<pattern id="p"/>',
      '<filter id="f"/>',
      '<text>a</text>',
      'text',
      '<rect><animate attributeName="x"/></rect>',
      '<g filter="url(#f)"/>',
      '<g style="filter:blur(9px)"/>',
      '<g style="--x:url(#c);clip-path:var(--x)"/>',
      '<path d="M0 0h9" stroke-dasharray=".1"/>',
      '<path d="M0 0h99999999"/>',
      '<path d="M0 0h9e9"/>',
      '<g transform="scale(1e9)"/>',
      '<g unknown="1"/>',
      cut + '<g clip-path="url(#c)"/>'.repeat(9),
      '<clipPath id="c"><path clip-path="url(#d)"/></clipPath>',
      '<mask id="m"><g mask="url(#n)"/></mask>',
      '<mask id="m"><clipPath id="c"/></mask>',
      '<clipPath id="c"><path d="M0 0h9"/><path d="M0 0h9"/></clipPath>',
      '<svg/>',
      '<g transform="scale(9)"/>',
      '<g transform="matrix(1 0 0 -5 0 0)"/>',
      '<g transform="scale(2)"><g transform="scale(2 -3)"/></g>',
      '<g transform="skewX(89)"/>',
      '<path d="M0 0h99999"/>',
      `<style>g{clip-path:url(#c)}</style>${cut}`,
      '<style>.a{clip-path:url(#c)}</style>',
      '<style>:is(g) g{fill:red}</style>',
      '<style>.a .b{fill:red}</style>',
      '<g>'.repeat(40) + '</g>'.repeat(40),
      '<g/>'.repeat(3_000),
      '<g><path></g></path>',
      '<g',
      '<g fill="&#x75;rl(#a)"/>',
      '<s:use xmlns:s="http://www.w3.org/2000/svg"/>',
    ])
      assert.equal(iconTypeOf(drawing(inside)), undefined, inside.slice(0, 200));
    const sheet = '<?xml-stylesheet type="text/css" href="data:text/css,.a%7Bfill:red%7D"?>';
    for (const before of [sheet, `<?xml version="1.0"?>${sheet}`, '<?other?>', '<!-->'])
      assert.equal(iconTypeOf(Buffer.from(`${before}${drawing('').toString()}`)), undefined, before);
  });

  it('rejects SVG with scripts or external content @fetchedIcons.rejects-svg-scripts', () => {
    const drawing = (inside: string) => Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg">${inside}</svg>`);
    for (const inside of [
      '<script>alert(1)</script>',
      '<SCRIPT href="#a"/>',
      '<g onload="alert(1)"/>',
      '<g onclick = alert(1) />',
      '<foreignObject><body/></foreignObject>',
      '<a href="javascript:alert(1)"><g/></a>',
      '<image href="https://evil.example/p.png"/>',
      "<use xlink:href='other.svg#a'/>",
      '<style>@import "https://evil.example"</style>',
      '<rect fill="url(https://evil.example/#a)"/>',
    ])
      assert.equal(iconTypeOf(drawing(inside)), undefined, inside);
    const bomb = '<!DOCTYPE svg [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><svg>&b;</svg>';
    assert.equal(iconTypeOf(Buffer.from(bomb)), undefined);
    for (const inside of [
      '<path d="M0 0h16" fill="url(#g)"/>',
      '<title>A drawing &amp; more</title><desc>x</desc>',
      '<style>.a,.b{fill:url("#g")} .c { stroke: #fff; stroke-width: 1.5px }</style><g class="a c"/>',
      '<defs><clipPath id="c"><rect width="16" height="16" fill="white"/></clipPath></defs><g clip-path="url(#c)"/>',
      '<mask id="m" style="mask-type:luminance" maskUnits="userSpaceOnUse"><path d="M1.12345678 2e-7z"/></mask><g mask="url(#m)"/>',
      Array.from({ length: 30 }, (_, n) => `<linearGradient id="g${n}"/><path fill="url(#g${n})"/>`).join(''),
      '<linearGradient id="a"><stop offset="0" stop-color="rgb(1, 2, 3)"/></linearGradient><radialGradient xlink:href="#a" />',
      '<g id="Layer_1" data-name="Layer 1" inkscape:label="x" aria-hidden="true" transform="matrix(1 0 0 -1 0 16)"/>',
    ])
      assert.equal(iconTypeOf(drawing(inside)), 'image/svg+xml', inside);
  });
});
