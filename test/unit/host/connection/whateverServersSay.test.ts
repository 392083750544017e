import assert from 'node:assert/strict';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { english } from '../../../../src/base/phrase';
import { roleNote } from '../../../../src/host';
import { bodyOf } from '../../../servers/raw/eventStream';
import { waitFor } from '../../../servers/spawn';
import { raw } from '../../../setup/raw';
import { hostile, TestHost } from '../testHost';

const tool = { name: 'a', inputSchema: { type: 'object' as const } };
const hello = [{ type: 'text', text: 'hello' }];
const result = { content: hello };
const answer = (id: unknown, members: object = { result }) => JSON.stringify({ jsonrpc: '2.0', id, ...members });

interface Said {
  readonly is: string;
  readonly status?: number;
  readonly type?: string;
  body(id: number): string;
}

/** Answers to a call over HTTP that are not as they should be, and say "hello". */
const ANSWERS: readonly Said[] = [
  { is: 'JSON in an event stream', type: 'text/event-stream', body: id => answer(id) },
  {
    is: 'JSON of several lines in an event stream',
    type: 'text/event-stream',
    body: id => JSON.stringify(JSON.parse(answer(id)), null, 2),
  },
  {
    is: 'events that are called JSON',
    type: 'application/json',
    body: id => `event: message\ndata: ${answer(id)}\n\n`,
  },
  {
    is: 'an event without its empty line',
    type: 'text/event-stream',
    body: id => `event: message\r\ndata: ${answer(id)}`,
  },
  { is: 'JSON with 202', status: 202, type: 'application/json', body: id => answer(id) },
  { is: 'JSON without a type', body: id => answer(id) },
  { is: 'JSON that is called text', type: 'text/plain; charset=utf-8', body: id => answer(id) },
  { is: 'JSON of another kind', type: 'application/vnd.api+json', body: id => answer(id) },
  { is: 'JSON whose type is there twice', type: 'application/json, application/json', body: id => answer(id) },
  { is: 'an id that is a text', type: 'application/json', body: id => answer(String(id)) },
  {
    is: 'an id that is a text, in an event stream',
    type: 'text/event-stream',
    body: id => `data: ${answer(String(id))}\n\n`,
  },
  { is: 'no id', type: 'application/json', body: () => answer(undefined) },
  { is: 'an id in a list', type: 'application/json', body: id => answer([id]) },
  { is: 'no version of JSON-RPC', type: 'application/json', body: id => JSON.stringify({ id, result }) },
  { is: 'a byte order mark', type: 'application/json', body: id => `\ufeff${answer(id)}\r\n` },
  { is: 'a result that is a text', type: 'application/json', body: id => answer(id, { result: 'hello' }) },
];

