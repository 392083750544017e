import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, BlockList, createServer as createTcpServer, isIP, type LookupFunction } from 'node:net';
import { gzipSync } from 'node:zlib';
import { literalOf, type Place, placeOf } from '../../../../src/base/networkAddress';
import { AuthContext, type AuthOptions } from '../../../../src/host/auth/authContext';
import { addressCheck, boundedFetch } from '../../../../src/host/auth/boundedFetch';
import { inRepository } from '../../../setup/paths';

const PUBLIC = new URL('https://9.9.9.9/mcp');
const LOCAL = new URL('http://127.0.0.1/mcp');
const never = new AbortController().signal;

describe('boundedFetch', () => {
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

  it('accepts no untrusted certificate @boundedFetch.accepts-untrusted', async () => {
    const [key, cert] = ['key', 'pem'].map(end => readFileSync(inRepository(`test/servers/tls/selfSigned.${end}`)));
    let requests = 0;
    const secure = createTlsServer({ key, cert }, (_request, response) => {
      requests++;
      response.end('{}');
    });
    await new Promise<void>(resolve => secure.listen(0, '127.0.0.1', resolve));
    try {
      const url = `https://localhost:${(secure.address() as AddressInfo).port}/`;
      await assert.rejects(boundedFetch(LOCAL, never)(url), /fetch failed/);
      assert.equal(requests, 0);
    } finally {
      secure.close();
    }
  });

  it('leaves out members that are null, and nothing else', async () => {
    const body = { a: null, b: { c: null, d: [null, 1] }, e: '', f: 0, g: false };
    const origin = await serve((request, response) => {
      response.end(request.url === '/json' ? JSON.stringify(body) : request.url === '/null' ? 'null' : 'a: null');
    });
    const read = async (path: string) => (await boundedFetch(LOCAL, never)(origin + path)).text();
    assert.deepEqual(JSON.parse(await read('/json')), { b: { d: [null, 1] }, e: '', f: 0, g: false });
    assert.deepEqual([await read('/null'), await read('/text')], ['null', 'a: null']);
  });

  it('refuses private addresses named by a public server @boundedFetch.refuses-private-addresses', async () => {
    const fetchFn = boundedFetch(PUBLIC, never);
    for (const host of ['10.0.0.1', '169.254.169.254', '[::ffff:192.168.1.1]', '[fd00::1]', '127.0.0.1', 'localhost'])
      await assert.rejects(fetchFn(`https://${host}/`), /is in a private network, although the server is not/, host);
  });

  it('allows a private address named in settings, and no redirect to another', async () => {
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

  it('refuses http except on this machine, and user names in addresses @boundedFetch.refuses-http-except', async () => {
    const fetchFn = boundedFetch(LOCAL, never);
    await assert.rejects(fetchFn('http://192.0.2.1/'), /neither https nor on this machine/);
    await assert.rejects(fetchFn('file:///etc/passwd'), /neither https nor on this machine/);
    await assert.rejects(fetchFn('http://me:secret@127.0.0.1/'), /has a user name in it/);
  });

  it('checks each redirect, and follows at most three @boundedFetch.checks-redirect-follows', async () => {
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
    await assert.rejects(boundedFetch(LOCAL, never, new Set(), { limitMs: 50 })(`${origin}/hang`), {
      name: 'TimeoutError',
    });
  });

  it('checks where a browser is led as what is fetched @boundedFetch.checks-browser-led', async () => {
    const name = names({ 'login.example': [['192.168.0.9'], ['8.8.8.8']], 'own.example': [['10.0.0.1']] });
    const check = addressCheck(PUBLIC, new Set(['https://own.example']), name.lookup);
    for (const url of ['https://10.0.0.2/', 'https://[fe80::1]/', 'https://login.example/authorize'])
      await assert.rejects(check(new URL(url)), /which is in a private network, although the server is not/, url);
    await assert.rejects(check(new URL('http://8.8.8.8/')), /neither https nor on this machine/);
    for (const url of ['https://8.8.8.8/', 'https://login.example/authorize', 'https://own.example/'])
      await check(new URL(url));
  });

  it('connects to the checked address, whatever the name server answers the second time @boundedFetch.connects-checked-address', async () => {
    let connections = 0;
    const inside = createTcpServer(socket => {
      connections++;
      socket.destroy();
    });
    await new Promise<void>(resolve => inside.listen(0, '127.0.0.1', resolve));
    try {
      const { port } = inside.address() as AddressInfo;
      const name = names({ 'login.example': [['8.8.8.8'], ['127.0.0.1']] });
      const fetchFn = boundedFetch(PUBLIC, never, new Set(), { lookup: name.lookup });
      await assert.rejects(
        fetchFn(`https://login.example:${port}/`),
        /login\.example:\d+, which is in a private network/,
      );
      assert.deepEqual(name.asked, ['login.example', 'login.example'], 'one look, then the connection with its own');
      assert.equal(connections, 0);
      // One bad address among good ones is enough, and a name that settings trust is connected to.
      const mixed = names({ 'login.example': [['8.8.8.8'], ['8.8.4.4', '::ffff:127.0.0.1']] });
      const strict = boundedFetch(PUBLIC, never, new Set(), { lookup: mixed.lookup });
      await assert.rejects(strict(`https://login.example:${port}/`), /which is in a private network/);
      assert.equal(connections, 0);
      const trusted = new Set([`https://login.example:${port}`]);
      const inHouse = names({ 'login.example': [['127.0.0.1']] });
      const allowed = boundedFetch(PUBLIC, never, trusted, { lookup: inHouse.lookup });
      await assert.rejects(allowed(`https://login.example:${port}/`), { message: 'fetch failed' });
      assert.equal(connections, 1);
    } finally {
      inside.close();
    }
  });

  it('reaches this machine over http, but not where a name server points there @boundedFetch.reaches-machine-http', async () => {
    const origin = (await serve((_request, response) => response.end('here'))).replace('127.0.0.1', 'a.localhost');
    const here = names({ 'a.localhost': [['127.0.0.1']] });
    const fetchFn = boundedFetch(LOCAL, never, new Set(), { lookup: here.lookup });
    assert.equal(await (await fetchFn(origin)).text(), 'here');
    for (const answers of [[['10.0.0.1']], [['127.0.0.1'], ['8.8.8.8']]]) {
      const { lookup } = names({ 'a.localhost': answers });
      await assert.rejects(
        boundedFetch(LOCAL, never, new Set(), { lookup })(origin),
        /uses http and is not on this machine/,
      );
    }
  });

  it("reaches the server's private network, but never this machine by a name server @boundedFetch.reaches-server-private", async () => {
    const { lookup } = names({
      localhost: [['127.0.0.1']],
      'mcp.corp': [['10.1.1.1']],
      'evil.example': [['127.0.0.1', '8.8.8.8']],
      'near.example': [['127.0.0.1']],
      'login.corp': [['10.1.1.2'], ['127.0.0.1']],
    });
    const from = (resource: string, to: string) =>
      boundedFetch(new URL(resource), never, new Set(), { lookup })(to).then(
        () => 'reached',
        (error: Error) => error.message,
      );
    // Past the check: refused by the connection alone, as its name has moved to this machine by then.
    assert.match(await from('https://mcp.corp/mcp', 'https://login.corp/'), /in a private network/);
    for (const resource of ['https://mcp.corp/mcp', 'https://evil.example/mcp', 'https://near.example/mcp']) {
      for (const target of ['https://169.254.169.254/', 'http://localhost/', 'https://[::1]/'])
        assert.match(await from(resource, target), /which is in a private network/, `${resource} ${target}`);
    }
    assert.match(await from('https://evil.example/mcp', 'https://10.0.0.1/'), /in a private network/);
  });

  it('reads compressed answers, bounded after decompression @boundedFetch.reads-compressed-answers', async () => {
    const origin = await serve((request, response) => {
      response.setHeader('content-encoding', 'gzip');
      response.end(gzipSync(request.url === '/bomb' ? Buffer.alloc(10_000_000) : 'metadata'));
    });
    const fetchFn = boundedFetch(LOCAL, never);
    assert.equal(await (await fetchFn(`${origin}/`)).text(), 'metadata');
    await assert.rejects(fetchFn(`${origin}/bomb`), /more than 262144 bytes/);
  });

  it('sends method, headers and body as given', async () => {
    const origin = await serve(async (request, response) => {
      let body = '';
      for await (const chunk of request) body += chunk;
      response.end(JSON.stringify([request.method, request.headers['content-type'], request.headers['x-own'], body]));
    });
    const body = new URLSearchParams({ grant_type: 'refresh_token', token: 'a b' });
    const answer = await boundedFetch(LOCAL, never)(origin, { method: 'POST', headers: { 'x-own': '1' }, body });
    const type = 'application/x-www-form-urlencoded;charset=UTF-8';
    assert.deepEqual(await answer.json(), ['POST', type, '1', 'grant_type=refresh_token&token=a+b']);
  });

  it('recognizes addresses that no public server has @boundedFetch.recognizes-addresses', () => {
    const of: Record<Place, string> = {
      machine:
        '127.0.0.1 127.255.255.254 0.0.0.0 0.1.2.3 :: ::1 ::ffff:127.0.0.1 ::ffff:7f00:1 64:ff9b::127.0.0.1 nowhere',
      link: '169.254.169.254 168.63.129.16 ::ffff:168.63.129.16 fe80::1 fe80::1%eth0 febf::1 ::ffff:169.254.169.254 64:ff9b::a9fe:a9fe',
      private:
        '10.0.0.1 100.64.0.1 100.127.255.255 172.16.0.1 172.31.255.255 192.168.0.1 192.0.0.8 192.0.2.1 192.88.99.1 ' +
        '198.18.0.1 198.19.255.255 198.51.100.1 203.0.113.1 224.0.0.1 240.0.0.1 255.255.255.255 ::2 ::10.0.0.1 ' +
        '::8.8.8.8 ::ffff:10.0.0.1 64:ff9b::10.0.0.1 64:ff9b::c0a8:1 64:ff9b:1::8.8.8.8 100::1 2001::1 ' +
        '2001:0:4136:e378:8000:63bf:3fff:fdd2 2001:2::1 2001:10::1 2001:20::1 2001:db8::1 2002:a00:1::1 ' +
        '2002:808:808::1 3fff::1 5f00::1 fc00::1 fd00::1 fec0::1 feff::1 ff02::1 4000::1',
      public:
        '8.8.8.8 9.255.255.255 100.128.0.1 172.32.0.1 192.0.1.1 223.255.255.255 2606:4700::1111 ' +
        '2a00:1450::1 2001:4860:4860::8888 ::ffff:8.8.8.8 64:ff9b::8.8.8.8',
    };
    for (const [place, addresses] of Object.entries(of))
      for (const address of addresses.split(' ')) assert.equal(placeOf(address), place, address);
  });

  it("recognizes all of Node's private networks", () => {
    const list = new BlockList();
    for (const [network, bits] of [
      ['10.0.0.0', 8],
      ['172.16.0.0', 12],
      ['192.168.0.0', 16],
      ['224.0.0.0', 3],
    ] as const)
      list.addSubnet(network, bits, 'ipv4');
    for (const [network, bits] of [
      ['fc00::', 7],
      ['fe80::', 10],
      ['fec0::', 10],
      ['2002::', 16],
      ['2001::', 32],
    ] as const)
      list.addSubnet(network, bits, 'ipv6');
    let [seed, found] = [1, 0];
    const byte = () => {
      seed = (seed * 48_271) % 0x7fff_ffff;
      return seed & 0xff;
    };
    for (let i = 0; i < 4_000; i++) {
      const v4 = [byte(), byte(), byte(), byte()].join('.');
      const group = () => ((byte() << 8) | byte()).toString(16);
      const head = [group(), 'fc12', 'fe90', 'fed0', '2002', '2001:0'][i % 6];
      const v6 = `${head}:${group()}::${group()}`;
      for (const address of [v4, v6]) {
        if (!list.check(address, isIP(address) === 4 ? 'ipv4' : 'ipv6')) continue;
        found++;
        assert.notEqual(placeOf(address), 'public', address);
      }
    }
    assert.ok(found > 2_000);
  });

  it('recognizes them in every spelling @boundedFetch.recognizes-spelling', async () => {
    const spellings =
      '127.1 2130706433 0x7f000001 0177.0.0.1 0x7f.1 127.0.0.1. 127.0.0.01 １２７.0.0.1 127。0。0。1 [::1] [0:0:0:0:0:0:0:1] ' +
      '[::ffff:127.0.0.1] [::FFFF:7F00:0001] 0 0.0.0.0';
    for (const host of spellings.split(' ')) {
      const url = new URL(`https://${host}/`);
      assert.equal(placeOf(literalOf(url) ?? ''), 'machine', host);
      await assert.rejects(boundedFetch(PUBLIC, never)(url), /in a private network/, host);
    }
    for (const host of ['0xa9fea9fe', '2852039166', '169.254.43518', '[fe80::1]'])
      assert.equal(placeOf(literalOf(new URL(`https://${host}/`)) ?? ''), 'link', host);
    const { lookup } = names({ 'localhost.': [['127.0.0.1']] });
    const fetchFn = boundedFetch(PUBLIC, never, new Set(), { lookup });
    await assert.rejects(fetchFn('https://localhost./'), /in a private network/);
  });
});

/** Name servers: for each name what they answer the first time, the second, and so on; the last answer stays. */
function names(answers: Record<string, readonly (readonly string[])[]>): { lookup: LookupFunction; asked: string[] } {
  const asked: string[] = [];
  const lookup: LookupFunction = (host, { all }, done) => {
    const known = answers[host];
    const times = asked.filter(name => name === host).length;
    asked.push(host);
    const found = (known?.[times] ?? known?.at(-1) ?? []).map(address => ({ address, family: isIP(address) }));
    if (found.length === 0) done(Object.assign(new Error(`no address of ${host}`), { code: 'ENOTFOUND' }), []);
    else if (all) done(null, found);
    else done(null, found[0]!.address, found[0]!.family);
  };
  return { lookup, asked };
}
