import assert from 'node:assert/strict';
import type { StartPolicy } from '../../../../src/host';
import { waitFor } from '../../../servers/spawn';
import { raw } from '../../../setup/raw';
import { hostile, TestHost } from '../testHost';

describe('the start policy', () => {
  let policy: StartPolicy | undefined;
  let test: TestHost;
  beforeEach(() => {
    policy = undefined;
    test = new TestHost({}, { start: () => policy ?? 'onStartup' });
  });
  afterEach(() => test.close());

  const kind = (id = 'one') => test.server(id).state.kind;
  const starts = () => test.logs.filter(({ data }) => /^starting/.test(String(data))).length;
  const uri = 'hostile://notes/readme.md';

  it('"never": a person starts the server, a request does not', async () => {
    test.configure({ one: { ...hostile(), start: 'never' }, two: hostile() });
    await test.reaches('two', 'ready');
    assert.equal(kind(), 'stopped');
    await assert.rejects(
      raw(test.server('one')).readResource(uri),
      /"one" could not read .*: it is stopped\. Start the server/,
    );
    await test.server('one').start('asked by a person');
    assert.equal(kind(), 'ready');
  });

  it('"onDemand": the first request starts the server, once for several @startPolicy.ondemand-first-request', async () => {
    policy = 'onDemand';
    test.configure({ one: hostile('--slow-start=100') });
    assert.equal(kind(), 'stopped');
    assert.ok(test.server('one').isUsable);
    const answers = await Promise.all([1, 2, 3].map(() => raw(test.server('one')).readResource(uri)));
    assert.ok(answers.every(({ contents }) => contents.length === 1));
    assert.equal(starts(), 1);
  });

  it('"onDemand": remembered items can be chosen, and start the server @startPolicy.ondemand-remembered-items', async () => {
    test.configure({ one: hostile() });
    const { tools } = (await test.loads('one')).catalog;
    await waitFor(() => [...test.memory.values.keys()].some(key => key.startsWith('catalog/')), { what: 'the cache' });
    await using later = new TestHost({}, { start: () => 'onDemand' }, test.memory);
    later.configure({ one: hostile() });
    await waitFor(() => later.server('one').offers('tools').length === tools.length, { what: 'what is remembered' });
    assert.equal(later.server('one').state.kind, 'stopped');
    assert.equal(later.server('one').catalog.tools.length, 0);
    await raw(later.server('one')).callTool(later.server('one').offers('tools')[0]!, { text: 'hello' });
    assert.equal(later.server('one').state.kind, 'ready');
  });

  it('is overridden by `startInstead` until that returns undefined', async () => {
    let instead: StartPolicy | undefined = 'never';
    const held = new TestHost({}, { startInstead: ({ name }) => (name === 'one' ? instead : undefined) });
    const servers = {
      one: { ...hostile(), start: 'onStartup' },
      two: hostile(),
      off: { ...hostile(), enabled: false },
    };
    try {
      held.configure(servers);
      await held.reaches('two', 'ready');
      assert.equal(held.server('one').state.kind, 'stopped');
      assert.ok(!held.server('one').isUsable);
      instead = undefined;
      held.configure(servers);
      await held.reaches('one', 'ready');
      instead = 'never';
      held.configure(servers);
      // It is not stopped by that: only whoever has a reason does so.
      assert.equal(held.server('one').state.kind, 'ready');
    } finally {
      await held.close();
    }
    await using disabled = new TestHost({}, { startInstead: () => 'onStartup' });
    disabled.configure(servers);
    await disabled.reaches('two', 'ready');
    assert.equal(disabled.server('off').state.kind, 'stopped');
  });

  it('"never": none of its items can be chosen, even if remembered', async () => {
    test.configure({ one: hostile() });
    await test.loads('one');
    await waitFor(() => [...test.memory.values.keys()].some(key => key.startsWith('catalog/')), { what: 'the cache' });
    await test.server('one').stop('test');
    assert.equal(test.server('one').offers('tools').length, 0);
  });

  it('"onDemand": a request waits for the start longer than its own limit, at most startMs', async () => {
    policy = 'onDemand';
    // The start takes longer than the request may; once it has begun, the request has two seconds.
    test.configure({ one: { ...hostile('--slow-start=3000'), timeouts: { requestMs: 2_000 } } });
    assert.equal((await raw(test.server('one')).readResource(uri)).contents.length, 1);
    test.configure({ two: { ...hostile('--silent'), timeouts: { startMs: 300, requestMs: 100 } } });
    await assert.rejects(
      raw(test.server('two')).readResource(uri),
      /"two" could not read .*: it is not running: no answer within 0.3 s/,
    );
  });

  it('"onDemand": a request cancelled while waiting fails, and the start continues', async () => {
    policy = 'onDemand';
    test.configure({ one: hostile('--slow-start=200') });
    const abort = new AbortController();
    const answer = raw(test.server('one')).readResource(uri, abort.signal);
    abort.abort();
    await assert.rejects(answer, /could not read .*: it was cancelled/);
    await test.reaches('one', 'ready');
  });

  it('"onDemand": argument completion starts the server too', async () => {
    policy = 'onDemand';
    test.configure({ one: hostile() });
    const ref = { type: 'ref/prompt', name: 'greet' } as const;
    const { values } = await raw(test.server('one')).complete({ ref, argument: { name: 'name', value: 'A' } });
    assert.deepEqual(values, ['Ada', 'Alan']);
  });

  it('of the entry wins over the setting for all', async () => {
    policy = 'never';
    test.configure({ one: hostile(), two: { ...hostile(), start: 'onStartup' } });
    await test.reaches('two', 'ready');
    assert.equal(kind('one'), 'stopped');
  });

  it('is ignored for a disabled server, which only a person starts', async () => {
    policy = 'onDemand';
    test.configure({ one: { ...hostile(), enabled: false } });
    await assert.rejects(raw(test.server('one')).readResource(uri), /it is stopped/);
  });

  it('is ignored for an invalid entry, which is reported', async () => {
    policy = 'never';
    test.configure({ one: { command: '' } });
    await test.reaches('one', 'failed');
  });

  it('applies immediately when changed, without restarts', async () => {
    policy = 'never';
    const servers = { one: hostile(), two: { ...hostile(), start: 'onStartup' } };
    test.configure(servers);
    await test.reaches('two', 'ready');
    const pid = test.pid('two');
    const changes: string[] = [];
    test.host.onDidChangeServer(({ server }) => void changes.push(server.id));
    policy = 'onDemand';
    test.configure(servers);
    assert.deepEqual(changes, ['one'], 'its row says another thing now');
    assert.equal(kind(), 'stopped');
    policy = 'onStartup';
    test.configure(servers);
    await test.reaches('one', 'ready');
    test.configure({ ...servers, two: { ...hostile(), start: 'never' } });
    assert.equal(test.pid('two'), pid);
    assert.equal(starts(), 2);
  });

  it('and a changed entry restart a running server, and leave a stopped one alone', async () => {
    policy = 'onDemand';
    test.configure({ one: hostile(), two: hostile() });
    await test.server('one').start('test');
    test.configure({ one: hostile('--tools=7'), two: hostile('--tools=7') });
    await waitFor(() => test.server('one').catalog.tools.length === 7, { what: 'the changed server' });
    assert.equal(kind('two'), 'stopped');
  });
});

describe('the size of a message', () => {
  it('is limited by the setting, from the next start on', async () => {
    await using test = new TestHost({}, { limits: () => ({ messageBytes: 2_000 }) });
    test.configure({ one: { ...hostile('--tools=200'), timeouts: { requestMs: 300 } } });
    await test.reaches('one', 'ready');
    await waitFor(() => test.server('one').catalog.list('tools').status === 'failed', { what: 'the list to fail' });
    assert.ok(test.logged(/left out: a message of more than 2000 bytes/));
  });
});
