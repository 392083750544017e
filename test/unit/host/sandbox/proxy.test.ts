import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync, rmSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders, request, type Server } from 'node:http';
import { type AddressInfo, connect, createServer as createTcpServer } from 'node:net';
import { basename, dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { SandboxAttempts } from '../../../../src/host/sandbox/attempts';
import { FilteringProxy, ReachableHosts } from '../../../../src/host/sandbox/proxy';
import { waitFor } from '../../../servers/spawn';
import { temporaryFolder } from '../../../setup/paths';
import { servePage } from './confined';

/** Beside Node, or of the system. */
const NPM = [join(dirname(process.execPath), 'npm'), '/usr/bin/npm'].find(existsSync) ?? 'npm';

/** Where a sandbox shares the network of its machine, the proxy listens there: over real connections. */
describe('a proxy that listens', () => {
  let page: Server;
  let seen: IncomingHttpHeaders | undefined;
  let host: string;
  let attempts: SandboxAttempts;
  let network: ReachableHosts;
  let proxy: FilteringProxy;
  let way: { readonly port: number; readonly url: string };

  beforeEach(async () => {
    seen = undefined;
    page = createServer((incoming, response) => {
      seen = incoming.headers;
      response.end('the page');
    }).listen(0, '127.0.0.1');
    await new Promise(resolve => page.once('listening', resolve));
    host = `127.0.0.1:${(page.address() as AddressInfo).port}`;
    attempts = new SandboxAttempts();
    network = new ReachableHosts({ hosts: [host], fetchesFrom: ['registry.invalid'] }, { attempts });
    proxy = new FilteringProxy(network);
    way = await proxy.listen();
  });
  afterEach(() => {
    proxy.close();
    page.close();
    page.closeAllConnections();
  });

  const credentials = () => {
    const { username, password } = new URL(way.url);
    return `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
  };

  /** What the proxy says to a request as programs send it for `http:`. */
  const get = (url: string, authorization?: string) =>
    new Promise<{ status: number | undefined; asks: string | undefined; body: string }>((resolve, reject) => {
      const headers = authorization === undefined ? {} : { 'Proxy-Authorization': authorization };
      request({ host: '127.0.0.1', port: way.port, path: url, headers, agent: false }, response => {
        void text(response).then(body =>
          resolve({ status: response.statusCode, asks: response.headers['proxy-authenticate'], body }),
        );
      })
        .once('error', reject)
        .end();
    });

  /** What it says to `CONNECT`, and what comes through the tunnel then. */
  const tunnel = (to: string, authorization?: string) =>
    new Promise<string>((resolve, reject) => {
      const socket = connect(way.port, '127.0.0.1');
      const lines = [`CONNECT ${to} HTTP/1.1`, `Host: ${to}`];
      if (authorization !== undefined) lines.push(`Proxy-Authorization: ${authorization}`);
      socket.write(`${lines.join('\r\n')}\r\n\r\n`);
      socket.once('data', first => {
        if (!String(first).includes(' 200 ')) return;
        socket.write(`GET / HTTP/1.1\r\nHost: ${to}\r\nConnection: close\r\n\r\n`);
      });
      text(socket).then(resolve, reject);
    });

  /** A tunnel that stays open. */
  const opened = async (to: string) => {
    const socket = connect(way.port, '127.0.0.1');
    socket.on('error', () => {});
    socket.write(`CONNECT ${to} HTTP/1.1\r\nHost: ${to}\r\nProxy-Authorization: ${credentials()}\r\n\r\n`);
    const first = await new Promise(resolve => socket.once('data', resolve));
    assert.match(String(first), / 200 /);
    return socket;
  };

  /** What it says first to a request, whose connection stays open until the end of the test. */
  const started = (line: string) =>
    new Promise<string>((resolve, reject) => {
      const socket = connect(way.port, '127.0.0.1');
      socket.write(`${line}\r\nHost: ${host}\r\nProxy-Authorization: ${credentials()}\r\n\r\n`);
      socket.once('data', first => resolve(String(first)));
      socket.once('error', reject);
      socket.once('close', () => resolve(''));
    });

  it('never reaches, nor asks about, what an organization does not allow, but where packages come from', async () => {
    const asked: string[] = [];
    const limits = { hosts: ['corp.example'], sources: ['registry.corp.example'] };
    const policy = { hosts: [host, '*'], fetchesFrom: [] };
    const askHost = async (wanted: string) => asked.push(wanted) > 0;
    network = new ReachableHosts(policy, {
      attempts,
      askHost,
      limits: () => limits,
      granted: () => ({ network: [host] }),
    });
    proxy.close();
    proxy = new FilteringProxy(network);
    way = await proxy.listen();
    assert.equal((await get(`http://${host}/`, credentials())).status, 403);
    assert.match(await tunnel(host, credentials()), /^HTTP\/1\.1 403 /);
    assert.deepEqual(asked, []);
    assert.ok(attempts.blocked.some(({ what }) => what === host));
    limits.sources.push(host);
    assert.equal((await get(`http://${host}/`, credentials())).body, 'the page');
  });

  it('admits only clients that know its token @proxy.admits-clients-know', async () => {
    const url = `http://${host}/`;
    const wrong = `Basic ${Buffer.from('mcp-host:wrong').toString('base64')}`;
    assert.deepEqual(await get(url, credentials()), { status: 200, asks: undefined, body: 'the page' });
    assert.equal(seen?.['proxy-authorization'], undefined);
    seen = undefined;
    for (const authorization of [undefined, '', wrong, credentials().slice(0, -1), `${credentials()}=`]) {
      const answer = await get(url, authorization);
      assert.deepEqual([answer.status, answer.asks, answer.body], [407, 'Basic realm="MCP Host"', '']);
      assert.match(await tunnel(host, authorization), /^HTTP\/1\.1 407 /);
    }
    assert.equal(seen, undefined);
    assert.deepEqual(attempts.blocked, []);
    assert.match(await tunnel(host, credentials()), /^HTTP\/1\.1 200 OK\r\n\r\nHTTP\/1\.1 200 OK[\s\S]*the page$/);
  });

  it('reaches only agreed hosts, and download sources until the program is ready @proxy.reaches-agreed-hosts', async () => {
    assert.equal((await get('http://other.invalid/', credentials())).status, 403);
    assert.match(await tunnel('other.invalid:443', credentials()), /^HTTP\/1\.1 403 /);
    assert.deepEqual(attempts.blocked, [{ kind: 'network', what: 'other.invalid' }]);
    await get('http://registry.invalid/', credentials());
    assert.ok(attempts.hosts.has('registry.invalid'));
    network.settle();
    assert.equal((await get('http://registry.invalid/', credentials())).status, 403);
  });

  it('ends what is connected to download sources once the program is ready, and nothing else @proxy.ends-connected-sources', async () => {
    await using other = await servePage();
    network = new ReachableHosts({ hosts: [other.host], fetchesFrom: [host] }, { attempts });
    proxy.close();
    proxy = new FilteringProxy(network);
    way = await proxy.listen();
    const [agreed, source] = await Promise.all([other.host, host].map(to => opened(to)));
    const ended = new Promise(resolve => source!.once('close', resolve));
    network.settle();
    await ended;
    const said = text(agreed!);
    agreed!.write(`GET / HTTP/1.1\r\nHost: ${other.host}\r\nConnection: close\r\n\r\n`);
    assert.match(await said, /the page/);
  });

  it('tells the host that it connects to its own name, whatever the program says @proxy.tells-host-connects', async () => {
    const socket = connect(way.port, '127.0.0.1');
    socket.write(
      `GET http://${host}/ HTTP/1.1\r\nHost: other.invalid\r\nProxy-Authorization: ${credentials()}\r\nConnection: close\r\n\r\n`,
    );
    assert.match(await text(socket), / 200 /);
    assert.equal(seen?.host, host);
  });

  it('passes on one request as one, whatever its framing, on a connection of its own @proxy.passes-one-request', async () => {
    const requests: string[] = [];
    const ports = new Set<number | undefined>();
    page.removeAllListeners('request');
    page.on('request', async (incoming, response) => {
      ports.add(incoming.socket.remotePort);
      requests.push(`${incoming.url} ${await text(incoming)}`);
      response.end('ok');
    });
    const body = `GET /second HTTP/1.1\r\nHost: ${host}\r\n\r\n`;
    for (let round = 0; round < 2; round++) {
      const socket = connect(way.port, '127.0.0.1');
      const head = [`GET http://${host}/first HTTP/1.1`, `Host: ${host}`, `Proxy-Authorization: ${credentials()}`];
      head.push('Transfer-Encoding: chunked', 'Connection: close');
      socket.write(`${head.join('\r\n')}\r\n\r\n${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`);
      await text(socket);
    }
    assert.deepEqual(requests, [`/first ${body}`, `/first ${body}`]);
    assert.equal(ports.size, 2);
  });

  it('answers for a host whose answer has no status that there is', async () => {
    const odd = createTcpServer(socket => socket.end('HTTP/1.1 042 Odd\r\nContent-Length: 0\r\n\r\n'));
    await new Promise<void>(resolve => odd.listen(0, '127.0.0.1', resolve));
    const { port } = odd.address() as AddressInfo;
    network = new ReachableHosts({ hosts: [`127.0.0.1:${port}`], fetchesFrom: [] }, { attempts });
    proxy.close();
    proxy = new FilteringProxy(network);
    way = await proxy.listen();
    assert.equal((await get(`http://127.0.0.1:${port}/`, credentials())).status, 502);
    odd.close();
  });

  describe('checks the address that it connects to', () => {
    let found: string;
    let lookups: string[];
    let agreed: string[];
    let port: string;
    beforeEach(async () => {
      proxy.close();
      [found, lookups, agreed] = ['127.0.0.1', [], []];
      port = host.split(':')[1]!;
      network = new ReachableHosts({ hosts: agreed, fetchesFrom: [] }, { attempts });
      proxy = new FilteringProxy(network, async name => {
        lookups.push(name);
        return { address: found };
      });
      way = await proxy.listen();
    });

    it('no name that was agreed to leads to this machine, its network or the metadata of a cloud @proxy.name-agreed-leads', async () => {
      agreed.push(`inside.example:${port}`, `*.example:${port}`, '*');
      for (found of [
        ...['127.0.0.1', '::1', '0.0.0.0', '::', '169.254.169.254', '168.63.129.16', '10.0.0.5', '192.168.1.1'],
        ...[
          '::ffff:127.0.0.1',
          '64:ff9b::127.0.0.1',
          '64:ff9b::a9fe:a9fe',
          '2002:7f00:1::1',
          'fe80::1%eth0',
          'fd00:ec2::254',
        ],
      ]) {
        assert.equal((await get(`http://inside.example:${port}/`, credentials())).status, 403, found);
        assert.match(await tunnel(`inside.example:${port}`, credentials()), /^HTTP\/1\.1 403 /, found);
      }
      assert.equal(seen, undefined);
      assert.ok(attempts.blocked.some(({ what }) => what === `169.254.169.254:${port}`));
    });

    it('no spelling of an address is taken for a name that leads elsewhere @proxy.spelling-address-taken', async () => {
      agreed.push('*');
      proxy.close();
      // The resolver of this machine, which knows all of these.
      proxy = new FilteringProxy(network);
      way = await proxy.listen();
      for (const spelled of [
        ...['2130706433', '0x7f000001', '0177.0.0.1', '127.1', '0', '[::]', '[::1]', '[::ffff:7f00:1]'],
        ...['[64:ff9b::7f00:1]', '[2002:7f00:1::1]', '[fe80::1]', '0xa9fea9fe'],
      ]) {
        assert.equal((await get(`http://${spelled}:${port}/`, credentials())).status, 403, spelled);
        assert.match(await tunnel(`${spelled}:${port}`, credentials()), /^HTTP\/1\.1 (400|403) /, spelled);
      }
      assert.equal(seen, undefined);
    });

    it('no name leads to a public address that this machine has itself @proxy.name-leads-public', async () => {
      agreed.push(`inside.example:${port}`);
      proxy.close();
      proxy = new FilteringProxy(
        network,
        async () => ({ address: found }),
        () => ['127.0.0.1', '9.9.9.9', '2a00::9'],
      );
      way = await proxy.listen();
      for (found of ['9.9.9.9', '::ffff:9.9.9.9', '2a00:0::9'])
        assert.equal((await get(`http://inside.example:${port}/`, credentials())).status, 403, found);
      assert.ok(attempts.blocked.some(({ what }) => what === `9.9.9.9:${port}`));
    });

    it('unless the address, or localhost, was agreed to as such @proxy.unless-address-localhost', async () => {
      agreed.push(`inside.example:${port}`, host);
      assert.equal((await get(`http://inside.example:${port}/`, credentials())).body, 'the page');
      assert.deepEqual(lookups, ['inside.example']);
      agreed.splice(0, 2, `localhost:${port}`);
      assert.equal((await get(`http://localhost:${port}/`, credentials())).body, 'the page');
      assert.equal((await get(`http://127.0.0.1:${port}/`, credentials())).status, 403);
      found = '10.0.0.5';
      assert.equal((await get(`http://localhost:${port}/`, credentials())).status, 403);
    });

    it('which the person can agree to while the connection waits', async () => {
      const asked: string[] = [];
      const askHost = async (wanted: string) => {
        asked.push(wanted);
        agreed.push(wanted);
        return true;
      };
      proxy.close();
      network = new ReachableHosts({ hosts: agreed, fetchesFrom: [] }, { attempts, askHost });
      proxy = new FilteringProxy(network, async () => ({ address: found }));
      way = await proxy.listen();
      assert.equal((await get(`http://inside.example:${port}/`, credentials())).body, 'the page');
      assert.deepEqual(asked, [`inside.example:${port}`, host]);
    });
  });

  it('has no more than 64 connections at once, however they are asked for @proxy.64-connections-once', async () => {
    let waiting = 0;
    page.removeAllListeners('request');
    page.on('request', () => waiting++);
    const one = `GET http://${host}/ HTTP/1.1\r\nHost: ${host}\r\nProxy-Authorization: ${credentials()}\r\n\r\n`;
    const many = connect(way.port, '127.0.0.1');
    many.on('error', () => {});
    many.write(one.repeat(70));
    await waitFor(() => waiting >= 64, { what: 'requests of one connection' });
    assert.match(await tunnel(host, credentials()), /^HTTP\/1\.1 503 /);
    assert.equal(waiting, 64);
    many.destroy();
    await waitFor(async () => / 200 /.test(await started(`CONNECT ${host} HTTP/1.1`)), { what: 'room for another' });
    const sockets = await Promise.all(
      Array.from({ length: 70 }, () => started(`CONNECT ${host} HTTP/1.1`).catch(() => 'closed')),
    );
    assert.ok(sockets.filter(answer => answer.includes(' 200 ')).length <= 64);
    assert.ok(sockets.some(answer => !answer.includes(' 200 ')));
  });

  it('has another token each time', async () => {
    const other = new FilteringProxy(network);
    const { url } = await other.listen();
    other.close();
    assert.notEqual(new URL(url).password, new URL(way.url).password);
    assert.match(new URL(url).password, /^[\da-f]{64}$/);
  });

  it('ends with all that is connected by it @proxy.ends-connected', async () => {
    const socket = await opened(host);
    const ended = new Promise(resolve => socket.once('close', resolve));
    proxy.close();
    await ended;
    await assert.rejects(get(`http://${host}/`, credentials()), { code: 'ECONNREFUSED' });
  });

  describe('is used, with its token, by', () => {
    let home: string;
    before(function () {
      if (process.platform === 'win32') this.skip(); // nothing is confined there
      home = temporaryFolder();
    });
    after(() => home && rmSync(home, { recursive: true, force: true }));
    const run = (program: string, args: readonly string[]) =>
      new Promise<string>(resolve => {
        const env = { PATH: process.env.PATH, HOME: home, ...network.variables(way.url) };
        execFile(program, args, { env }, (_error, stdout, stderr) => resolve(stdout + stderr));
      });

    /** Both for `http:`, whose requests the proxy passes on, and for `https:`, for which it makes a tunnel. */
    const used = async (program: string, args: (url: string) => readonly string[]) => {
      const said = await run(program, args(`http://${host}/`));
      assert.ok(seen, said);
      const before = attempts.hosts.get(host) ?? 0;
      // The other end speaks no TLS: that it was asked for is enough.
      const saidOfTunnel = await run(program, args(`https://${host}/`));
      assert.ok((attempts.hosts.get(host) ?? 0) > before, saidOfTunnel);
      assert.doesNotMatch(said + saidOfTunnel, /\b407\b/);
    };

    it('Node itself', async function () {
      if (!process.allowedNodeEnvironmentFlags.has('--use-env-proxy')) this.skip(); // it is too old for that
      await used(process.execPath, url => ['-e', `fetch('${url}').then(r => r.text()).then(console.log, console.log)`]);
      const get = (url: string) =>
        `require('${new URL(url).protocol.slice(0, -1)}').get('${url}', r => r.pipe(process.stdout)).on('error', console.log)`;
      await used(process.execPath, url => ['-e', get(url)]);
    });

    for (const [program, args] of Object.entries({
      '/usr/bin/curl': (url: string) => ['-sS', url],
      '/usr/bin/wget': (url: string) => ['-q', '-O', '-', '--tries', '1', url],
      [NPM]: (url: string) => ['view', 'a-package', '--registry', url, '--fetch-retries', '0'],
      // It asks as it would for a repository, and finds none.
      '/usr/bin/git': (url: string) => ['ls-remote', `${url}repository.git`],
      '/usr/bin/python3': (url: string) => [
        '-c',
        `from urllib.request import urlopen; print(urlopen('${url}').read())`,
      ],
    })) {
      it(basename(program), async function () {
        if (!existsSync(program)) this.skip(); // it is not on this machine
        await used(program, args);
      });
    }
  });
});
