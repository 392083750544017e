import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import * as path from 'node:path';
import { startHttpServer } from '../../../servers/spawn';
import { remove, temporaryFolder } from '../../../setup/paths';
import { raw } from '../../../setup/raw';
import { hostile, TestHost } from '../testHost';

const program = (script: string, startMs = 60_000) => ({
  command: process.execPath,
  args: ['-e', script],
  env: { ELECTRON_RUN_AS_NODE: '1' },
  timeouts: { startMs },
});

describe('a person reads in one sentence why a server', () => {
  let test: TestHost;
  beforeEach(() => {
    test = new TestHost();
  });
  afterEach(() => test.close());

  const failure = async (entry: object) => {
    test.configure({ one: entry });
    return (await test.reaches('one', 'failed')).error.message;
  };

  it('is no program for this computer', async function () {
    if (process.platform === 'win32') this.skip();
    const folder = temporaryFolder();
    const file = path.join(folder, 'server');
    fs.writeFileSync(file, Buffer.from('7f454c46020101000000000000000000030028000100\n(\n', 'hex'));
    fs.appendFileSync(file, '\n(\n');
    fs.chmodSync(file, 0o755);
    const message = await failure({ command: file });
    assert.match(
      message,
      /the program is for another processor or system: \S+server\. Install the one for this computer \(\w+ \w+\)/,
    );
    remove(folder);
  });

  it('is not ready in time, with what it printed on stdout', async () => {
    const script = 'console.log("Error: use --stdio"); setInterval(() => {}, 1000)';
    assert.match(
      await failure(program(script, 3_000)),
      /no answer within 3 s; its last output was: Error: use --stdio/,
    );
  });

  it('refuses the connection with an error of code 0', async () => {
    const error = { code: 0, message: 'duplicate "initialize" received' };
    const message = await failure(
      hostile(
        `--answer-at=server/discover "error":{"code":-32601,"message":"no"}`,
        `--answer-at=initialize "error":${JSON.stringify(error)}`,
      ),
    );
    assert.match(message, /it answered with an error, duplicate "initialize" received\. It refused/);
  });

  for (const body of ['{"hello":1}', '[]', '"hello"']) {
    it(`is none, but a page with the JSON ${body}`, async () => {
      const http = createServer((_, response) =>
        response.writeHead(200, { 'content-type': 'application/json' }).end(body),
      );
      await new Promise<void>(resolve => http.listen(0, '127.0.0.1', resolve));
      try {
        const message = await failure({ url: `http://127.0.0.1:${(http.address() as AddressInfo).port}/` });
        assert.ok(
          message.includes(
            `the response is not from an MCP server (it is no message of JSON-RPC: ${body}). Check the URL`,
          ),
          message,
        );
      } finally {
        http.closeAllConnections();
        http.close();
      }
    });
  }

  it('is called unnamed: it has neither a name nor a version', async () => {
    const result = { protocolVersion: '2025-11-25', capabilities: {}, serverInfo: { name: '', version: '' } };
    test.configure({ one: hostile(`--answer-at=initialize "result":${JSON.stringify(result)}`) });
    await test.reaches('one', 'ready');
    assert.ok(test.logged(/^ready: an unnamed server, MCP 2025-11-25 over stdio$/));
  });

  it('has forgotten the session, and not that a call failed which the host repeated', async () => {
    const server = await startHttpServer('hostile', ['--http', '--http-status=tools/call,404,1']);
    test.configure({ one: { url: server.url('/mcp') } });
    const connection = await test.loads('one');
    const echo = { name: 'echo', inputSchema: { type: 'object' as const } };
    const { content } = await raw(connection).callTool(echo, { text: 'a' });
    assert.deepEqual(content, [{ type: 'text', text: 'a' }]);
    assert.ok(test.logged(/no longer knows the session/));
    assert.ok(!test.logged(/not carried out|try again/));
    await server.stop();
  });
});