describe('whatever a server says over HTTP', () => {
  let http: Server;
  let test: TestHost;
  let said: Said;
  let streams: number;
  let subscribed: number;
  let initialized: (response: ServerResponse) => void;
  let opened: (response: ServerResponse) => void;

  beforeEach(async () => {
    streams = 0;
    subscribed = 0;
    initialized = response => response.writeHead(202).end();
    opened = response => response.writeHead(405).end();
    const json = (response: ServerResponse, body: string) =>
      response.writeHead(200, { 'content-type': 'application/json' }).end(body);
    const handle = async (request: IncomingMessage, response: ServerResponse) => {
      if (request.method === 'GET') {
        streams++;
        return opened(response);
      }
      if (request.method !== 'POST') return response.writeHead(204).end();
      const { id, method } = JSON.parse(await bodyOf(request));
      if (method === 'notifications/initialized') return initialized(response);
      if (id === undefined) return response.writeHead(202).end();
      if (method === 'tools/call') {
        const { status = 200, type } = said;
        return response.writeHead(status, type === undefined ? {} : { 'content-type': type }).end(said.body(id));
      }
      if (method === 'initialize') {
        const info = {
          protocolVersion: '2025-11-25',
          capabilities: { tools: {}, resources: { subscribe: true } },
          serverInfo: { name: 'x', version: '1' },
        };
        return json(response, answer(id, { result: info }));
      }
      if (method === 'resources/list') return json(response, answer(id, { result: { resources: [] } }));
      if (method === 'resources/subscribe') {
        subscribed++;
        return json(response, answer(id, { result: {} }));
      }
      if (method === 'tools/list') return json(response, answer(id, { result: { tools: [tool] } }));
      return json(response, answer(id, { error: { code: -32601, message: 'Method not found' } }));
    };
    http = createServer((request, response) => void handle(request, response));
    await new Promise<void>(resolve => http.listen(0, '127.0.0.1', resolve));
    test = new TestHost();
  });
  afterEach(async () => {
    await test.close();
    http.closeAllConnections();
    await new Promise(resolve => http.close(resolve));
  });

  const start = () => {
    test.configure({ one: { url: `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp` } });
    return test.loads('one');
  };

  for (const one of ANSWERS) {
    it(`a person gets it: ${one.is}`, async () => {
      said = one;
      const server = await start();
      assert.deepEqual((await raw(server).callTool(tool, {})).content, hello);
    });
  }

  for (const type of ['application/json', 'text/event-stream', 'text/plain']) {
    it(`an error is told with its reason: in ${type}, with 404`, async () => {
      const error = (id: number) =>
        answer(id, { error: { code: -32602, message: 'Invalid params', data: 'Tool not found: a' } });
      said = {
        is: '',
        status: 404,
        type,
        body: id => (type === 'text/event-stream' ? `data: ${error(id)}\n\n` : error(id)),
      };
      const server = await start();
      await assert.rejects(raw(server).callTool(tool, {}), /error -32602, Invalid params: Tool not found: a/);
      assert.equal(server.state.kind, 'ready');
    });
  }

  it('the answer to another request is refused', async () => {
    said = { is: '', type: 'application/json', body: () => answer(4711) };
    const server = await start();
    await assert.rejects(raw(server).callTool(tool, {}), /messages that do not belong to the request/);
  });

  for (const [what, status, body] of [
    ['204', 204, undefined],
    ['null', 200, 'null'],
    ['{}', 200, '{}'],
  ] as const) {
    it(`its stream is opened after initialized was answered with ${what}`, async () => {
      initialized = response => response.writeHead(status, { 'content-type': 'application/json' }).end(body);
      await start();
      await waitFor(() => streams === 1, { what: 'the stream to be asked for' });
    });
  }

  it('a stream that is refused is asked for once more after the first subscription', async () => {
    const server = await start();
    await waitFor(() => streams === 1, { what: 'the first question' });
    opened = response =>
      response
        .writeHead(200, { 'content-type': 'text/event-stream' })
        .write(`data: ${answer(undefined, { method: 'notifications/tools/list_changed' })}\n\n`);
    const changed = Promise.withResolvers<void>();
    const watch = server.catalog.onDidChange(kind => kind === 'tools' && changed.resolve());
    for (const uri of ['a:b', 'a:c']) raw(server).subscribe(uri);
    await changed.promise;
    await waitFor(() => subscribed === 2, { what: 'the second subscription' });
    watch.dispose();
    assert.equal(streams, 2);
  });

  it('a stream that is refused for the version just negotiated is missed in the log', async () => {
    opened = response => response.writeHead(400).end('Bad Request: Protocol version mismatch');
    await start();
    await waitFor(
      () => test.logged(/refuses its event stream \(HTTP 400\), so what it sends unasked does not arrive/),
      {
        what: 'the log line',
      },
    );
    assert.equal(streams, 1);
  });

  it('a stream that is answered with text is asked for a few times, with growing pauses', async function () {
    this.timeout(60_000);
    opened = response => response.writeHead(200, { 'content-type': 'text/plain' }).end('hello');
    await start();
    await waitFor(() => test.logged(/its event stream could not be opened/), { what: 'the log line' });
    assert.ok(streams <= 6, `${streams} times`);
  });
});

