import assert from 'node:assert/strict';
import { startHttpFixture, waitFor } from '../../../servers/spawn';
import { raw } from '../../../setup/raw';
import { hostile, TestHost } from '../testHost';

describe('a server that ends unexpectedly', () => {
  let test: TestHost;
  beforeEach(() => {
    test = new TestHost();
  });
  afterEach(() => test.close());

  it('restarts, and shows meanwhile how it ended @supervision.restarts-shows-meanwhile', async () => {
    test.configure({ mortal: hostile(), other: hostile() });
    await Promise.all([test.loads('mortal'), test.loads('other')]);
    const [pid, other] = [test.pid('mortal'), test.pid('other')];
    const killed = Date.now();
    process.kill(pid, 'SIGKILL');
    const { error, at } = await test.reaches('mortal', 'reconnecting');
    // Windows knows no signals: who is ended by another program has exited with 1.
    assert.match(error.message, process.platform === 'win32' ? /exited with code 1/ : /ended by SIGKILL/);
    assert.ok(at >= killed);
    assert.equal(test.server('mortal').catalog.tools.length, 0);
    await test.loads('mortal');
    assert.notEqual(test.pid('mortal'), pid);
    assert.equal(test.pid('other'), other);
  });

  it('is given up after too many restarts, until a person starts it @supervision.given-too-many', async () => {
    test.configure({ ill: hostile('--die-at=tools/list') });
    const { error } = await test.reaches('ill', 'failed');
    assert.equal(error.code, 'EXITED');
    assert.ok(test.logged(/too often/));
    const starts = () => test.logs.filter(({ data }) => /^starting/.test(String(data))).length;
    assert.equal(starts(), 4);
    void test.server('ill').start('test');
    await waitFor(() => starts() >= 5, { what: 'the start' });
  });

  it('is not restarted after its first start: its settings are wrong', async () => {
    test.configure({ broken: hostile('--exit-at-start=1') });
    await test.reaches('broken', 'failed');
    assert.equal(test.logs.filter(({ data }) => /^starting/.test(String(data))).length, 1);
  });

  it('is not restarted when it was stopped meanwhile', async () => {
    test.configure({ mortal: hostile() });
    await test.loads('mortal');
    process.kill(test.pid('mortal'), 'SIGKILL');
    await test.reaches('mortal', 'reconnecting');
    await test.server('mortal').stop('test');
    assert.equal(test.server('mortal').state.kind, 'stopped');
  });

  it('fails the call in flight, which is not repeated', async () => {
    test.configure({ mortal: hostile('--die-at=tools/call') });
    const server = await test.loads('mortal');
    await assert.rejects(raw(server).callTool(server.catalog.tools[0]!, {}), /"mortal" could not call/);
    await test.reaches('mortal', 'ready');
  });
});

describe('a silently lost server', () => {
  it('over HTTP, having forgotten the session, gets a new one @supervision.http-having-forgotten', async () => {
    const http = await startHttpFixture();
    const test = new TestHost();
    try {
      test.configure({ remote: { url: http.url('/mcp') } });
      const server = await test.loads('remote');
      const loses = async () => {
        await http.forgetSessions();
        await assert.rejects(raw(server).readResource('x:y'));
      };
      await Promise.all([test.reaches('remote', 'reconnecting'), loses()]);
      assert.ok((await test.loads('remote')).catalog.tools.length > 0);
    } finally {
      await test.close();
      await http.stop();
    }
  });

  it('that answers no pings is reconnected @supervision.answers-pings-reconnected', async () => {
    await using test = new TestHost({}, { limits: () => ({ pingIntervalMs: 40 }) });
    test.configure({ mute: hostile('--hang-at=ping') });
    await test.reaches('mute', 'ready');
    const { error } = await test.reaches('mute', 'reconnecting');
    assert.match(error.message, /no longer answers/);
  });

  it('that answers nothing fails a call at its limit, and only then is reconnected', async () => {
    // Three pings that are missed take three seconds, the call longer.
    await using test = new TestHost({}, { limits: () => ({ pingIntervalMs: 500 }) });
    const flags = ['--hang-at=ping', '--hang-at=tools/call'];
    test.configure({ mute: { ...hostile(...flags), timeouts: { toolCallMs: 4_000 } } });
    const server = await test.loads('mute');
    await assert.rejects(raw(server).callTool(server.catalog.tools[0]!, {}), { code: 'TIMEOUT' });
    await test.reaches('mute', 'reconnecting');
  });

  it('is not assumed while it works on a call and answers nothing else @supervision.assumed-works-call', async () => {
    // Three pings that are missed take six seconds, which no busy machine holds up an idle server for.
    await using test = new TestHost({}, { limits: () => ({ pingIntervalMs: 1_000 }) });
    test.configure({ busy: hostile('--block-tool') });
    const server = await test.loads('busy');
    const pid = test.pid('busy');
    const tool = server.catalog.tools.find(({ name }) => name === 'block')!;
    const { content } = await raw(server).callTool(tool, { ms: 7_000 });
    assert.deepEqual(content, [{ type: 'text', text: 'done' }]);
    assert.equal(test.pid('busy'), pid);
  });

  it('is pinged while idle, with the latency recorded @supervision.pinged-idle-latency', async () => {
    await using test = new TestHost({}, { limits: () => ({ pingIntervalMs: 2_000 }) });
    test.configure({ fine: hostile() });
    await test.reaches('fine', 'ready');
    await waitFor(() => test.server('fine').health?.roundTripMs !== undefined, { what: 'an answer to a ping' });
    assert.equal(test.server('fine').state.kind, 'ready');
  });
});

describe('log notifications of a modern server', () => {
  it('arrive, because each request names the wanted level', async () => {
    await using test = new TestHost({}, { trace: () => ({ messages: 100, size: 1_000_000 }) });
    test.configure({ modern: { ...hostile('--modern'), logLevel: 'debug' } });
    const server = await test.loads('modern');
    assert.equal(server.info?.era, 'modern');
    await raw(server).request('ask', (client, options) => client.request({ method: 'resources/list' }, options));
    const sent = test.host.trace.records().filter(({ direction }) => direction === 'sent');
    const requests = sent.map(({ text }) => JSON.parse(text)).filter(({ method }) => method !== 'server/discover');
    assert.ok(requests.length > 0);
    for (const { params } of requests) {
      const { _meta: meta } = params;
      assert.equal(meta['io.modelcontextprotocol/logLevel'], 'debug');
      const { extensions, roots } = meta['io.modelcontextprotocol/clientCapabilities'];
      assert.deepEqual(extensions, { 'io.modelcontextprotocol/tasks': {} });
      assert.deepEqual(roots, {}, 'nobody tells of changed roots in this era');
    }
  });

  it('are not asked of a server that did not declare logging', async () => {
    await using test = new TestHost({}, { trace: () => ({ messages: 100, size: 1_000_000 }) });
    const discovered = { resultType: 'complete', supportedVersions: ['2026-07-28'], capabilities: { tools: {} } };
    const flags = [`--answer-at=server/discover "result":${JSON.stringify(discovered)}`, '--modern'];
    test.configure({ silent: { ...hostile(...flags), logLevel: 'debug' } });
    const server = await test.loads('silent');
    assert.equal(server.info?.era, 'modern');
    const sent = test.host.trace.records().filter(({ direction }) => direction === 'sent');
    assert.ok(sent.some(({ text }) => text.includes('tools/list')));
    for (const { text } of sent) assert.doesNotMatch(text, /logLevel/);
  });
});
