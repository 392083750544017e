// What goes over the wire, where the specification says so and no other test has looked at it.
import assert from 'node:assert/strict';
import { type Client, InMemoryTransport, type JSONRPCMessage } from '@modelcontextprotocol/client';
import type { HostError } from '../../../../src/base/errors';
import type { ElicitationPort, SamplingPort } from '../../../../src/host/definition';
import { HostClient } from '../../../../src/host/sdk/hostClient';
import { type HttpFixture, startHttpFixture, waitFor } from '../../../servers/spawn';
import { raw } from '../../../setup/raw';
import { hostile, TestHost } from '../testHost';

interface Message {
  jsonrpc?: unknown;
  id?: unknown;
  method?: string;
  params?: Record<string, unknown>;
  result?: unknown;
  error?: { code: unknown; message: unknown };
}

/** What only happens on this side. */
const LOCAL = ['TIMEOUT', 'CLOSED', 'CANCELLED', 'EXITED'];

const tracing = () =>
  new TestHost({}, { trace: () => ({ messages: 1_000, size: 1e7 }), limits: () => ({ pingIntervalMs: 0 }) });

describe('messages to a stdio server', () => {
  let test: TestHost;
  beforeEach(() => {
    test = tracing();
  });
  afterEach(() => test.close());

  const messages = () =>
    test.host.trace.records().map(({ direction, text }) => ({ direction, ...(JSON.parse(text) as Message) }));
  const sent = () => messages().filter(({ direction }) => direction === 'sent');

  it('begin with the handshake, in the newest version that has one; nothing else before its answer @wire.begin-handshake-newest', async () => {
    test.configure({ one: hostile() });
    const server = await test.loads('one');
    await raw(server).callTool({ name: 'echo', inputSchema: { type: 'object' } }, { text: 'x' });
    const all = messages();
    const start = all.findIndex(({ method }) => method === 'initialize');
    assert.deepEqual(
      all.slice(0, start).flatMap(({ direction, method }) => (direction === 'sent' ? [method] : [])),
      ['server/discover'],
      'the question for the era',
    );
    const { id, params } = all[start]!;
    assert.equal(params?.protocolVersion, '2025-11-25');
    assert.ok(params?.capabilities && params.clientInfo);
    const answer = all.findIndex((message, at) => at > start && message.direction === 'received' && message.id === id);
    const after = all.slice(start + 1).filter(({ direction }) => direction === 'sent');
    assert.ok(answer > start && all.slice(start + 1, answer).every(({ direction }) => direction === 'received'));
    assert.equal(after[0]?.method, 'notifications/initialized');
  });

  it('declare what the person allows: roots, sampling with tools, elicitation @wire.declare-person-allows', async () => {
    await test.close();
    const sampling = { capability: () => ({ tools: {} }) } as unknown as SamplingPort;
    const elicitation = { capability: () => ({ form: {}, url: {} }) } as unknown as ElicitationPort;
    test = new TestHost({ sampling, elicitation }, { trace: () => ({ messages: 1_000, size: 1e7 }) });
    test.configure({ one: hostile() });
    await test.loads('one');
    const { capabilities } = sent().find(({ method }) => method === 'initialize')!.params as { capabilities: object };
    const { roots, sampling: samples, elicitation: elicits } = capabilities as Record<string, object>;
    assert.deepEqual([roots, samples, elicits], [{ listChanged: true }, { tools: {} }, { form: {}, url: {} }]);
  });

  it('include a list of its tasks when requested and non-empty', async () => {
    await test.close();
    const elicitation = { capability: () => ({ form: {} }) } as unknown as ElicitationPort;
    test = new TestHost({ elicitation }, { trace: () => ({ messages: 1_000, size: 1e7 }) });
    test.configure({ one: hostile('--ask=tasks/list') });
    const answer = () => sent().find(({ result }) => result !== undefined)?.result;
    await waitFor(answer, { what: () => JSON.stringify(messages()) });
    assert.deepEqual(answer(), { tasks: [] });
  });

  it('are requests with unique ids, notifications and answers as in JSON-RPC @wire.requests-unique-ids', async () => {
    test.configure({ one: hostile('--ask=no/such/method', '--ask-same-id=3') });
    await test.loads('one');
    await waitFor(() => sent().filter(({ result }) => result !== undefined).length === 3, { what: 'the answers' });
    assert.ok(sent().every(({ jsonrpc }) => jsonrpc === '2.0'));
    const requests = sent().filter(({ method, id }) => method !== undefined && id !== undefined);
    assert.ok(requests.length >= 4);
    for (const { id } of requests) assert.ok(typeof id === 'string' || Number.isInteger(id), String(id));
    assert.equal(new Set(requests.map(({ id }) => id)).size, requests.length);
    const notifications = sent().filter(({ method }) => method?.startsWith('notifications/'));
    assert.ok(notifications.length > 0 && notifications.every(message => !('id' in message)));
    const answers = sent().filter(({ method }) => method === undefined);
    const asked = messages().filter(
      ({ direction, method, id }) => direction === 'received' && method && id !== undefined,
    );
    assert.deepEqual(answers.map(({ id }) => id).sort(), asked.map(({ id }) => id).sort());
    for (const { result, error } of answers) {
      assert.equal((result === undefined) !== (error === undefined), true);
      if (error) assert.ok(Number.isInteger(error.code) && typeof error.message === 'string');
    }
  });

  it('are one line each, whatever they contain @wire.line-contain', async () => {
    test.configure({ one: hostile() });
    const server = await test.loads('one');
    const text = 'one\ntwo\r\nthree\u2028four\u2029';
    const { content } = await raw(server).callTool({ name: 'echo', inputSchema: { type: 'object' } }, { text });
    assert.deepEqual(content, [{ type: 'text', text }]);
  });

  it('include no task unless the server declared support, whatever the tool says @wire.include-task-unless', async () => {
    test.configure({ one: hostile() });
    const server = await test.loads('one');
    const tool = {
      name: 'echo',
      inputSchema: { type: 'object' as const },
      execution: { taskSupport: 'required' as const },
    };
    await raw(server).callTool(tool, { text: 'x' });
    const call = sent().find(({ method }) => method === 'tools/call');
    assert.ok(call?.params && !('task' in call.params));
  });

  it('do not cancel a slow handshake @wire.cancel-slow-handshake', async function () {
    this.timeout(60_000);
    // The limit also covers the time that the process takes to begin.
    for (let startMs = 1_000; !sent().some(({ method }) => method === 'initialize'); startMs *= 2) {
      test.configure({ [`limit-${startMs}`]: { ...hostile('--hang-at=initialize'), timeouts: { startMs } } });
      await test.reaches(`limit-${startMs}`, 'failed');
    }
    assert.ok(!sent().some(({ method }) => method === 'notifications/cancelled'));
  });
});

