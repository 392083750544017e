import assert from 'node:assert/strict';
import { publicFetch } from '../../../../../src/features/setup/core/publicFetch';

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
