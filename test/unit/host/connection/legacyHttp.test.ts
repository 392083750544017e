import assert from 'node:assert/strict';
import type { Tool } from '@modelcontextprotocol/client';
import { type HttpServerFixture, startHttpFixture, startHttpServer } from '../../../servers/spawn';
import { raw } from '../../../setup/raw';
import { hostile, TestHost } from '../testHost';

const echo: Tool = { name: 'echo', inputSchema: { type: 'object' } };

describe('a legacy server over HTTP', () => {
  for (const [made, args] of [
    ['with the SDK 1.x on Express, with sessions', ['sdk']],
    ['with the SDK 1.x on Express, without sessions', ['stateless']],
    ['with mcp-lite', ['lite']],
    ["with Node's http alone, which answers an unknown method with a page and 500", ['plain']],
    ['with the SDK 1.x, behind a proxy that answers unknown methods with 502', ['sdk', '502']],
    ['with the SDK 1.x, behind a proxy that answers unknown methods with 403', ['sdk', '403']],
    ['with mcp-lite, behind a proxy that never answers unknown methods', ['lite', 'hang']],
  ] as const) {
    it(`starts when it is made ${made}`, async function () {
      this.timeout(60_000);
      const server = await startHttpServer('legacyHttp', [...args]);
      const test = new TestHost();
      try {
        test.configure({ one: { url: server.url('/mcp') } });
        const { catalog, info } = await test.loads('one');
        assert.deepEqual([info?.era, info?.transport], ['legacy', 'http']);
        assert.deepEqual(
          catalog.tools.map(({ name }) => name),
          ['echo'],
        );
        const { content } = await raw(test.server('one')).callTool(echo, { text: 'hello' });
        assert.deepEqual(content, [{ type: 'text', text: 'hello' }]);
      } finally {
        await test.close();
        await server.stop();
      }
    });
  }
});

const JSON_TYPE = 'application/json';
const EVENTS = 'text/event-stream';
const INTERNAL = '"error":{"code":-32603,"message":"no!"}';
const event = (message: string) => `event: message<lf>data: ${message}<lf><lf>`;

describe('a server over HTTP that answers server/discover with', () => {
  let server: HttpServerFixture | undefined;
  let test: TestHost;
  beforeEach(() => {
    test = new TestHost();
  });
  afterEach(async () => {
    await test.close();
    await server?.stop();
  });
  const answers = async (flags: readonly string[], entry: object = {}) => {
    server = await startHttpServer('hostile', ['--http', ...flags]);
    test.configure({ one: { url: server.url('/mcp'), ...entry } });
    return server;
  };
  const probe = (status: number, type: string, body: string) =>
    `--http-answer=server/discover,${status},${type},${body}`;

  for (const [what, flag] of [
    ['a page and 500', probe(500, 'text/html', '<h1>Oops</h1>')],
    ['a JSON-RPC error and 500', probe(500, JSON_TYPE, `{"jsonrpc":"2.0","id":<id>,${INTERNAL}}`)],
    ['501', probe(501, '', '')],
    ['502', probe(502, 'text/html', '<h1>Bad gateway</h1>')],
    ['403', probe(403, '', 'no')],
    ['202', probe(202, '', '')],
    ['nothing and 200', probe(200, '', '')],
    ['no JSON', probe(200, JSON_TYPE, '')],
    ['an empty object', probe(200, JSON_TYPE, '{}')],
    ['text', probe(200, 'text/plain', 'Hello')],
    ['an empty stream', probe(200, EVENTS, '')],
    ['an error without an id in a stream', probe(200, EVENTS, event(`{"jsonrpc":"2.0","id":null,${INTERNAL}}`))],
    ['an error with another id', probe(200, JSON_TYPE, `{"jsonrpc":"2.0","id":4711,${INTERNAL}}`)],
    ['a connection that closes', '--http-cut=server/discover,nothing'],
    ['a stream that breaks off', '--http-cut=server/discover,event'],
  ] as const) {
    it(`${what} counts as legacy @legacyHttp.counts-legacy`, async () => {
      await answers([flag]);
      const { info } = await test.reaches('one', 'ready');
      assert.deepEqual([info.era, info.transport], ['legacy', 'http']);
    });
  }

  it('502, and refuses initialize: the refusal of initialize is reported', async () => {
    await answers([probe(502, '', 'Bad gateway'), '--http-error=initialize,500']);
    const { error } = await test.reaches('one', 'failed');
    assert.match(error.message, /it answered with error -32050, the disk is full \(HTTP 500\)/);
  });

  it('502 at first, because it is only just waking, and is of the modern era: it is asked again @legacyHttp.502-first-waking', async () => {
    const fixture = await startHttpFixture();
    server = fixture;
    test.configure({ one: { url: fixture.url('/modern-waking') } });
    assert.equal((await test.reaches('one', 'ready')).info.era, 'modern');
    const asked = (await fixture.requests()).flatMap(
      ({ body }) => /"(server\/discover|initialize)"/.exec(body)?.[1] ?? [],
    );
    assert.deepEqual(asked, ['server/discover', 'initialize', 'server/discover']);
  });

  it('nothing, and never answers initialize: the time in the error is that of the whole start', async () => {
    const flags = ['--hang-at=server/discover', '--hang-at=initialize'];
    const { stderr } = await answers(flags, { timeouts: { startMs: 9_000 } });
    const { error } = await test.reaches('one', 'failed');
    assert.match(error.message, /no answer within 9 s\./);
    assert.ok(stderr.includes('hostile: hanging at initialize'), stderr.join());
  });
});

describe('a byte order mark', () => {
  for (const [over, flags, era] of [
    ['stdio', [], 'legacy'],
    ['stdio', ['--modern'], 'modern'],
    ['HTTP', ['--http'], 'legacy'],
  ] as const) {
    it(`before what a server sends is ignored: ${over}, ${era} era`, async () => {
      const all = ['--byte-order-mark', ...flags];
      const server = over === 'HTTP' ? await startHttpServer('hostile', all) : undefined;
      const test = new TestHost();
      try {
        test.configure({ one: server ? { url: server.url('/mcp') } : hostile(...all) });
        const { catalog, info } = await test.loads('one');
        assert.equal(info?.era, era);
        assert.equal(catalog.tools.length, 3);
        assert.ok(!test.logged(/not an MCP message/));
      } finally {
        await test.close();
        await server?.stop();
      }
    });
  }
});
