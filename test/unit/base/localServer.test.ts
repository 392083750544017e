import assert from 'node:assert/strict';
import type { Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { listen, localServer, onLoopback } from '../../../src/base/localServer';

describe('an HTTP server for programs on this machine', () => {
  let server: Server;
  let port: number;
  before(async () => {
    server = localServer(async (request, response) => {
      const { pathname } = new URL(request.url ?? '', 'http://127.0.0.1');
      if (pathname === '/late') await Promise.reject(new Error('late'));
      if (pathname === '/begun') response.write('begun');
      if (pathname === '/begun') throw new Error('after its head was sent');
      response.end('fine');
    });
    await listen(server, onLoopback());
    ({ port } = server.address() as AddressInfo);
  });
  after(() => {
    server.close();
    server.closeAllConnections();
  });

  const said = async (raw: string) => {
    const socket = connect(port, '127.0.0.1');
    socket.on('error', () => {});
    socket.end(raw);
    return text(socket).catch(() => '');
  };
  const request = (path: string) => said(`GET ${path} HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n`);

  for (const path of ['//', '/late'])
    it(`answers 400 to what makes its handler throw, and goes on: ${path} @localServer.answers-400-makes`, async () => {
      assert.match(await request(path), /^HTTP\/1\.1 400 /);
      assert.match(await request('/'), /^HTTP\/1\.1 200 .*fine/s);
    });

  it('answers 400 to what is no HTTP @localServer.answers-400-http', async () => {
    assert.match(await said('hello\r\n\r\n'), /^HTTP\/1\.1 400 /);
    assert.match(await request('/'), /^HTTP\/1\.1 200 /);
  });

  it('ends the connection of an answer that its handler has begun', async () => {
    assert.doesNotMatch(await request('/begun'), /fine/);
    assert.match(await request('/'), /^HTTP\/1\.1 200 /);
  });

  it('rejects where it cannot listen', async () => {
    await assert.rejects(
      listen(
        localServer(() => {}),
        onLoopback(port),
      ),
      { code: 'EADDRINUSE' },
    );
  });
});
