import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { downloadBundle } from '../../../../../src/features/bundles/core/downloadBundle';
import { temporaryFolder } from '../../../../setup/paths';

describe('downloading a bundle', () => {
  let folder: string;
  let server: Server;
  let base: string;
  const { signal } = new AbortController();
  before(async () => {
    folder = temporaryFolder();
    server = createServer((request, response) => {
      const { url = '' } = request;
      if (url === '/good.mcpb') response.end('content');
      else if (url === '/moved.mcpb') response.writeHead(302, { location: '/good.mcpb' }).end();
      else if (url === '/loop.mcpb') response.writeHead(302, { location: url }).end();
      else if (url === '/insecure.mcpb') response.writeHead(302, { location: 'http://example.com/a.mcpb' }).end();
      else if (url === '/odd.mcpb') response.writeHead(302, { location: 'file:///etc/passwd' }).end();
      else if (url === '/silent.mcpb') response.write('begin');
      else if (url === '/endless.mcpb') {
        const more = () => {
          while (response.write(Buffer.alloc(64 * 1024)));
        };
        response.on('drain', more);
        more();
      } else if (url === '/torn.mcpb') {
        response.writeHead(200, { 'content-length': '100' });
        response.write('some', () => response.destroy());
      } else response.writeHead(404).end();
    });
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
    base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  after(() => {
    server.closeAllConnections();
    server.close();
  });
  let count = 0;
  const get = (name: string, options = {}, by = signal) => {
    const path = join(folder, String(count++));
    return downloadBundle(name.includes(':') ? name : `${base}/${name}.mcpb`, path, by, options).then(() =>
      readFileSync(path, 'utf8'),
    );
  };
  const fails = (name: string, what: RegExp, options = {}) =>
    assert.rejects(
      get(name, options),
      (error: Error & { code?: string }) => error.code === 'UNREACHABLE' && what.test(error.message),
    );

  it('has what the server sends, also from elsewhere', async () => {
    assert.deepEqual([await get('good'), await get('moved')], ['content', 'content']);
  });

  it('says why there is none', async () => {
    await fails('gone', /HTTP 404/);
    await fails('loop', /redirects too often/);
    await fails('torn', /cannot be downloaded/);
    await fails('http://127.0.0.1:1/a.mcpb', /cannot be downloaded/);
  });

  it('uses only HTTPS, but for this machine', async () => {
    await fails('http://example.com/a.mcpb', /starts with https/);
    await fails('insecure', /starts with https/);
    await fails('odd', /starts with https/);
    await fails('ftp://example.com/a.mcpb', /starts with https/);
  });

  it('ends with the limit of size, and when nothing comes', async () => {
    await assert.rejects(get('endless', { maxBytes: 1024 * 1024 }), { code: 'TOO_LARGE' });
    await fails('silent', /nothing was received/, { idleMs: 50 });
  });

  it('ends when the person cancels, and never writes over a file @downloadBundle.ends-person-cancels', async () => {
    const abort = new AbortController();
    const got = get('silent', {}, abort.signal);
    abort.abort(new Error('cancelled'));
    await assert.rejects(got, /cancelled/);
    const path = join(folder, 'there');
    await downloadBundle(`${base}/good.mcpb`, path, signal);
    await assert.rejects(downloadBundle(`${base}/good.mcpb`, path, signal));
    assert.ok(existsSync(path));
  });
});
