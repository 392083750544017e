import assert from 'node:assert/strict';
import {
  CLIENT_CAPABILITIES_META_KEY,
  Client,
  type ClientOptions,
  InMemoryTransport,
  type JSONRPCMessage,
  LOG_LEVEL_META_KEY,
  type Progress,
  type RequestOptions,
  SdkErrorCode,
  type TransportSendOptions,
} from '@modelcontextprotocol/client';
import { type ClientHooks, HostClient } from '../../../../src/host/sdk/hostClient';
import { waitFor } from '../../../servers/spawn';
import { withClock } from '../../clock';

const text = { type: 'text', text: 'hello' };
/** What servers may answer to `tools/call`, good and bad. */
const results: unknown[] = [
  { content: [text] },
  { content: [text, text], isError: true },
  { content: [] },
  {},
  { content: null },
  { content: 'hello' },
  { content: [{ type: 'text' }] },
  { content: [{ type: 'text', text: 1 }] },
  { content: [null] },
  { content: [text], isError: 'yes' },
  { content: [{ ...text, annotations: { priority: 1 }, extra: 1 }] },
  { content: [{ ...text, annotations: { priority: 'high' } }] },
  { content: [{ type: 'image', data: 'AAAA', mimeType: 'image/png' }] },
  { content: [{ type: 'image', data: 'not base64!', mimeType: 'image/png' }] },
  { content: [{ type: 'resource', resource: { uri: 'a://b', text: 'c' } }] },
  { content: [{ type: 'resource_link', uri: 'a://b', name: 'c' }] },
  { content: [{ type: 'unheard of' }] },
  { content: [text], structuredContent: { a: 1 } },
  { content: [text], _meta: { a: 1 }, more: true },
  JSON.parse('{"content":[{"type":"text","text":"x","__proto__":{"a":1}}]}'),
];

/** What the client makes of each result. */
async function outcomes(client: Client): Promise<unknown[]> {
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  theirs.onmessage = message => {
    if (!('method' in message) || !('id' in message)) return;
    const result =
      message.method === 'initialize'
        ? { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 'x', version: '1' } }
        : results[Number((message.params as { name: string }).name)];
    void theirs.send({ jsonrpc: '2.0', id: message.id, result } as JSONRPCMessage);
  };
  await theirs.start();
  await client.connect(ours);
  const seen: unknown[] = [];
  for (const index of results.keys()) {
    seen.push(
      await client.callTool({ name: String(index), arguments: {} }).catch(error => ({ failed: error.code as string })),
    );
  }
  await client.close();
  return seen;
}

const made = (...texts: string[]) => ({ content: texts.map(text => ({ type: 'text', text })) });

describe('HostClient', () => {
  it("accepts the same tool results as the SDK's client, and makes the best of those that it refuses @hostClient.accepts-tool-results", async () => {
    const info = { name: 'test', version: '0' };
    const expected = await outcomes(new Client(info));
    const refused = [...expected.keys()].filter(index => (expected[index] as { failed?: string }).failed);
    const read = [
      made(),
      made('hello'),
      made(''),
      made('1'),
      made(),
      made('hello'),
      { content: [{ ...text, annotations: {} }] },
      made('{\n  "type": "image",\n  "data": "not base64!",\n  "mimeType": "image/png"\n}'),
      { content: [{ type: 'unheard of' }] },
    ];
    assert.equal(refused.length, read.length);
    for (const [n, index] of refused.entries()) expected[index] = read[n];
    assert.deepEqual(await outcomes(new HostClient(info)), expected);
  });
});

type Sent = { id?: number; method?: string; params?: Record<string, unknown>; options?: TransportSendOptions };

const discover = {
  resultType: 'complete',
  supportedVersions: ['2026-07-28'],
  capabilities: { logging: {} },
  serverInfo: { name: 'x', version: '1' },
  ttlMs: 0,
  cacheScope: 'private',
};
const initialized = { protocolVersion: '2025-11-25', capabilities: {}, serverInfo: { name: 'x', version: '1' } };