describe('a server over stdio that says odd things', () => {
  for (const [is, sent, expected] of [
    [
      'a link without a name',
      [{ type: 'resource_link', uri: 'a://b/c.txt' }],
      [{ type: 'resource_link', uri: 'a://b/c.txt', name: 'c.txt' }],
    ],
    [
      'an image without a type',
      [{ type: 'image', data: 'iVBORw0KGgo=' }],
      [{ type: 'image', data: 'iVBORw0KGgo=', mimeType: 'image/png' }],
    ],
    ['text that is null', [{ type: 'text', text: null }, ...hello], [{ type: 'text', text: '' }, ...hello]],
    ['text of an unknown type', [{ type: 'error', text: 'no' }], [{ type: 'text', text: 'no' }]],
    ['JSON of an unknown type', [{ type: 'json', json: [1] }], [{ type: 'text', text: '[\n  1\n]' }]],
    ['one block', hello[0], hello],
    ['a text', 'hello', hello],
    [
      'a resource without an address',
      [{ type: 'resource', resource: { text: 'a' } }],
      [{ type: 'resource', resource: { uri: 'embedded:', text: 'a' } }],
    ],
  ] as const) {
    it(`is read: content with ${is}`, async () => {
      await using test = new TestHost();
      test.configure({ one: hostile(`--answer-at=tools/call "result":${JSON.stringify({ content: sent })}`) });
      const server = await test.loads('one');
      const { content } = await raw(server).callTool(tool, {});
      assert.deepEqual(content, expected);
      assert.ok(test.logged(/of tools\/call is not as the specification says/));
    });
  }

  it('is read: messages of a prompt with other roles and forms', async () => {
    await using test = new TestHost();
    const messages = [
      'a',
      { role: 'system', content: 'b' },
      { role: 'assistant', content: [{ type: 'text', text: 'c' }, 'd'] },
    ];
    test.configure({ one: hostile(`--answer-at=prompts/get "result":${JSON.stringify({ messages })}`) });
    const server = await test.loads('one');
    const read = await raw(server).getPrompt('hello', {});
    const text = (role: string, text: string) => ({ role, content: { type: 'text', text } });
    assert.deepEqual(read.messages, [
      text('user', 'a'),
      text('user', 'b'),
      text('assistant', 'c'),
      text('assistant', 'd'),
    ]);
    assert.ok(test.logged(/"system" is taken as "user"/));
    assert.equal(english(roleNote(read)!), 'Messages with the role "system" count as messages of the user.');
  });

  describe('whose tool sends its content in notifications, as fastmcp does', () => {
    const streams = { name: 'streams', inputSchema: { type: 'object' as const } };
    const two = ['one', 'two'].map(said => ({ type: 'text', text: said }));

    it('has it in the result of the only call of the tool, and in the log if none runs', async () => {
      await using test = new TestHost();
      test.configure({ one: hostile('--stream-tool') });
      const server = await test.loads('one');
      assert.deepEqual((await raw(server).callTool(streams, {})).content, two);
      await raw(server).callTool({ ...tool, name: 'echo' }, { text: 'a' });
      await waitFor(() => test.logged(/streams sent this, and no call of it runs: late/), { what: 'the log line' });
    });

    it('has it in the log if several calls of the tool run, and their results say so', async () => {
      await using test = new TestHost();
      test.configure({ one: hostile('--stream-tool') });
      const server = await test.loads('one');
      const call = () => raw(server).callTool(streams, { together: 2 });
      for (const { content } of await Promise.all([call(), call()]))
        assert.match(JSON.stringify(content), /^\[\{"type":"text","text":"What the tool sent .* is in the log/);
      for (const part of ['one', 'two'])
        assert.ok(test.logged(new RegExp(`streams sent this, and several of its calls run: ${part}`)));
    });

    it('has it in the log if the call fails', async () => {
      await using test = new TestHost();
      test.configure({ one: hostile('--stream-tool') });
      const server = await test.loads('one');
      await assert.rejects(raw(server).callTool(streams, { fails: true }), /broken/);
      assert.ok(test.logged(/streams had sent before it failed: one.+two/));
    });
  });

  it('lists everything once, although each page has the same cursor', async () => {
    await using test = new TestHost();
    const resources = [{ uri: 'a:b', name: 'b' }];
    test.configure({
      one: hostile(`--answer-at=resources/list "result":${JSON.stringify({ resources, nextCursor: 'x' })}`),
    });
    const { catalog } = await test.loads('one');
    assert.deepEqual(catalog.list('resources').items, resources);
  });

  for (const id of [0, 7]) {
    it(`is told to answer what was not asked: each answer has the id ${id}`, async () => {
      await using test = new TestHost();
      const isTold = () =>
        test.logged(new RegExp(`the answers of the server have ids that were not asked for, such as ${id}\\b`));
      // On a busy machine a program may not even have begun within a short limit, so it gets longer ones.
      for (let ms = 1_000; !isTold(); ms *= 2) {
        assert.ok(ms < 60_000, 'the sentence is missing');
        const name = `within ${ms} ms`;
        // The first request has the id 0: such a server starts, and then answers nothing.
        const timeouts = id === 0 ? { requestMs: ms } : { startMs: ms };
        test.configure({ [name]: { ...hostile(`--answer-as=${id}`), timeouts } });
        await (id === 0 ? test.loads(name) : test.reaches(name, 'failed'));
      }
    });
  }

  it('is not probed if its entry says which revision it speaks', async () => {
    await using test = new TestHost();
    const definition = (entry: object) => test.configure({ one: entry }).definitions[0]!;
    const before = definition(hostile('--modern'));
    await test.loads('one');
    const after = definition({ ...hostile('--modern'), protocol: '2025-06-18' });
    // It is started again, and what runs was approved already.
    assert.notEqual(after.fingerprint, before.fingerprint);
    assert.equal(after.launch, before.launch);
    await waitFor(() => test.server('one').info?.protocolVersion === '2025-06-18', { what: 'the restart' });
    assert.equal(test.server('one').info?.era, 'legacy');
  });

  for (const said of [
    'The tool asked the client for elicitation, but it is not marked as replayable',
    'elicitation via server-initiated requests is unavailable on 2026-07-28 connections.',
    "Cannot send 'roots/list': this transport context has no back-channel for server-initiated requests.",
  ]) {
    const refused = `--answer-at=tools/call "error":${JSON.stringify({ code: -32600, message: said })}`;
    const remedy = /Restart the server\. It then speaks an earlier version of MCP/;

    it(`is explained, and of the legacy era after a restart: a server whose framework says "${said}"`, async () => {
      await using test = new TestHost();
      test.configure({ one: hostile('--modern', refused) });
      const server = await test.loads('one');
      await assert.rejects(raw(server).callTool(tool, {}), remedy);
      assert.equal(server.info?.era, 'modern');
      await server.restart('test');
      await waitFor(() => server.info?.era === 'legacy', { what: 'the legacy era' });
      // Nothing is left to try.
      await assert.rejects(raw(server).callTool(tool, {}), (error: Error) => !remedy.test(error.message));
    });
  }

  it('is said once: the code that SDK 1 puts before each message', async () => {
    await using test = new TestHost();
    const message = 'MCP error -32603: Failed to get pods: MCP error -32603: no cluster: MCP error -32001: late';
    test.configure({ one: hostile(`--answer-at=tools/call "error":${JSON.stringify({ code: -32603, message })}`) });
    const server = await test.loads('one');
    const said = /it answered with error -32603, Failed to get pods: no cluster: MCP error -32001: late/;
    await assert.rejects(raw(server).callTool(tool, {}), said);
  });

  for (const message of ['Not connected', 'MCP error -32000: Connection closed']) {
    it(`is explained: a bridge whose program has ended says "${message}"`, async () => {
      await using test = new TestHost();
      test.configure({ one: hostile(`--answer-at=tools/call "error":${JSON.stringify({ code: -32603, message })}`) });
      const server = await test.loads('one');
      await assert.rejects(raw(server).callTool(tool, {}), /The program behind it has ended\. Restart the server/);
    });
  }

  it('is explained in its result and in the log: a tool whose result says that its framework refuses it in the modern era', async () => {
    await using test = new TestHost();
    const text = 'Server-to-client requests are not available on protocol revision 2026-07-28.';
    const refused = JSON.stringify({ resultType: 'complete', isError: true, content: [{ type: 'text', text }] });
    test.configure({ one: hostile('--modern', `--answer-at=tools/call "result":${refused}`) });
    const server = await test.loads('one');
    const { isError, content } = await raw(server).callTool(tool, {});
    assert.equal(isError, true);
    const said = /Restart the server\. It then speaks an earlier version of MCP/;
    assert.ok(content.some(block => block.type === 'text' && said.test(block.text)));
    assert.ok(test.logged(said));
  });

  it('has a text without quotes and escapes that it sends as structured content, and as JSON', async () => {
    await using test = new TestHost();
    const said = 'first "line"\nsecond';
    const content = [said, JSON.stringify(said), '"else"'].map(text => ({ type: 'text', text }));
    const result = JSON.stringify({ resultType: 'complete', content, structuredContent: said });
    test.configure({ one: hostile('--modern', `--answer-at=tools/call "result":${result}`) });
    const answer = await raw(await test.loads('one')).callTool(tool, {});
    assert.deepEqual(
      answer.content.map(block => block.type === 'text' && block.text),
      [said, said, '"else"'],
    );
    assert.equal(answer.structuredContent, said);
  });

  it('has the reason of a failed list in the log', async () => {
    await using test = new TestHost();
    const error = {
      code: -32603,
      message: 'Internal error',
      data: { message: 'Date cannot be represented', stack: 'at x' },
    };
    test.configure({ one: hostile(`--answer-at=tools/list "error":${JSON.stringify(error)}`) });
    const { catalog } = await test.loads('one');
    assert.equal(catalog.list('tools').status, 'failed');
    assert.deepEqual(catalog.failures, [catalog.list('tools').error]);
    assert.ok(test.logged(/could not list its tools: .*Internal error: Date cannot be represented/));
    assert.ok(test.logged(/the stack of its error: at x/));
  });
});
