import assert from 'node:assert/strict';
import type { Tool } from '@modelcontextprotocol/client';
import type { HostError } from '../../../../src/base/errors';
import type { ServerConnection } from '../../../../src/host';
import { type HttpServerFixture, startHttpFixture, startHttpServer, waitFor } from '../../../servers/spawn';
import { raw } from '../../../setup/raw';
import { TestAuth } from '../testAuth';
import { hostile, TestHost } from '../testHost';

const READ = 'hostile://notes/readme.md';
const echo: Tool = { name: 'echo', inputSchema: { type: 'object' } };
const SAFE = { ...echo, annotations: { readOnlyHint: true, idempotentHint: true } };

/** A host that keeps the messages of its servers. */
class TracedHost extends TestHost {
  constructor(auth?: TestAuth) {
    super(auth ? { auth } : {}, { trace: () => ({ messages: 1_000, size: 10_000_000 }) });
  }

  /** The ids of the requests of this method so far. */
  sent(method: string): unknown[] {
    return this.host.trace
      .records()
      .filter(({ direction }) => direction === 'sent')
      .map(({ text }) => JSON.parse(text) as { method?: string; id?: unknown })
      .filter(message => message.method === method)
      .map(({ id }) => id);
  }
}

const failureOf = (request: Promise<unknown>): Promise<HostError> =>
  request.then(
    () => assert.fail('it was answered'),
    (error: HostError) => error,
  );

describe('a request whose answer is cut off', () => {
  let test: TracedHost;
  let http: HttpServerFixture | undefined;
  beforeEach(() => {
    test = new TracedHost();
  });
  afterEach(async () => {
    await test.close();
    await http?.stop();
  });

  const start = async (...flags: string[]): Promise<ServerConnection> => {
    http = await startHttpServer('hostile', ['--http', ...flags]);
    test.configure({ one: { url: http.url('/mcp') } });
    return test.loads('one');
  };
  const cut = (method: string, times?: number) => `--http-cut=${method},event${times === undefined ? '' : `,${times}`}`;

  for (const method of ['tools/list', 'prompts/list', 'resources/list', 'resources/templates/list']) {
    it(`is sent again as a new request: ${method} @reissue.sent-new-request`, async () => {
      const { catalog } = await start(cut(method, 1));
      for (const kind of ['tools', 'prompts', 'resources', 'resourceTemplates'] as const) {
        const { status, items } = catalog.list(kind);
        assert.ok(status === 'ready' && items.length > 0, `${kind} ${status}`);
      }
      assert.equal(new Set(test.sent(method)).size, 2);
    });
  }

  for (const [method, send] of [
    ['resources/read', server => raw(server).readResource(READ)],
    ['prompts/get', server => raw(server).getPrompt('hello', {})],
    [
      'completion/complete',
      server =>
        raw(server).complete({ ref: { type: 'ref/prompt', name: 'greet' }, argument: { name: 'name', value: 'A' } }),
    ],
  ] as [string, (server: ServerConnection) => Promise<unknown>][]) {
    it(`is sent again as a new request: ${method} @reissue.sent-new-request`, async () => {
      await send(await start(cut(method, 2)));
      assert.equal(new Set(test.sent(method)).size, 3);
    });
  }

  it('is sent again when the connection broke before any answer @reissue.sent-connection-broke', async () => {
    const server = await start('--http-cut=resources/read,nothing,1');
    await raw(server).readResource(READ);
    assert.equal(new Set(test.sent('resources/read')).size, 2);
  });

  it('is sent four times at most, and fails with the reason', async () => {
    const server = await start(cut('resources/read'));
    const { code, message } = await failureOf(raw(server).readResource(READ));
    assert.equal(code, 'CLOSED');
    assert.match(message, /could not read hostile:\/\/notes\/readme\.md: its response was cut off/);
    assert.equal(test.sent('resources/read').length, 4);
    assert.equal(server.state.kind, 'ready');
  });

  it('is not sent again after it was cancelled', async () => {
    const server = await start(cut('resources/read'));
    const abort = new AbortController();
    const failure = failureOf(raw(server).readResource(READ, abort.signal));
    await waitFor(() => test.sent('resources/read').length > 0, { what: 'the request' });
    abort.abort();
    assert.equal((await failure).code, 'CANCELLED');
    const { length } = test.sent('resources/read');
    await raw(server).request('ping', client => client.ping());
    assert.equal(test.sent('resources/read').length, length);
  });

  it('is not sent again after the server was stopped, which stays so', async () => {
    const server = await start(cut('resources/read'));
    const failure = failureOf(raw(server).readResource(READ));
    await waitFor(() => test.sent('resources/read').length > 0, { what: 'the request' });
    await server.stop('test');
    assert.equal((await failure).code, 'CLOSED');
    assert.equal(server.state.kind, 'stopped');
  });

  it('is sent again if it calls a tool that says it is read-only and idempotent @reissue.sent-calls-tool', async () => {
    const server = await start(cut('tools/call', 1));
    const { content } = await raw(server).callTool(SAFE, { text: 'again' });
    assert.deepEqual(content, [{ type: 'text', text: 'again' }]);
    assert.equal(new Set(test.sent('tools/call')).size, 2);
  });

  it('fails if it calls another tool: that may have been carried out', async () => {
    const server = await start(cut('tools/call', 1));
    const { message } = await failureOf(raw(server).callTool(echo, { text: 'once' }));
    assert.match(
      message,
      /its response was cut off .* may have been carried out anyway, so check before you try again/,
    );
    assert.equal(test.sent('tools/call').length, 1);
  });

  it('fails if it calls another tool and the connection broke: that may have been carried out @reissue.fails-calls-tool', async () => {
    const server = await start('--http-cut=tools/call,nothing');
    const { message } = await failureOf(raw(server).callTool(echo, {}));
    assert.match(
      message,
      /\(UND_ERR_SOCKET\)\. .*The call may have been carried out anyway, so check before you run it again/,
    );
    assert.equal(test.sent('tools/call').length, 1);
  });
});