const meta = (sent: Sent | undefined) => (sent?.params?._meta ?? {}) as Record<string, unknown>;

/** A client in front of a server that answers by hand: `sent` is what came to it, `answer` what it says. */
async function connected(era: 'legacy' | 'modern', options: ClientOptions = {}, hooks: ClientHooks = {}) {
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  const sent: Sent[] = [];
  const answer = (message: object) => void theirs.send({ jsonrpc: '2.0', ...message } as JSONRPCMessage);
  const send = ours.send.bind(ours);
  ours.send = (message, given) => {
    sent.push({ ...(message as Sent), ...(given && { options: given as TransportSendOptions }) });
    return send(message, given);
  };
  theirs.onmessage = message => {
    if ('method' in message && message.method === 'initialize' && 'id' in message)
      answer({ id: message.id, result: initialized });
  };
  await theirs.start();
  const client = new HostClient({ name: 'test', version: '0' }, options, hooks);
  const errors: string[] = [];
  client.onerror = ({ message }) => errors.push(message);
  const prior =
    era === 'modern' ? { kind: 'modern' as const, discover: discover as never } : { kind: 'legacy' as const };
  await client.connect(ours, { prior });
  sent.length = 0;
  return { client, sent, answer, errors, theirs };
}

const echo = { '~standard': { version: 1 as const, vendor: 'test', validate: (value: unknown) => ({ value }) } };
const complete = { resultType: 'complete' };

const elicitation = { form: {} };
const tasks = { list: {}, cancel: {}, requests: { elicitation: { create: {} } } };
const form = { mode: 'form', message: 'Who?', requestedSchema: { type: 'object', properties: {} } };

