import * as assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { demoServer, ERAS, startDemo, stopDemos, until } from './demoClient';

const INITIALIZE = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: { roots: {} }, clientInfo: { name: 'test', version: '1' } },
};
const REINDEX = {
  jsonrpc: '2.0',
  id: 2,
  method: 'tools/call',
  params: { name: 'reindex', arguments: { steps: 1000, delayMs: 60_000 }, _meta: { progressToken: 1 } },
};

describe('the process of the demo server', () => {
  let child: ChildProcess;
  let output = '';
  beforeEach(() => {
    output = '';
    child = spawn(process.execPath, [demoServer()], { stdio: ['pipe', 'pipe', 'pipe'] });
    child.stdout?.on('data', chunk => {
      output += chunk;
    });
  });
  afterEach(async () => {
    await stopDemos();
    if (child.exitCode === null) child.kill('SIGKILL');
  });

  const say = (...messages: object[]) => child.stdin?.write(messages.map(m => `${JSON.stringify(m)}\n`).join(''));
  /** It is waited for as long as a test may take: what it was at when stdin closed would take longer. */
  const endsAtOnce = async () => {
    const exited = once(child, 'close');
    child.stdin?.end();
    const [code] = await exited;
    assert.equal(code, 0);
  };

  it('ends when stdin closes before any message', endsAtOnce);

  it('ends when stdin closes while it waits for roots', async () => {
    say(INITIALIZE, { jsonrpc: '2.0', method: 'notifications/initialized' });
    await until(() => output.includes('roots/list'), 'it asks for roots');
    await endsAtOnce();
  });

  it('ends when stdin closes during a slow tool', async () => {
    const quick = { ...REINDEX, params: { ...REINDEX.params, arguments: { steps: 1_000, delayMs: 1_000 } } };
    say(INITIALIZE, quick);
    await until(() => output.includes('notifications/progress'), 'the tool runs');
    await endsAtOnce();
  });

  it('writes only protocol messages to stdout, and one line to stderr', async () => {
    let errors = '';
    child.stderr?.on('data', chunk => {
      errors += chunk;
    });
    say(INITIALIZE);
    await until(() => output.endsWith('\n'), 'an answer');
    await endsAtOnce();
    for (const line of output.trim().split('\n')) assert.equal(JSON.parse(line).jsonrpc, '2.0');
    assert.match(errors, /^\[notebook\] \d+\.\d+\.\d+ is ready; [^\n]*\n$/);
  });

  /** The codes of the answers to some requests, in the era that the first of them opens. */
  const codes = async (first: object | undefined, ...requests: object[]) => {
    if (first) say(first);
    const sent = requests.map((request, index) => ({ jsonrpc: '2.0', id: 100 + index, ...request }));
    say(...sent);
    const answers = () =>
      output
        .split('\n')
        .slice(0, -1)
        .map(line => JSON.parse(line));
    await until(() => sent.every(({ id }) => answers().some(answer => answer.id === id)), 'the answers');
    return sent.map(({ id }) => answers().find(answer => answer.id === id).error?.code);
  };
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const lists = ['tools/list', 'prompts/list', 'resources/list', 'resources/templates/list'];

  it('answers nothing but a ping before initialize, and everything after', async () => {
    const requests = [...lists.map(method => ({ method })), { method: 'tools/call', params: { name: 'list_notes' } }];
    assert.deepEqual(await codes(undefined, { method: 'ping' }), [undefined]);
    output = '';
    assert.deepEqual(await codes(undefined, ...requests), Array(5).fill(-32600));
    output = '';
    assert.deepEqual(await codes(INITIALIZE, ...lists.map(method => ({ method }))), Array(4).fill(undefined));
  });

  it('answers an unknown cursor with -32602 in both eras', async () => {
    const withCursor = (cursor: unknown, more: object = {}) =>
      lists.map(method => ({ method, params: { cursor, ...more } }));
    assert.deepEqual(await codes(INITIALIZE, ...withCursor('nope'), ...withCursor('')), Array(8).fill(-32602));
    child.kill();
    output = '';
    child = spawn(process.execPath, [demoServer()], { stdio: ['pipe', 'pipe', 'pipe'] });
    child.stdout?.on('data', chunk => {
      output += chunk;
    });
    assert.deepEqual(await codes(undefined, ...withCursor('nope', { _meta })), Array(4).fill(-32602));
  });

  it('answers an unknown log level with -32602, and accepts a known one', async () => {
    const levels = ['loud', '', 7, null, undefined, 'debug'].map(level => ({
      method: 'logging/setLevel',
      params: { level },
    }));
    assert.deepEqual(await codes(INITIALIZE, ...levels), [...Array(5).fill(-32602), undefined]);
  });

  it('answers an unknown log level of a request with -32602 in the modern era', async () => {
    const loud = { ..._meta, 'io.modelcontextprotocol/logLevel': 'loud' };
    assert.deepEqual(await codes(undefined, { method: 'resources/list', params: { _meta: loud } }), [-32602]);
  });

  for (const [era, code] of [
    ['legacy', -32002],
    ['modern', -32602],
  ] as const) {
    it(`answers a read of a missing resource with ${code} (${era})`, async () => {
      const uris = ['notebook:///nope', 'notebook:///notes/nope', 'notebook:///archive/1999/01'];
      const more = era === 'modern' && { _meta };
      const reads = uris.map(uri => ({ method: 'resources/read', params: { uri, ...more } }));
      assert.deepEqual(
        await codes(era === 'legacy' ? INITIALIZE : undefined, ...reads),
        uris.map(() => code),
      );
    });
  }

  for (const era of ERAS) {
    it(`introduces itself (${era})`, async () => {
      const { client } = await startDemo({ era });
      const info = client.getServerVersion();
      assert.equal(info?.name, 'notebook');
      assert.equal(info.title, 'Project Notebook');
      assert.match(info.icons?.[0]?.src ?? '', /^data:image\/png;base64,iVBOR/);
      assert.match(client.getInstructions() ?? '', /^A notebook for the open project/);
      assert.equal(client.getNegotiatedProtocolVersion(), era === 'modern' ? '2026-07-28' : '2025-11-25');
      assert.deepEqual(client.getServerCapabilities(), {
        logging: {},
        completions: {},
        tools: { listChanged: true },
        prompts: { listChanged: true },
        resources: { subscribe: true, listChanged: true },
        extensions: { 'io.modelcontextprotocol/events': {} },
      });
    });
  }
});
