import assert from 'node:assert/strict';
import { plainBlocks, publicFetch, publisherOf } from '../../../../../src/features/setup/core/registryText';

const OFFICIAL = 'https://registry.modelcontextprotocol.io';

describe('the publisher of a server', () => {
  it('is a GitHub account or a domain, as the official registry checks it', () => {
    assert.deepEqual(publisherOf('io.github.octo-cat/weather', OFFICIAL), {
      kind: 'github',
      who: 'octo-cat',
      isChecked: true,
    });
    assert.deepEqual(publisherOf('com.Example.api/weather', `${OFFICIAL}/`), {
      kind: 'domain',
      who: 'api.example.com',
      isChecked: true,
    });
  });

  it('is not called checked in other registries, nor over http or at an address that looks alike', () => {
    for (const registry of [
      'https://registry.corp.example',
      'http://registry.modelcontextprotocol.io',
      'https://registry.modelcontextprotocol.io.evil.example',
      'https://registry.modelcontextprotocol.io@evil.example',
      'https://registry.modelcontextprotocol.io:8443',
      'nothing',
    ])
      assert.equal(publisherOf('io.github.octocat/weather', registry).isChecked, false, registry);
  });

  it('is unknown when the name has no namespace that says anything', () => {
    for (const name of ['weather', 'weather/x', 'com.example/a/b', 'com.example/', '/x', 'com..x/y', 'com.ex ample/x'])
      assert.deepEqual(publisherOf(name, OFFICIAL), { kind: 'unknown', who: '', isChecked: false }, name);
    assert.equal(publisherOf('io.modelcontextprotocol.anonymous/x', OFFICIAL).kind, 'anonymous');
    assert.equal(publisherOf('io.github.a.b/x', OFFICIAL).kind, 'domain');
  });
});

const lines = (markdown: string) => plainBlocks(markdown).map(({ kind, text }) => `${kind}: ${text}`);

describe('markdown of strangers as plain text', () => {
  it('has headings, items, code and paragraphs', () => {
    const text = '# One #\nfirst\nsecond\n\n- a\n2. b\n\n```sh\nnpx x\n  -y\n```\nTitle\n=====\n| a | b |\n|---|---|\n';
    assert.deepEqual(lines(text), [
      'heading: One',
      'text: first second',
      'item: a',
      'item: b',
      'code: npx x\n  -y',
      'text: Title',
      'text: | a | b |',
    ]);
  });

  it('has no links, pictures or HTML', () => {
    assert.deepEqual(lines('[![build](https://x.example/b.svg)](https://ci.example) **bold** and `code`'), [
      'text: build (https://ci.example) bold and code',
    ]);
    assert.deepEqual(lines('[run](command:workbench.action.x) <https://a.example> [x](https://b.example "title")'), [
      'text: run https://a.example x (https://b.example)',
    ]);
    assert.deepEqual(lines('<p align="center"><img src="https://x" onerror="a"></p>\n\n![](https://x/pixel.png)'), []);
    assert.deepEqual(lines('a <!-- hidden\n\nstill --> b <!-- open'), ['text: a  b']);
  });

  it('shows hidden characters, and an open fence to its end', () => {
    assert.deepEqual(lines('evil\u202egnp'), ['text: evil⟨U+202E⟩gnp']);
    assert.deepEqual(lines('```\nx'), ['code: x']);
    assert.deepEqual(lines(''), []);
  });

  it('is bounded, whatever the text consists of', () => {
    assert.ok(plainBlocks('- x\n'.repeat(100_000)).length <= 400);
    for (const part of ['[', '![', '[a](', '<a ', '**', '`', '<!--', '# ', '- ', '['.repeat(50) + ']'.repeat(50)])
      assert.ok(plainBlocks(part.repeat(1_000_000)).length <= 400, part);
  });
});

describe('a fetch of what strangers name', () => {
  const asked: string[] = [];
  const send = (async (url: string) => {
    asked.push(url);
    return new Response('ok');
  }) as typeof fetch;
  const addresses: Record<string, string[]> = {
    'icons.example': ['93.184.216.34', '2606:2800:220:1::1'],
    'intranet.example': ['10.0.0.7'],
    'mixed.example': ['93.184.216.34', '127.0.0.1'],
    'nowhere.example': [],
  };
  const get = publicFetch('http://registry.intranet:8080', send, async host =>
    (addresses[host] ?? []).map(address => ({ address })),
  );
  beforeEach(() => {
    asked.length = 0;
  });

  it('reaches the public internet over https, and the origin that the person named', async () => {
    await get('https://icons.example/a.png');
    await get('https://93.184.216.34/b.png');
    await get('http://registry.intranet:8080/c.png');
    assert.equal(asked.length, 3);
  });

  it('sends nothing anywhere else', async () => {
    for (const url of [
      'http://icons.example/a.png',
      'https://user:pw@icons.example/a.png',
      'https://intranet.example/a.png',
      'https://mixed.example/a.png',
      'https://nowhere.example/a.png',
      'https://169.254.169.254/latest',
      'https://127.0.0.1/a.png',
      'https://[::1]/a.png',
      'https://0x7f000001/a.png',
      'http://registry.intranet:8081/c.png',
      'file:///etc/passwd',
    ])
      await assert.rejects(get(url), TypeError, url);
    assert.deepEqual(asked, []);
  });
});
