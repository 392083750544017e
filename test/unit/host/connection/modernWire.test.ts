// What goes over the wire to a server of 2026-07-28, over HTTP.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import * as http from 'node:http';
import type { AddressInfo } from 'node:net';
import type { HostError } from '../../../../src/base/errors';
import type { ElicitationPort } from '../../../../src/host/definition';
import { raw } from '../../../setup/raw';
import { TestHost } from '../testHost';

interface Seen {
  headers: http.IncomingHttpHeaders;
  message: { id?: unknown; method?: string; params: Record<string, unknown> & { _meta: Record<string, unknown> } };
}

const VERSION = '2026-07-28';
const PARTY = 'résumé/été';
const object = (properties: Record<string, unknown> = {}) => ({ type: 'object', properties });
const form = { mode: 'form', message: 'Who?', requestedSchema: object({ name: { type: 'string' } }) };

/** Results by method; a call is a question at first, and its state comes back as it was given. */
const results: Record<string, unknown> = {
  'server/discover': { supportedVersions: [VERSION], capabilities: { tools: {}, prompts: {} } },
  'tools/list': {
    tools: [
      {
        name: 'tool',
        inputSchema: object({
          region: { type: 'string', 'x-mcp-header': 'Region' },
          count: { type: 'integer', 'x-mcp-header': 'Count' },
        }),
      },
      { name: 'ask', inputSchema: object() },
      { name: 'long', inputSchema: object() },
      { name: 'unsure', inputSchema: object() },
    ],
  },
  'prompts/list': { prompts: [{ name: PARTY }] },
  'prompts/get': { messages: [] },
  'tools/call': { content: [] },
  'tasks/get': { status: 'completed', result: { content: [{ type: 'text', text: 'after all' }] } },
  'tasks/update': {},
  'resources/read': { resultType: 'task' },
};

const TASK = {
  taskId: 'täsk 1',
  status: 'working',
  createdAt: '2026-11-25T00:00:00Z',
  lastUpdatedAt: '2026-11-25T00:00:00Z',
  ttlMs: 60_000,
  pollIntervalMs: 1,
};

const TASKS = /^tasks\/get$|^resources\/read$/;

const STATE = ' opaque {"a":1} ';

/** How often the task still says that it waits for input. */
let unsure = 0;

function answer({ id, method = '', params }: Seen['message']): object {
  const extra = { resultType: 'complete', ttlMs: 0, cacheScope: 'private', serverInfo: { name: 's', version: '1' } };
  if (params?.name === 'ask' && params.inputResponses === undefined) {
    const inputRequests = { who: { method: 'elicitation/create', params: form } };
    return { jsonrpc: '2.0', id, result: { resultType: 'input_required', inputRequests, requestState: STATE } };
  }
  if (params?.name === 'long') return { jsonrpc: '2.0', id, result: { resultType: 'task', ...TASK } };
  if (params?.name === 'unsure') {
    unsure = 3;
    return { jsonrpc: '2.0', id, result: { resultType: 'task', ...TASK } };
  }
  if (method === 'tasks/get' && unsure > 0) {
    unsure--;
    const inputRequests = { who: { method: 'elicitation/create', params: form } };
    return { jsonrpc: '2.0', id, result: { ...extra, ...TASK, status: 'input_required', inputRequests } };
  }
  const result = results[method];
  return {
    jsonrpc: '2.0',
    id,
    ...(result
      ? { result: { ...extra, ...(TASKS.test(method) && TASK), ...result } }
      : { error: { code: -32601, message: 'no' } }),
  };
}

