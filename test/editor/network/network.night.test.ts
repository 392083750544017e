// The editor's own settings for the network hold for MCP servers: http.proxy, http.noProxy, NO_PROXY, certificates. The window
// has NO_PROXY and SSL_CERT_FILE in its environment (test/setup/editorRun.ts).
import * as assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { createServer } from 'node:tls';
import * as vscode from 'vscode';
import { relaySocket } from '../../servers/relay';
import { type HttpServerFixture, startHttpServer } from '../../servers/spawn';
import { inRepository } from '../../setup/paths';
import { since } from '../../setup/since';
import { api, configure, eventually, loads, raw, reaches } from '../window';

const pem = (name: string) => readFileSync(inRepository('test/servers/tls', name));

/** https before a server that speaks http. */
async function startTls(port: number, name: 'server' | 'selfSigned') {
  const open = new Set<Socket>();
  const server = createServer({ cert: pem(`${name}.pem`), key: pem(`${name}.key`) }, near => {
    const far = connect(port, '127.0.0.1');
    near.pipe(far).pipe(near);
    near.on('error', () => far.destroy());
    far.on('error', () => near.destroy());
    open.add(near);
    near.on('close', () => {
      open.delete(near);
      far.destroy();
    });
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    close: () => server.close(),
    /** Another certificate for new connections, and none of the old ones any more. */
    certify(certificate: 'server' | 'expired'): void {
      server.setSecureContext({ cert: pem(`${certificate}.pem`), key: pem('server.key') });
      for (const socket of open) socket.destroy();
    },
  };
}

describe('the network settings of the editor', () => {
  let proxy: HttpServerFixture;
  let server: HttpServerFixture;
  const http = vscode.workspace.getConfiguration('http');
  const set = (key: string, value: unknown) => http.update(key, value, vscode.ConfigurationTarget.Global);
  /** Hosts of earlier tests: a server that was removed may still be told that its session is over. */
  const earlier = new Set<string>();
  /** Where the proxy was asked to go in this test. */
  const seen = async () => {
    const hosts = (await (await fetch(proxy.url('/__seen'))).json()) as string[];
    return [...new Set(hosts)].filter(host => !earlier.has(host));
  };
  const refuse = (status?: number) =>
    fetch(proxy.url(`/__refuse${status === undefined ? '' : `?status=${status}`}`), { method: 'PUT' });
  before(async () => {
    [proxy, server] = await Promise.all([startHttpServer('proxy'), startHttpServer('http')]);
    await set('proxy', proxy.url(''));
  });
  afterEach(async () => {
    for (const host of await seen()) earlier.add(host);
    await configure(undefined);
    await set('noProxy', undefined);
    await refuse();
  });
  after(async () => {
    await set('proxy', undefined);
    await Promise.all([proxy?.stop(), server?.stop()]);
  });

  /** Plain http to another machine waits for a person. */
  const start = async (url: string) => {
    await configure({ box: { url } });
    const server = await reaches('box', 'needsTrust');
    const { consents } = (await api()).trust();
    await consents.allow(consents.review(server.definition)!);
  };
  const echo = async (id: string) => {
    const tool = { name: 'echo', inputSchema: { type: 'object' as const } };
    const { content } = await raw(await loads(id)).callTool(tool, { text: 'hello' });
    return (content[0] as { text: string }).text;
  };
  const failure = async (id: string) => {
    const { state } = await reaches(id, 'failed');
    return 'error' in state ? state.error.message : assert.fail();
  };

  for (const path of ['/mcp', '/mcp?answer=sse', '/modern', '/sse-only']) {
    it(`route a server through http.proxy (${path})`, async () => {
      // Of its own, as connections are kept.
      const host = `${path.replace(/\W/g, '')}.test:${server.port}`;
      await start(`http://${host}${path}`);
      assert.equal(await echo('box'), 'hello');
      assert.deepEqual(await seen(), [host]);
    });
  }

  it('bypass the proxy for this machine', async () => {
    await configure({ box: { url: server.url('/mcp') } });
    assert.equal(await echo('box'), 'hello');
    assert.deepEqual(await seen(), []);
  });

  it('bypass the proxy for hosts in http.noProxy', async () => {
    await set('noProxy', ['direct.test']);
    await start(`http://direct.test:${server.port}/mcp`);
    assert.match(await failure('box'), /cannot reach http:\/\/direct\.test:\d+ \((ENOTFOUND|EAI_AGAIN)\)/);
    assert.deepEqual(await seen(), []);
  });

  it('bypass the proxy for hosts in NO_PROXY of the environment', async () => {
    await start(`http://unproxied.test:${server.port}/mcp`);
    assert.match(await failure('box'), /cannot reach http:\/\/unproxied\.test:\d+ \((ENOTFOUND|EAI_AGAIN)\)/);
    assert.deepEqual(await seen(), []);
  });

  it('name the proxy in the error when it refuses the connection @network.name-proxy-error', async () => {
    await refuse(502);
    const secure = await startTls(server.port, 'server');
    await configure({ box: { url: `https://secure.test:${secure.port}/mcp` } });
    assert.match(
      await failure('box'),
      /the proxy refuses connections to https:\/\/secure\.test:\d+ \(HTTP 502\)\. Check "http\.proxy" and "http\.noProxy"/,
    );
    secure.close();
  });

  since('http.systemCertificatesNode').it(
    'make the certificates of the system count, through the proxy and without it',
    async () => {
      const secure = await startTls(server.port, 'server');
      await configure({
        proxied: { url: `https://secure.test:${secure.port}/mcp` },
        direct: { url: `https://127.0.0.1:${secure.port}/mcp` },
      });
      assert.equal(await echo('proxied'), 'hello');
      assert.equal(await echo('direct'), 'hello');
      assert.deepEqual(await seen(), [`secure.test:${secure.port}`]);
      await configure(undefined);
      secure.close();
    },
  );

  since('http.systemCertificatesNode').it(
    'make a call fail while the certificate has expired, with the reason, and the next succeed once it is renewed @network.make-call-fail',
    async () => {
      const secure = await startTls(server.port, 'server');
      await configure({ box: { url: `https://127.0.0.1:${secure.port}/mcp` } });
      assert.equal(await echo('box'), 'hello');
      secure.certify('expired');
      const box = await loads('box');
      const tool = { name: 'echo', inputSchema: { type: 'object' as const } };
      const call = () => raw(box).callTool(tool, { text: 'hello' });
      // Until the broken connection is noticed, that is the reason.
      await eventually(() =>
        assert.rejects(
          call(),
          /the certificate of https:\/\/127\.0\.0\.1:\d+ has expired\. The operator of the server/,
        ),
      );
      secure.certify('server');
      await eventually(async () => assert.equal(await echo('box'), 'hello'));
      assert.equal(box.state.kind, 'ready');
      await configure(undefined);
      secure.close();
    },
  );

  it('accept no untrusted certificate, and the error names it @network.accept-untrusted', async () => {
    const secure = await startTls(server.port, 'selfSigned');
    await configure({ box: { url: `https://127.0.0.1:${secure.port}/mcp` } });
    assert.match(
      await failure('box'),
      /the certificate of https:\/\/127\.0\.0\.1:\d+ is not trusted \(\w+\)\. .*"http\.systemCertificates"/,
    );
    secure.close();
  });

  it('do not apply to sockets', async () => {
    const relay = await relaySocket(server.port);
    await configure({ box: { url: relay.url('/mcp') } });
    assert.equal(await echo('box'), 'hello');
    assert.deepEqual(await seen(), []);
    await configure(undefined);
    await relay.close();
  });
});
