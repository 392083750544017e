import assert from 'node:assert/strict';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { isPrivateAddress } from '../../../../src/host/auth/address';
import { boundedFetch } from '../../../../src/host/auth/boundedFetch';
import { AuthContext, type AuthOptions } from '../../../../src/host/auth/context';

const PUBLIC = new URL('https://192.0.2.1/mcp');
const LOCAL = new URL('http://127.0.0.1/mcp');
const never = new AbortController().signal;

describe('what OAuth fetches', () => {
  let server: Server | undefined;
  afterEach(() => {
    server?.close();
    server?.closeAllConnections();
  });
  const serve = async (handle: RequestListener) => {
    server = createServer(handle);
    await new Promise<void>(resolve => server!.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  };

  it('is nothing on a private address for the sake of a public server', async () => {
    const fetchFn = boundedFetch(PUBLIC, never);
    for (const host of ['10.0.0.1', '169.254.169.254', '[::ffff:192.168.1.1]', '[fd00::1]', '127.0.0.1', 'localhost'])
      await assert.rejects(fetchFn(`https://${host}/`), /is in a private network, although the server is not/, host);
  });

  it('may be on a private address that settings name, and redirect to no other', async () => {
    const origin = await serve((request, response) => {
      if (request.url === '/out') response.writeHead(302, { location: 'https://10.0.0.1/' });
      response.end('metadata');
    });
    const settings = { issuer: 'http://10.0.0.2', identityProvider: { tokenUrl: `${origin}/token`, clientId: 'me' } };
    const fetchFn = new AuthContext({ url: PUBLIC, settings } as unknown as AuthOptions).fetchFor(never);
    assert.equal(await (await fetchFn(`${origin}/any`)).text(), 'metadata');
    await assert.rejects(fetchFn(`${origin}/out`), /10\.0\.0\.1, which is in a private network/);
    await assert.rejects(fetchFn('http://10.0.0.2/'), /neither https nor on this machine/);
  });

  it('is nothing over http but on this machine, and nothing with a user name', async () => {
    const fetchFn = boundedFetch(LOCAL, never);
    await assert.rejects(fetchFn('http://192.0.2.1/'), /neither https nor on this machine/);
    await assert.rejects(fetchFn('file:///etc/passwd'), /neither https nor on this machine/);
    await assert.rejects(fetchFn('http://me:secret@127.0.0.1/'), /has a user name in it/);
  });

  it('is checked again at each redirect, of which there are three at most', async () => {
    const origin = await serve((request, response) => {
      const location = request.url === '/out' ? 'http://192.0.2.1/' : '/loop';
      response.writeHead(302, { location }).end();
    });
    const fetchFn = boundedFetch(LOCAL, never);
    await assert.rejects(fetchFn(`${origin}/out`), /192\.0\.2\.1, which is neither https/);
    await assert.rejects(fetchFn(`${origin}/loop`), /redirects more than 3 times/);
    const post = await fetchFn(`${origin}/loop`, { method: 'POST', body: 'secret' });
    assert.equal(post.status, 302);
  });

  it('is bounded in size and time', async () => {
    const origin = await serve((request, response) => {
      if (request.url === '/large') response.end(Buffer.alloc(300_000));
    });
    await assert.rejects(boundedFetch(LOCAL, never)(`${origin}/large`), /more than 262144 bytes/);
    await assert.rejects(boundedFetch(LOCAL, never, new Set(), 50)(`${origin}/hang`), { name: 'TimeoutError' });
  });

  it('knows the addresses that no public server has', () => {
    for (const address of ['100.64.0.1', '172.31.255.255', '0.0.0.0', '::1', 'fe80::1', '224.0.0.1'])
      assert.ok(isPrivateAddress(address), address);
    for (const address of ['8.8.8.8', '172.32.0.1', '2606:4700::1111', '192.0.2.1'])
      assert.ok(!isPrivateAddress(address), address);
  });
});