describe('server requests as tasks', () => {
  /** A client that takes every form, and what it answers to a request with this id. */
  async function taker(capabilities: ClientOptions['capabilities'], version = '2025-11-25') {
    initialized.protocolVersion = version;
    try {
      const logs: string[] = [];
      const made = await connected('legacy', { capabilities: capabilities! }, { tasks: said => void logs.push(said) });
      const { client, sent } = made;
      if (capabilities?.elicitation) {
        client.setRequestHandler('elicitation/create', async () => ({ action: 'accept', content: {} }));
      }
      const answerTo = async (id: string): Promise<Answer> => {
        await waitFor(() => sent.some(message => message.id === (id as never)), { what: `the answer to ${id}` });
        return sent.find(message => message.id === (id as never)) as Answer;
      };
      return { ...made, logs, answerTo };
    } finally {
      initialized.protocolVersion = '2025-11-25';
    }
  }
  interface Answer {
    result?: { action?: string; task?: { taskId: string; status: string }; _meta?: Record<string, unknown> };
    error?: { code: number };
  }

  it('name the supported requests when answered, not when refused @hostClient.name-supported-requests', async () => {
    const { answer, answerTo } = await taker({ elicitation, tasks });
    const related = { 'io.modelcontextprotocol/related-task': { taskId: 'theirs' } };
    answer({ id: 'one', method: 'elicitation/create', params: { ...form, _meta: related } });
    const { result } = await answerTo('one');
    assert.deepEqual([result?.action, result?._meta], ['accept', related]);
    answer({ id: 'two', method: 'elicitation/create', params: form });
    assert.equal((await answerTo('two')).result?._meta, undefined);
    answer({ id: 'three', method: 'elicitation/create', params: { message: 'no form', _meta: related } });
    assert.ok((await answerTo('three')).error);
    const long = { 'io.modelcontextprotocol/related-task': { taskId: 'x'.repeat(20_000) } };
    answer({ id: 'four', method: 'elicitation/create', params: { ...form, _meta: long } });
    assert.equal((await answerTo('four')).result?._meta, undefined, 'it would be kept as long as a person thinks');
  });

  it('are checked and processed by the SDK, whose answer is the result @hostClient.checked-processed-sdk', async () => {
    const { client, answer, answerTo, sent, logs } = await taker({ elicitation, tasks });
    answer({ id: 'one', method: 'elicitation/create', params: { ...form, task: { ttl: 5_000 } } });
    const { taskId = '', status } = (await answerTo('one')).result?.task ?? {};
    assert.equal(status, 'working');
    answer({ id: 'two', method: 'tasks/result', params: { taskId } });
    const { result } = await answerTo('two');
    assert.equal(result?.action, 'accept');
    assert.deepEqual(result?._meta, { 'io.modelcontextprotocol/related-task': { taskId } });
    assert.ok(!sent.some(({ id }) => id === (taskId as never)), 'the server never sees the id of the request within');
    assert.deepEqual(
      logs.map(said => said.replace(taskId, '…')),
      ['its elicitation/create is task …', 'task … is completed', 'the result of task … was fetched'],
    );
    answer({ id: 'three', method: 'elicitation/create', params: { message: 'no form', task: {} } });
    const { taskId: bad = '' } = (await answerTo('three')).result?.task ?? {};
    answer({ id: 'four', method: 'tasks/result', params: { taskId: bad } });
    assert.equal((await answerTo('four')).error?.code, -32602, 'what is no form is refused by the SDK');
    await client.close();
  });

  it('are answered directly where tasks were not declared, or not negotiated @hostClient.answered-directly-tasks', async () => {
    for (const { client, answer, answerTo } of [
      await taker({ elicitation }),
      await taker({ elicitation, tasks }, '2025-06-18'),
    ]) {
      answer({ id: 'one', method: 'elicitation/create', params: { ...form, task: {} } });
      assert.equal((await answerTo('one')).result?.action, 'accept');
      answer({ id: 'two', method: 'tasks/list' });
      assert.equal((await answerTo('two')).error?.code, -32601);
      await client.close();
    }
  });

  it('are cancelled also with a reason that is null', async () => {
    const { client, answer } = await connected('legacy', { capabilities: { elicitation } });
    const ended = Promise.withResolvers<void>();
    client.setRequestHandler('elicitation/create', async (_request, { mcpReq: { signal } }) => {
      signal.addEventListener('abort', () => ended.resolve());
      return new Promise(() => {});
    });
    answer({ id: 'one', method: 'elicitation/create', params: form });
    answer({ method: 'notifications/cancelled', params: { requestId: 'one', reason: null } });
    await ended.promise;
    await client.close();
  });

  it('do not exist in the modern era, where they are not declared @hostClient.exist-modern-era', async () => {
    const { client, sent } = await connected('modern', { capabilities: { elicitation, tasks } });
    void client.request({ method: 'skills/get' }, echo).catch(() => {});
    const { tasks: declared, extensions } = meta(sent[0])[CLIENT_CAPABILITIES_META_KEY] as Record<string, object>;
    assert.equal(declared, undefined);
    assert.ok(extensions && 'io.modelcontextprotocol/tasks' in extensions);
    await client.close();
  });
});