describe('messages to a modern HTTP server', () => {
  const seen: Seen[] = [];
  let server: http.Server;
  let test: TestHost;
  beforeEach(async () => {
    seen.length = 0;
    server = http.createServer(async (request, response) => {
      let body = '';
      for await (const chunk of request) body += chunk;
      if (!body) return void response.writeHead(405).end();
      const message = JSON.parse(body) as Seen['message'];
      seen.push({ headers: request.headers, message });
      response.setHeader('Content-Type', 'application/json').end(JSON.stringify(answer(message)));
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const elicitation = {
      capability: () => ({ form: {} }),
      elicit: async () => ({ action: 'accept', content: { name: 'Ada' } }),
    } as unknown as ElicitationPort;
    test = new TestHost({ elicitation });
    test.configure({ remote: { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp` } });
    await test.loads('remote');
  });
  afterEach(async () => {
    await test.close();
    server.close();
  });

  const call = async (name: string, args: Record<string, unknown> = {}) => {
    const connection = test.server('remote');
    const tool = connection.catalog.tools.find(one => one.name === name);
    assert.ok(tool);
    await raw(connection).callTool(tool, args);
    return seen.at(-1)!.headers;
  };

  it('have version, method and target in headers: the version of _meta, and a target that is not ASCII in Base64 @modernWire.version-method-target', async () => {
    await call('tool');
    await raw(test.server('remote')).getPrompt(PARTY, {});
    for (const { headers, message } of seen) {
      assert.equal(headers['mcp-protocol-version'], VERSION);
      assert.equal(headers['mcp-protocol-version'], message.params._meta['io.modelcontextprotocol/protocolVersion']);
      assert.equal(headers['mcp-method'], message.method);
    }
    const [tool, prompt] = seen.slice(-2).map(({ headers }) => headers['mcp-name']);
    assert.deepEqual([tool, prompt], ['tool', `=?base64?${Buffer.from(PARTY).toString('base64')}?=`]);
  });

  it('name the task that they ask for in a header @modernWire.name-task-ask', async () => {
    const tool = test.server('remote').catalog.tools.find(({ name }) => name === 'long')!;
    const { content } = await raw(test.server('remote')).callTool(tool, {});
    assert.deepEqual(content, [{ type: 'text', text: 'after all' }]);
    const asked = seen.filter(({ message }) => message.method === 'tasks/get');
    assert.ok(asked.length > 0);
    for (const { headers, message } of asked) {
      assert.equal(message.params.taskId, TASK.taskId);
      assert.equal(headers['mcp-name'], `=?base64?${Buffer.from(TASK.taskId).toString('base64')}?=`);
    }
  });

  it('answer what a task asks for once, however often it repeats that @modernWire.answer-task-asks', async () => {
    const tool = test.server('remote').catalog.tools.find(({ name }) => name === 'unsure')!;
    await raw(test.server('remote')).callTool(tool, {});
    assert.equal(seen.filter(({ message }) => message.method === 'tasks/get').length, 4);
    const updates = seen.filter(({ message }) => message.method === 'tasks/update');
    assert.deepEqual(
      updates.map(({ message }) => [message.params.taskId, Object.keys(message.params.inputResponses as object)]),
      [[TASK.taskId, ['who']]],
    );
  });

  it('have an invalid answer when that is a task for what can be none @modernWire.invalid-answer-task', async () => {
    await assert.rejects(raw(test.server('remote')).readResource('a:b'), ({ code, message }: HostError) => {
      assert.equal(code, 'PROTOCOL', message);
      return true;
    });
    assert.ok(seen.every(({ message }) => message.method !== 'tasks/get'));
    await call('tool');
  });

  it('mirror parameters in headers: in Base64 if they are not plain or look encoded, and none for null or nothing @modernWire.mirror-parameters-headers', async () => {
    const { 'mcp-param-region': region, 'mcp-param-count': count } = await call('tool', { region: 'west', count: 3 });
    assert.deepEqual([region, count], ['west', '3']);
    for (const value of ['köln', ' west', '=?base64?d2VzdA==?='])
      assert.equal(
        (await call('tool', { region: value }))['mcp-param-region'],
        `=?base64?${Buffer.from(value).toString('base64')}?=`,
      );
    const unsafe = await call('tool', { count: Number.MAX_SAFE_INTEGER + 1 });
    assert.ok(!('mcp-param-count' in unsafe), 'an integer that not every reader keeps exactly is in no header');
    for (const args of [{ region: null }, {}]) assert.ok(!('mcp-param-region' in (await call('tool', args))));
  });

  it('have the required keys in _meta, and valid names of keys and extensions @modernWire.required-keys-meta', async () => {
    await call('tool');
    const label = '[a-zA-Z]([a-zA-Z0-9-]*[a-zA-Z0-9])?';
    const name = '[a-zA-Z0-9]([\\w.-]*[a-zA-Z0-9])?';
    for (const { message } of seen.filter(({ message: { id } }) => id !== undefined)) {
      const { _meta: meta } = message.params;
      for (const key of Object.keys(meta)) assert.match(key, new RegExp(`^(${label}(\\.${label})*/)?${name}$`));
      assert.equal(meta['io.modelcontextprotocol/protocolVersion'], VERSION);
      assert.deepEqual(meta['io.modelcontextprotocol/clientInfo'], { name: 'test', version: '0' });
      const { extensions = {} } = meta['io.modelcontextprotocol/clientCapabilities'] as { extensions?: object };
      for (const key of Object.keys(extensions)) assert.match(key, new RegExp(`^${label}(\\.${label})*/${name}$`));
    }
  });

  it('declare apps only where they are drawn @modernWire.declare-apps-drawn', async () => {
    const UI = 'io.modelcontextprotocol/ui';
    const declared = () => {
      const { _meta: meta } = seen.at(-1)!.message.params;
      return (meta['io.modelcontextprotocol/clientCapabilities'] as { extensions: object }).extensions;
    };
    await call('tool');
    assert.ok(!(UI in declared()));
    const { url } = test.server('remote').definition.entry as { url: string };
    await using drawing = new TestHost({ drawsApps: true });
    drawing.configure({ remote: { url } });
    await drawing.loads('remote');
    assert.deepEqual((declared() as Record<string, unknown>)[UI], { mimeTypes: ['text/html;profile=mcp-app'] });
  });

  it('are requests and notifications only: an answer goes with the repeated request, which has a new id and the same state @modernWire.requests-notifications', async () => {
    await call('ask');
    await call('tool');
    const [first, second] = seen.filter(({ message: { params } }) => params.name === 'ask').map(one => one.message);
    assert.ok(first && second && !('requestState' in first.params) && !('inputResponses' in first.params));
    assert.notEqual(second.id, first.id);
    assert.equal(second.params.requestState, STATE);
    assert.deepEqual(second.params.inputResponses, { who: { action: 'accept', content: { name: 'Ada' } } });
    for (const { message } of seen) assert.ok(message.method, JSON.stringify(message));
    const { params } = seen.at(-1)!.message;
    assert.ok(!('requestState' in params) && !('inputResponses' in params));
  });

  it('are not followed by a handshake when the answer to the probe, a 400, says that the server is modern @modernWire.followed-handshake-answer', async () => {
    const methods: unknown[] = [];
    const other = http.createServer(async (request, response) => {
      let body = '';
      for await (const chunk of request) body += chunk;
      const { id, method } = JSON.parse(body || '{}') as Seen['message'];
      methods.push(method);
      const error = { code: -32022, message: 'Unsupported', data: { supported: ['2027-03-01'], requested: VERSION } };
      response
        .writeHead(400, { 'Content-Type': 'application/json' })
        .end(JSON.stringify({ jsonrpc: '2.0', id, error }));
    });
    await once(other.listen(0, '127.0.0.1'), 'listening');
    try {
      test.configure({ newer: { url: `http://127.0.0.1:${(other.address() as AddressInfo).port}/mcp` } });
      assert.match((await test.reaches('newer', 'failed')).error.message, /it speaks version 2027-03-01/);
      assert.deepEqual(methods, ['server/discover']);
    } finally {
      other.close();
    }
  });
});
