import assert from 'node:assert/strict';
import { bestFirst, fetchedIcon, type Icon, iconFor } from '../../../src/editor/fetchedIcons';
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