describe('a server error', () => {
  for (const code of [-32_000, -32_001, -32_019]) {
    it(`with the code ${code} of early implementations fails only the call @wire.code-early`, async () => {
      await using test = new TestHost();
      test.configure({ one: hostile(`--answer-at=tools/call "error":{"code":${code},"message":"no!"}`) });
      const server = await test.loads('one');
      const call = raw(server).callTool({ name: 'echo', inputSchema: { type: 'object' } }, { text: 'x' });
      await assert.rejects(call, (error: HostError) => error.rpcCode === code && !LOCAL.includes(error.code));
      assert.equal(server.state.kind, 'ready');
    });
  }
});

describe('messages to an HTTP server', () => {
  let http: HttpFixture;
  let test: TestHost;
  before(async () => {
    http = await startHttpFixture();
  });
  after(() => http.stop());
  beforeEach(async () => {
    await http.forgetRequests();
    test = tracing();
    test.configure({ one: { url: http.url('/mcp') } });
    const server = await test.loads('one');
    await raw(server).callTool({ name: 'echo', inputSchema: { type: 'object' } }, { text: 'x' });
  });
  afterEach(() => test.close());

  const requests = async () => (await http.requests()).filter(({ url }) => url === '/mcp');

  it('are POSTed one at a time, accepting both kinds of answers @wire.posted-time-accepting', async () => {
    const posts = (await requests()).filter(({ method }) => method === 'POST');
    assert.ok(posts.length > 3);
    for (const { headers, body } of posts) {
      assert.ok(!Array.isArray(JSON.parse(body)) && JSON.parse(body).jsonrpc === '2.0', body);
      for (const type of ['application/json', 'text/event-stream']) assert.ok(headers.accept?.includes(type), type);
    }
  });

  it('contain session and negotiated version after the handshake, also on the GET stream @wire.contain-session', async () => {
    // It has a connection of its own.
    const listens = async () => (await requests()).filter(({ method }) => method === 'GET');
    await waitFor(async () => (await listens()).length > 0, { what: 'it to listen' });
    const all = await requests();
    const start = all.findIndex(({ body }) => body.includes('"initialize"'));
    assert.equal(all[start]?.headers['mcp-session-id'], undefined);
    const after = all.slice(start + 1);
    const session = after[0]?.headers['mcp-session-id'];
    assert.ok(session);
    for (const { headers } of after) {
      assert.equal(headers['mcp-session-id'], session);
      assert.equal(headers['mcp-protocol-version'], test.server('one').info?.protocolVersion);
    }
    assert.ok((await listens()).every(({ headers }) => headers.accept?.includes('text/event-stream')));
  });

  it('contain a session that is in no log and no trace @wire.contain-session-log', async () => {
    const session = (await requests()).at(-1)?.headers['mcp-session-id'];
    assert.ok(session);
    assert.doesNotMatch(JSON.stringify([test.logs, test.host.trace.records()]), new RegExp(String(session)));
  });
});