describe('requests through the seam', () => {
  const clock = withClock();

  for (const era of ['legacy', 'modern'] as const) {
    const get = (client: HostClient, options?: RequestOptions) =>
      client.request({ method: 'skills/get', params: { a: 1 } }, echo, options);

    it(`${era}: receive progress that arrives with the answer, and send no internal header`, async () => {
      const { client, sent, answer } = await connected(era);
      const seen: Progress[] = [];
      const asked = get(client, { onprogress: update => seen.push(update), headers: { 'x-mine': '1' } });
      const { id, options } = sent[0]!;
      assert.equal(meta(sent[0]).progressToken, id);
      assert.deepEqual(options?.headers, { 'x-mine': '1' });
      const report = (progress: unknown, progressToken: unknown = id) =>
        answer({ method: 'notifications/progress', params: { progressToken, progress, total: 2 } });
      report('much');
      report(1);
      report(2, String(id));
      answer({ id, result: { ...complete, b: 2 } });
      report(3);
      assert.deepEqual(await asked, { b: 2 });
      assert.deepEqual(seen.slice(0, 2), [
        { progress: 1, total: 2 },
        { progress: 2, total: 2 },
      ]);
      await get(client, { signal: AbortSignal.abort('no') }).catch(() => {});
      const plain = get(client);
      assert.equal(sent[1]?.options?.headers, undefined);
      answer({ id: sent[1]?.id, result: complete });
      await plain;
      await client.close();
    });

    it(`${era}: receive progress whose optional parts are null, and ignore an error without an id`, async () => {
      const { client, sent, answer } = await connected(era);
      const seen: Progress[] = [];
      const asked = get(client, { onprogress: update => seen.push(update) });
      const { id } = sent[0]!;
      answer({
        method: 'notifications/progress',
        params: { progressToken: id, progress: 1, total: null, message: null },
      });
      answer({ id: null, error: { code: -32700, message: 'What?' } });
      answer({ id, result: { ...complete, resultType: era === 'modern' ? null : 'complete', b: 2 } });
      assert.deepEqual(await asked, { b: 2 });
      assert.deepEqual(seen, [{ progress: 1 }]);
      await client.close();
    });

    it(`${era}: inform the server when given up, by limit or caller`, async () => {
      const { client, sent, answer, errors } = await connected(era);
      const late = { code: SdkErrorCode.RequestTimeout, data: { timeout: 20 } };
      const rejected = assert.rejects(get(client, { timeout: 20 }), late);
      await clock.pass(20);
      await rejected;
      const abort = new AbortController();
      const aborted = get(client, { signal: abort.signal });
      abort.abort('enough');
      await assert.rejects(aborted, { code: SdkErrorCode.RequestTimeout, message: /enough/ });
      await assert.rejects(get(client, { signal: abort.signal }), /enough/);
      const cancelled = sent.filter(({ method }) => method === 'notifications/cancelled');
      assert.deepEqual(
        cancelled.map(({ params }) => [params?.requestId, params?.reason]),
        [
          [sent[0]?.id, 'SdkError: Request timed out'],
          [sent[2]?.id, 'enough'],
        ],
      );
      assert.equal(sent.length, 4, 'what is aborted already is not sent');
      answer({ id: sent[0]?.id, result: complete });
      answer({ id: 12_345, result: complete });
      assert.equal(errors.filter(message => message.includes('unknown message ID')).length, 2);
      await client.close();
    });

    it(`${era}: are extended by progress, though not beyond the total limit`, async () => {
      const { client, sent, answer } = await connected(era);
      let failed = false;
      const limits = { timeout: 200, maxTotalTimeout: 600, resetTimeoutOnProgress: true };
      const asked = get(client, { ...limits, onprogress: () => {} }).finally(() => {
        failed = true;
      });
      const rejected = assert.rejects(asked, { code: SdkErrorCode.RequestTimeout });
      for (const progress of [1, 2, 3]) {
        await clock.pass(199);
        answer({ method: 'notifications/progress', params: { progressToken: sent[0]?.id, progress } });
      }
      await clock.pass(2);
      assert.equal(failed, false, 'after 599 ms');
      await clock.pass(1);
      await rejected;
      await client.close();
    });

    it(`${era}: fail when the connection ends`, async () => {
      const { client, theirs } = await connected(era);
      const asked = get(client);
      const failed = assert.rejects(asked, { code: SdkErrorCode.ConnectionClosed });
      await theirs.close();
      await failed;
    });
  }

  const form = { message: 'who?', requestedSchema: { type: 'object', properties: { name: { type: 'string' } } } };
  const asks = (id: unknown, params: object = form) => ({
    id,
    result: { resultType: 'input_required', inputRequests: { who: { method: 'elicitation/create', params } } },
  });
  const elicits: ClientOptions = { capabilities: { elicitation: { form: {} } } };

  it('are refused where they ask for hundreds of inputs at once, and nobody is asked', async () => {
    const { client, sent, answer } = await connected('modern', { capabilities: { roots: {} } });
    let asked = 0;
    client.setRequestHandler('roots/list', () => ({ roots: [{ uri: `file:///${++asked}` }] }));
    const inputs = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, n) => [`root ${n}`, { method: 'roots/list' }]));
    const ask = (count: number) => {
      const call = client.request({ method: 'tools/call', params: { name: 'a' } }, echo);
      const result = { resultType: 'input_required', inputRequests: inputs(count) };
      answer({ id: sent.at(-1)?.id, result });
      return call;
    };
    await assert.rejects(ask(101), { code: -32602, message: /too many inputs/ });
    assert.equal(asked, 0);
    const call = ask(100);
    await clock.pass(1);
    assert.equal(asked, 100);
    answer({ id: sent.at(-1)?.id, result: { resultType: 'complete', content: [] } });
    await call;
    await client.close();
  });

  it('have the full limit for each input round, and none while waiting for input @hostClient.full-limit-input', async () => {
    const { client, sent, answer } = await connected('modern', elicits);
    const { promise: answered, resolve } = Promise.withResolvers<void>();
    client.setRequestHandler('elicitation/create', async () => {
      await answered;
      return { action: 'accept', content: { name: 'me' } };
    });
    let ended = false;
    const call = client.callTool({ name: 'a', arguments: {} }, { timeout: 150, onprogress: () => {} }).finally(() => {
      ended = true;
    });
    const failed = assert.rejects(call, { code: SdkErrorCode.RequestTimeout });
    await clock.pass(100);
    assert.equal(sent.length, 1);
    answer(asks(sent[0]?.id));
    await clock.pass(3_000);
    assert.equal(ended, false);
    resolve();
    await clock.pass(1);
    const [first, second] = sent.filter(({ method }) => method === 'tools/call');
    assert.ok(second);
    assert.deepEqual(second?.params?.inputResponses, { who: { action: 'accept', content: { name: 'me' } } });
    for (const round of [first, second]) {
      assert.equal(meta(round).progressToken, round?.id);
      assert.equal(round?.options?.headers, undefined);
    }
    // Said again, of the first round: this one is not stopped by it.
    answer(asks(first?.id));
    await clock.pass(147);
    assert.equal(ended, false);
    await clock.pass(3);
    await failed;
    await client.close();
  });

  for (const era of ['legacy', 'modern'] as const) {
    it(`${era}: are refused with a reason before anyone sees them, when the host requires it`, async () => {
      const refused: string[] = [];
      const hooks: ClientHooks = {
        logLevel: () => 'error',
        problem: (method, params) => (params?.message === 'bad' ? `${method} is refused` : undefined),
        refused: problem => refused.push(problem),
      };
      const { client, sent, answer } = await connected(era, elicits, hooks);
      client.setRequestHandler('elicitation/create', () => assert.fail('nobody is asked'));
      const bad = { ...form, message: 'bad' };
      if (era === 'legacy') {
        answer({ id: 'x', method: 'elicitation/create', params: bad });
        const error = { code: -32602, message: 'elicitation/create is refused' };
        assert.deepEqual(sent, [{ jsonrpc: '2.0', id: 'x', error }]);
      } else {
        const asked = client.request({ method: 'tools/call', params: { name: 'a' } }, echo);
        assert.equal(meta(sent[0])[LOG_LEVEL_META_KEY], 'error');
        answer(asks(sent[0]?.id, bad));
        await assert.rejects(asked, { code: -32602, message: /elicitation\/create is refused/ });
      }
      assert.deepEqual(refused, ['elicitation/create is refused']);
      await client.close();
    });
  }
});