describe('a request that ends its server over stdio', () => {
  it('is sent once more after the restart if it only reads, and no more', async () => {
    const test = new TracedHost();
    try {
      test.configure({ one: hostile('--die-at=resources/read') });
      const { code } = await failureOf(raw(await test.loads('one')).readResource(READ));
      assert.equal(code, 'EXITED');
      assert.equal(test.sent('resources/read').length, 2);
    } finally {
      await test.close();
    }
  });
});

describe('a request that meets a forgotten session', () => {
  let test: TracedHost;
  beforeEach(() => {
    test = new TracedHost();
  });
  afterEach(() => test.close());

  for (const [what, send] of [
    ['a call', server => raw(server).callTool(echo, { text: 'hello' })],
    ['a read', server => raw(server).readResource(READ)],
    ['a prompt', server => raw(server).getPrompt('hello', {})],
  ] as [string, (server: ServerConnection) => Promise<unknown>][]) {
    it(`is sent again in a new one: ${what} @reissue.sent-new`, async () => {
      const http = await startHttpFixture();
      try {
        test.configure({ one: { url: http.url('/mcp') } });
        const server = await test.loads('one');
        await http.forgetSessions();
        await send(server);
        assert.equal(test.sent('initialize').length, 2);
      } finally {
        await http.stop();
      }
    });
  }

  it('with others at once: all are sent again, in one new session @reissue.once-sent-new', async () => {
    const http = await startHttpFixture();
    try {
      test.configure({ one: { url: http.url('/mcp') } });
      const server = await test.loads('one');
      await http.forgetSessions();
      const calls = Array.from({ length: 5 }, (_, i) => raw(server).callTool(echo, { text: String(i) }));
      const texts = (await Promise.all(calls)).map(({ content }) => (content[0] as { text: string }).text);
      assert.deepEqual(texts, ['0', '1', '2', '3', '4']);
      assert.equal(test.sent('initialize').length, 2);
    } finally {
      await http.stop();
    }
  });

  it('over the older transport is sent again too', async () => {
    const http = await startHttpFixture();
    try {
      test.configure({ old: { type: 'sse', url: http.url('/sse') } });
      const server = await test.loads('old');
      await http.forgetSessions();
      const { content } = await raw(server).callTool(echo, { text: 'hello' });
      assert.deepEqual(content, [{ type: 'text', text: 'hello' }]);
    } finally {
      await http.stop();
    }
  });

  it('each time is sent twice, and the error says that it was not carried out', async () => {
    const http = await startHttpServer('hostile', ['--http', '--http-status=tools/call,404']);
    try {
      test.configure({ one: { url: http.url('/mcp') } });
      const server = await test.loads('one');
      const { code, message } = await failureOf(raw(server).callTool(echo, {}));
      assert.equal(code, 'SESSION_LOST');
      assert.match(message, /could not call echo: it no longer knows the session\. It was not carried out\./);
      assert.equal(test.sent('tools/call').length, 2);
      await test.reaches('one', 'ready');
    } finally {
      await http.stop();
    }
  });

  const said = (id: string, code: number, message = 'Session not found') =>
    `{"jsonrpc":"2.0",${id}"error":{"code":${code},"message":"${message}","data":{"uri":"x","why":"y"}}}`;
  const NO_ID = '';
  const NULL = '"id":null,';
  const OWN = '"id":$id,';
  const OTHER = '"id":"server-error",';

  for (const [status, body] of [
    [400, said(NULL, -32600)],
    [400, said(NO_ID, -32001)],
    [400, said(OTHER, -32600, 'Bad Request')],
    [400, said(NULL, -32000, 'Bad Request: Server not initialized')],
    [400, 'Bad Request: No valid session ID provided'],
    [401, said(NULL, -32001)],
    [410, said(NO_ID, -32600)],
    [503, said(OTHER, -32001)],
    [404, said(OWN, -32001)],
  ] as const) {
    it(`is sent again in a new one, after ${status} and ${body}`, async () => {
      const http = await startHttpServer('hostile', ['--http', `--http-said=tools/call 1 ${status} ${body}`]);
      try {
        test.configure({ one: { url: http.url('/mcp') } });
        const server = await test.loads('one');
        const { content } = await raw(server).callTool(echo, { text: 'hello' });
        assert.deepEqual(content, [{ type: 'text', text: 'hello' }]);
        assert.deepEqual([test.sent('initialize').length, test.sent('tools/call').length], [2, 2]);
      } finally {
        await http.stop();
      }
    });
  }

  for (const [status, body, code] of [
    [400, said(OWN, -32602, 'session_name is required'), -32602],
    [400, said(OWN, -32600, 'The session parameter is wrong'), -32600],
    [400, said(NULL, -32700, 'Parse error in session'), -32700],
    [410, said(OWN, -32001, 'The session of the booking is gone'), -32001],
    [503, said(NULL, -32000, 'Too many sessions'), -32000],
  ] as const) {
    it(`is none after ${status} and ${body}: the error is shown, and nothing is sent again @reissue.none-error-shown`, async () => {
      const http = await startHttpServer('hostile', ['--http', `--http-said=tools/call 1 ${status} ${body}`]);
      try {
        test.configure({ one: { url: http.url('/mcp') } });
        const server = await test.loads('one');
        const { message, rpcError } = await failureOf(raw(server).callTool(echo, {}));
        const { error } = JSON.parse(body.replace('$id', '0'));
        assert.match(message, new RegExp(`answered with error ${code}, ${error.message} \\(HTTP ${status}\\)`));
        assert.deepEqual(rpcError, error);
        assert.deepEqual([test.sent('initialize').length, test.sent('tools/call').length], [1, 1]);
      } finally {
        await http.stop();
      }
    });
  }

  it('is sent again in a new one, where people can sign in and nobody is asked to', async () => {
    const refusal = `--http-said=tools/call 1 401 ${said(NULL, -32001)}`;
    const http = await startHttpServer('hostile', ['--http', refusal]);
    const signedOut = new TracedHost(new TestAuth());
    try {
      signedOut.configure({ one: { url: http.url('/mcp') } });
      const { content } = await raw(await signedOut.loads('one')).callTool(echo, { text: 'hello' });
      assert.deepEqual(content, [{ type: 'text', text: 'hello' }]);
      assert.equal(signedOut.sent('initialize').length, 2);
    } finally {
      await signedOut.close();
      await http.stop();
    }
  });

  it('says what the server says', async () => {
    const body = said(NULL, -32001, 'Session expired');
    const http = await startHttpServer('hostile', ['--http', `--http-said=tools/call 2 400 ${body}`]);
    try {
      test.configure({ one: { url: http.url('/mcp') } });
      const server = await test.loads('one');
      const { code, message } = await failureOf(raw(server).callTool(echo, {}));
      assert.equal(code, 'SESSION_LOST');
      assert.match(message, /it no longer knows the session \(Session expired\)\. It was not carried out\./);
    } finally {
      await http.stop();
    }
  });
});
