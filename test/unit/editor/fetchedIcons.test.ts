import assert from 'node:assert/strict';
import { bestFirst, fetchedIcon, type Icon, iconFor, iconTypeOf } from '../../../src/editor/fetchedIcons';
import { waitFor } from '../../servers/spawn';

const icon = (src: string, rest: Omit<Icon, 'src'> = {}): Icon => ({ src, ...rest });
const order = (...icons: Icon[]) => bestFirst(icons).map(({ src }) => src);

describe('the icons of an item', () => {
  it('without sizes fit any size @fetchedIcons.sizes-fit-size', () => {
    assert.deepEqual(order(icon('48', { sizes: ['48x48'] }), icon('none'), icon('empty', { sizes: [] })), [
      'none',
      'empty',
      '48',
    ]);
  });

  it('that scale or are a little larger come before smaller ones and sizes that are none', () => {
    assert.deepEqual(
      order(
        icon('16', { sizes: ['16x16'] }),
        icon('odd', { sizes: ['big'] }),
        icon('64', { sizes: ['64x64'] }),
        icon('any', { sizes: ['16x16', 'any'] }),
        icon('32', { sizes: ['32x32'] }),
      ),
      ['any', '32', '64', 'odd', '16'],
    );
  });

  it('are chosen by theme, and those without one fit any @fetchedIcons.chosen-theme-fit', () => {
    const [dark, plain, light] = [icon('dark', { theme: 'dark' }), icon('plain'), icon('light', { theme: 'light' })];
    const chosen = (...icons: Icon[]) => ['light', 'dark'].map(theme => iconFor(theme, icons)?.src);
    assert.deepEqual(chosen(dark, plain), ['plain', 'dark']);
    assert.deepEqual(chosen(plain, dark, light), ['light', 'dark']);
    assert.deepEqual(chosen(dark), ['dark', 'dark']);
    assert.deepEqual(chosen(), [undefined, undefined]);
  });
});

const png = (width: number, height: number) => {
  const bytes = Buffer.alloc(32);
  bytes.write('\x89PNG\r\n\x1a\n', 'latin1');
  bytes.writeUInt32BE(width, 16);
  bytes.writeUInt32BE(height, 20);
  return bytes;
};
/** A header of each kind, before whatever is drawn. */
const jpeg = (width = 16, height = 16) => {
  const frame = Buffer.from('ffc0001108000000000301220002110103110100', 'hex');
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

  it('rejects images with many frames @fetchedIcons.rejects-images-many', () => {
    const frames = Buffer.concat([png(16, 16), Buffer.from('\0\0\0\x08acTL\0\xff\xff\xff\0\0\0\0', 'latin1')]);
    assert.equal(iconTypeOf(Buffer.concat([frames, Buffer.from('IDAT')])), undefined);
    assert.equal(
      iconTypeOf(Buffer.concat([png(16, 16), Buffer.from('IDATacTL')])),
      'image/png',
      'that word in its data',
    );
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

const fetchedPng = Buffer.alloc(32);
fetchedPng.write('\x89PNG\r\n\x1a\n', 'latin1');
fetchedPng.writeUInt32BE(16, 16);
fetchedPng.writeUInt32BE(16, 20);

let last = 0;
/** Each is fetched only once. */
const address = () => `https://icons.example/${++last}.png`;

/** What becomes of an icon that is answered so. */
async function fetched(answer: () => Response | Promise<Response>) {
  const src = address();
  const asked: { url: string; init: RequestInit | undefined }[] = [];
  let changes = 0;
  let isOver = false;
  const send = (async (url: string, init?: RequestInit) => {
    asked.push({ url, init });
    try {
      return await answer();
    } finally {
      setImmediate(() => setImmediate(() => (isOver = true)));
    }
  }) as typeof fetch;
  const get = () => fetchedIcon(src, () => changes++, send);
  assert.equal(get(), undefined);
  await waitFor(() => isOver && (get() !== undefined || changes === 0), { what: 'the answer' });
  return { src, asked, changes: () => changes, get };
}
const type = (value: string) => ({ headers: { 'content-type': value } });

describe('an icon served by the server', () => {
  it('is fetched once, without credentials and redirects, and fires an event when ready @fetchedIcons.fetched-once-credentials', async () => {
    const { src, asked, changes, get } = await fetched(
      () => new Response(fetchedPng, type('image/png; charset=binary')),
    );
    await waitFor(() => changes() === 1, { what: 'the news' });
    assert.equal(get(), `data:image/png;base64,${fetchedPng.toString('base64')}`);
    assert.equal(asked.length, 1);
    const { url, init } = asked[0]!;
    assert.equal(url, src);
    assert.deepEqual([init?.credentials, init?.redirect, init?.referrerPolicy], ['omit', 'manual', 'no-referrer']);
    assert.deepEqual(Object.keys(init?.headers ?? {}), ['accept']);
    assert.ok(init?.signal);
  });

  it('is recognized by its bytes when its type is missing', async () => {
    for (const value of ['application/octet-stream', '']) {
      const { changes } = await fetched(() => new Response(fetchedPng, value ? type(value) : {}));
      await waitFor(() => changes() === 1, { what: 'the news' });
    }
  });

  const bad: [string, () => Response | Promise<Response>][] = [
    ['that is not there', () => new Response(fetchedPng, { status: 404 })],
    [
      'that is elsewhere by now',
      () => new Response(null, { status: 302, headers: { location: 'https://evil.example' } }),
    ],
    ['that asks for a sign-in', () => new Response(fetchedPng, { status: 401 })],
    ['of another type than it says', () => new Response(fetchedPng, type('image/jpeg'))],
    ['that is a page', () => new Response('<html><svg></svg></html>', type('text/html'))],
    ['that is an image only by its type', () => new Response('no image', type('image/png'))],
    ['of more than 64 KB', () => new Response(Buffer.concat([fetchedPng, Buffer.alloc(65 * 1024)]), type('image/png'))],
    ['that can not be reached', () => Promise.reject(new TypeError('fetch failed'))],
  ];
  for (const [is, answer] of bad) {
    it(`${is} is not drawn, and not requested again @fetchedIcons.drawn-requested`, async () => {
      const { asked, changes, get } = await fetched(answer);
      assert.deepEqual([get(), changes(), asked.length], [undefined, 0, 1]);
    });
  }

  it('of endless size is read up to the limit only @fetchedIcons.endless-size-read', async () => {
    let pulled = 0;
    const endless = new ReadableStream<Uint8Array>({
      pull: controller => {
        pulled++;
        controller.enqueue(new Uint8Array(16 * 1024));
      },
    });
    await fetched(() => new Response(endless, type('image/png')));
    await waitFor(() => pulled >= 4, { what: 'it to be read' });
    const before = pulled;
    await new Promise(resolve => setImmediate(resolve));
    assert.ok(pulled <= 8 && pulled === before, `${pulled} parts`);
  });

  it('is one of at most 300 in a window, four at a time @fetchedIcons.300-window-four', async () => {
    let atOnce = 0;
    let most = 0;
    let asked = 0;
    const send = (async () => {
      asked++;
      most = Math.max(most, ++atOnce);
      await new Promise(resolve => setImmediate(resolve));
      atOnce--;
      return new Response(fetchedPng, type('image/png'));
    }) as unknown as typeof fetch;
    for (let i = 0; i < 400; i++) fetchedIcon(address(), () => {}, send);
    await waitFor(() => asked > 200 && atOnce === 0, { what: 'all of them' });
    assert.ok(asked < 300, `${asked} were asked for`);
    assert.equal(most, 4);
  });
});