describe('a cancellation by a legacy server', () => {
  const initialized = { protocolVersion: '2025-11-25', capabilities: {}, serverInfo: { name: 'x', version: '1' } };
  const form = { message: 'name?', requestedSchema: { type: 'object', properties: {} } };
  let client: HostClient;
  let received: Message[];
  let withdrawn: number;
  let send: (message: object) => void;
  beforeEach(async () => {
    const [ours, theirs] = InMemoryTransport.createLinkedPair();
    received = [];
    withdrawn = 0;
    send = message => void theirs.send({ jsonrpc: '2.0', ...message } as JSONRPCMessage);
    theirs.onmessage = message => {
      received.push(message as Message);
      if ('method' in message && message.method === 'initialize' && 'id' in message)
        send({ id: message.id, result: initialized });
    };
    await theirs.start();
    client = new HostClient({ name: 'test', version: '0' }, { capabilities: { elicitation: { form: {} } } });
    client.setRequestHandler(
      'elicitation/create',
      (_request, { mcpReq }) =>
        new Promise((_resolve, reject) => {
          mcpReq.signal.addEventListener('abort', () => {
            withdrawn++;
            reject(new Error('withdrawn'));
          });
        }),
    );
    await client.connect(ours, { prior: { kind: 'legacy' } });
  });
  afterEach(() => client.close());

  const cancel = (params?: unknown) =>
    send({ method: 'notifications/cancelled', ...(params !== undefined && { params }) });
  const answered = (id: string) =>
    waitFor(() => received.some(message => message.id === id), { what: `the answer to ${id}` });
  const ping = async (id: string) => {
    send({ id, method: 'ping' });
    await answered(id);
  };

  it('ends the named request, which is not answered @wire.ends-named-request', async () => {
    send({ id: 'form', method: 'elicitation/create', params: form });
    await ping('first');
    cancel({ requestId: 'form', reason: 'no longer needed' });
    await waitFor(() => withdrawn === 1, { what: 'the question to be withdrawn' });
    await ping('second');
    assert.ok(!received.some(({ id }) => id === 'form'));
  });

  it('is ignored for unknown, finished or invalid ids @wire.ignored-unknown-finished', async () => {
    await ping('done');
    send({ id: 'form', method: 'elicitation/create', params: form });
    for (const params of [{ requestId: 'unknown' }, { requestId: 'done' }, {}, undefined, { requestId: {} }, 'form'])
      cancel(params);
    await ping('after');
    assert.equal(withdrawn, 0);
  });
});

describe('a client of a legacy server', () => {
  it('leaves a notification unanswered, whatever it is @wire.leaves-notification', async () => {
    const [ours, theirs] = InMemoryTransport.createLinkedPair();
    const received: Message[] = [];
    const send = (message: object) => theirs.send({ jsonrpc: '2.0', ...message } as JSONRPCMessage);
    theirs.onmessage = message => {
      received.push(message as Message);
      const result = { protocolVersion: '2025-11-25', capabilities: {}, serverInfo: { name: 'x', version: '1' } };
      if ('id' in message && 'method' in message) void send({ id: message.id, result });
    };
    await theirs.start();
    const client = new HostClient({ name: 'test', version: '0' });
    await client.connect(ours, { prior: { kind: 'legacy' } });
    try {
      for (const method of ['tools/list_changed', 'cancelled', 'progress', 'message', 'unknown'])
        await send({ method: `notifications/${method}`, params: {} });
      await send({ id: 'last', method: 'ping' });
      await waitFor(() => received.some(({ id }) => id === 'last'), { what: 'the answer to the ping' });
      assert.deepEqual(
        received.filter(({ method }) => method === undefined).map(({ id }) => id),
        ['last'],
      );
    } finally {
      await client.close();
    }
  });
});

describe('a result of a modern server', () => {
  const discover = {
    resultType: 'complete',
    supportedVersions: ['2026-07-28'],
    capabilities: {},
    serverInfo: { name: 'x', version: '1' },
    ttlMs: 0,
    cacheScope: 'private',
  };
  /** What the client makes of this answer to a request. */
  const taken = async (result: object) => {
    const [ours, theirs] = InMemoryTransport.createLinkedPair();
    theirs.onmessage = message => {
      if ('id' in message) void theirs.send({ jsonrpc: '2.0', id: message.id, result } as JSONRPCMessage);
    };
    await theirs.start();
    const client: Client = new HostClient({ name: 'test', version: '0' });
    await client.connect(ours, { prior: { kind: 'modern', discover: discover as never } });
    try {
      return await client.getPrompt({ name: 'a' });
    } finally {
      await client.close();
    }
  };
  const messages = [{ role: 'user', content: { type: 'text', text: 'hello' } }];

  it('without a type is complete @wire.type-complete', async () => {
    assert.deepEqual((await taken({ messages })).messages, messages);
    assert.deepEqual((await taken({ resultType: 'complete', messages })).messages, messages);
  });

  it('of an unknown type is invalid @wire.unknown-type-invalid', async () => {
    await assert.rejects(taken({ resultType: 'half', messages }), /half|result/i);
  });
});
