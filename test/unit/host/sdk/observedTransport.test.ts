import assert from 'node:assert/strict';
import {
  InMemoryTransport,
  type JSONRPCMessage,
  type Progress,
  ProtocolError,
  SdkError,
  SdkErrorCode,
} from '@modelcontextprotocol/client';
import { Deadlines } from '../../../../src/host/sdk/deadlines';
import { DirectCalls, RequestTable } from '../../../../src/host/sdk/observedTransport';
import { PeerReader } from '../../../../src/host/sdk/peerReader';
import { withClock } from '../../clock';

type Sent = { id?: number; method?: string; params?: Record<string, unknown> };

/** Calls beside the SDK, what they sent, and whether they took each message. */
async function direct() {
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  const sent: Sent[] = [];
  theirs.onmessage = message => sent.push(message as Sent);
  await theirs.start();
  await ours.start();
  const deadlines = new Deadlines();
  const cancelled: [string, string][] = [];
  const calls = new DirectCalls(
    ours,
    deadlines,
    (method, reason) => void cancelled.push([method, String(reason)]),
    new PeerReader(),
  );
  const receive = (message: object) => calls.receive({ jsonrpc: '2.0', ...message } as JSONRPCMessage);
  return { calls, sent, cancelled, receive, transport: ours, hold: () => deadlines.holdAll() };
}

const isTimeout = (error: unknown) => error instanceof SdkError && error.code === SdkErrorCode.RequestTimeout;

const content = [{ type: 'text', text: 'hello' }];

describe('DirectCalls', () => {
  const clock = withClock();

  it('sends a call with id and progress token, and accepts its answer, also with a string id @observedTransport.sends-call-id', async () => {
    const { calls, sent, receive } = await direct();
    const first = calls.call({ name: 'a', arguments: { x: 1 }, _meta: { kept: true } }, { onprogress: () => {} });
    const second = calls.call({ name: 'b' });
    const [a, b] = sent;
    assert.deepEqual(a?.params, { name: 'a', arguments: { x: 1 }, _meta: { kept: true, progressToken: a?.id } });
    assert.deepEqual(b?.params, { name: 'b' });
    assert.ok(receive({ id: String(b?.id), result: { content } }));
    assert.ok(receive({ id: a?.id, result: { content, _meta: { m: 1 }, resultType: 'complete' } }));
    assert.deepEqual(await second, { content });
    assert.deepEqual(await first, { content, _meta: { m: 1 } });
  });

  it('leaves to the SDK what is not its own: other, late and duplicate answers, invalid results', async () => {
    const { calls, sent, receive } = await direct();
    const called = calls.call({ name: 'a' });
    const { id } = sent[0]!;
    assert.equal(receive({ id: 1, result: { content } }), false);
    assert.equal(receive({ id, result: null }), false);
    assert.equal(receive({ method: 'notifications/progress', params: { progressToken: 3, progress: 1 } }), false);
    assert.equal(receive({ method: 'notifications/progress' }), false);
    assert.equal(receive({ id, method: 'ping' }), false);
    assert.ok(receive({ id, result: { content } }));
    await called;
    assert.equal(receive({ id, result: { content } }), false);
    assert.equal(receive({ method: 'notifications/progress', params: { progressToken: id, progress: 1 } }), false);
  });

  it("rejects with the server's error, and resolves with whatever else was answered", async () => {
    const { calls, sent, receive } = await direct();
    const refused = calls.call({ name: 'a' });
    receive({ id: sent[0]?.id, error: { code: -32602, message: 'no', data: { why: 1 } } });
    await assert.rejects(refused, (error: ProtocolError) => {
      assert.ok(error instanceof ProtocolError);
      assert.deepEqual([error.code, error.data], [-32602, { why: 1 }]);
      return true;
    });
    const wrong = calls.call({ name: 'a' });
    receive({ id: sent[1]?.id, result: { content: 'hello' } });
    assert.deepEqual(await wrong, { content: [{ type: 'text', text: 'hello' }] });
  });

  it('gives up a call at its limit or when aborted, and informs the server @observedTransport.gives-call-limit', async () => {
    const { calls, sent, cancelled, receive } = await direct();
    const late = assert.rejects(calls.call({ name: 'a' }, { timeout: 20 }), isTimeout);
    await clock.pass(20);
    await late;
    const abort = new AbortController();
    const aborted = calls.call({ name: 'b' }, { signal: abort.signal });
    abort.abort('enough');
    await assert.rejects(aborted, /enough/);
    const [a, cancelA, b, cancelB] = sent;
    assert.deepEqual([cancelA?.method, cancelA?.params?.requestId], ['notifications/cancelled', a?.id]);
    assert.deepEqual(cancelB?.params, { requestId: b?.id, reason: 'enough' });
    assert.deepEqual(
      cancelled.map(([method]) => method),
      ['tools/call', 'tools/call'],
    );
    assert.equal(cancelled[1]![1], 'enough');
    assert.equal(receive({ id: a?.id, result: { content } }), false);
    await assert.rejects(calls.call({ name: 'c' }, { signal: abort.signal }), /enough/);
    assert.equal(sent.length, 4, 'what is aborted already is not sent');
  });

  it('has a limit for each call, in whatever order they were made @observedTransport.limit-call-order', async () => {
    const { calls } = await direct();
    const ended: string[] = [];
    for (const timeout of [400, 30, 200])
      calls.call({ name: 'a' }, { timeout }).catch(() => ended.push(String(timeout)));
    const atMost = async (ms: number, ...names: string[]) => {
      await clock.pass(ms);
      assert.deepEqual(ended, names);
    };
    await atMost(29);
    await atMost(1, '30');
    await atMost(169, '30');
    await atMost(1, '30', '200');
    await atMost(199, '30', '200');
    await atMost(1, '30', '200', '400');
  });

  it('pauses calls in flight while a person is asked', async () => {
    const { calls, hold, sent, receive } = await direct();
    const ended: string[] = [];
    const held = calls.call({ name: 'held' }, { timeout: 60 }).finally(() => ended.push('held'));
    const release = hold();
    const other = assert.rejects(calls.call({ name: 'other' }, { timeout: 200 }), isTimeout);
    await clock.pass(200);
    await other;
    assert.deepEqual(ended, []);
    release();
    await clock.pass(59);
    assert.deepEqual(ended, [], 'it has its whole limit again');
    assert.ok(receive({ id: sent[0]?.id, result: { content } }));
    assert.deepEqual((await held).content, content);
    const late = assert.rejects(calls.call({ name: 'late' }, { timeout: 30 }), isTimeout);
    hold()();
    await clock.pass(30);
    await late;
  });

  it('pauses until the last of several simultaneous questions is answered, in any order', async () => {
    for (const order of ['first', 'last'] as const) {
      const { calls, hold, sent, receive } = await direct();
      const ended: string[] = [];
      const held = calls.call({ name: 'held' }, { timeout: 40 }).finally(() => ended.push('held'));
      const releases = [hold(), hold()];
      const [early, late] = order === 'first' ? releases : releases.reverse();
      early?.();
      early?.();
      const later = assert.rejects(calls.call({ name: 'begun later' }, { timeout: 150 }), isTimeout);
      await clock.pass(150);
      await later;
      assert.deepEqual(ended, [], order);
      late?.();
      assert.ok(receive({ id: sent[0]?.id, result: { content } }));
      await held;
    }
  });

  it('pauses a call that began during a question only for later questions', async () => {
    const { calls, hold, sent, receive } = await direct();
    const ended: string[] = [];
    const releaseFirst = hold();
    const held = calls.call({ name: 'held' }, { timeout: 40 }).finally(() => ended.push('held'));
    const releaseSecond = hold();
    releaseFirst();
    const later = assert.rejects(calls.call({ name: 'begun later' }, { timeout: 150 }), isTimeout);
    await clock.pass(150);
    await later;
    assert.deepEqual(ended, []);
    releaseSecond();
    assert.ok(receive({ id: sent[0]?.id, result: { content } }));
    await held;
  });

  it('adds the time of several simultaneous questions to the total limit once', async () => {
    const { calls, hold, receive, sent } = await direct();
    const called = calls.call({ name: 'a' }, { timeout: 400, maxTotalTimeout: 600, resetTimeoutOnProgress: true });
    const failed = assert.rejects(called, isTimeout);
    const releases = Array.from({ length: 1_000 }, () => hold());
    await clock.pass(300);
    for (const release of releases) release();
    const progressToken = sent[0]?.id;
    const report = () => receive({ method: 'notifications/progress', params: { progressToken, progress: 1 } });
    // Those 300 ms, and then the limit of the whole.
    for (let ms = 0; ms < 599; ms++) {
      assert.ok(report(), `${ms} ms`);
      await clock.pass(1);
    }
    assert.ok(report());
    await clock.pass(1);
    assert.ok(!report());
    await failed;
  });

  it('lets progress extend the limit, though not forever, and passes on valid progress', async () => {
    const { calls, sent, receive } = await direct();
    const seen: Progress[] = [];
    const called = calls.call(
      { name: 'a' },
      { timeout: 200, maxTotalTimeout: 600, resetTimeoutOnProgress: true, onprogress: update => seen.push(update) },
    );
    const failed = assert.rejects(called, isTimeout);
    const progressToken = sent[0]?.id;
    const report = (more: object) => receive({ method: 'notifications/progress', params: { progressToken, ...more } });
    assert.equal(report({ progress: 'much' }), false);
    assert.equal(report({ progress: 1, message: {} }), false);
    assert.equal(report({ progress: 1, total: '2' }), false);
    for (const progress of [1, 2, 3, 4]) {
      await clock.pass(149);
      assert.ok(report({ progress, total: 1e6, message: 'on' }), `${progress}`);
    }
    await clock.pass(3);
    assert.ok(report({ progress: 5, total: 1e6, message: 'on' }), 'after 599 ms');
    await clock.pass(1);
    assert.ok(!report({ progress: 6, total: 1e6, message: 'on' }), 'after 600 ms');
    await failed;
    assert.deepEqual(
      seen,
      [1, 2, 3, 4, 5].map(progress => ({ progress, total: 1e6, message: 'on' })),
    );
  });

  it('fails calls in flight when the connection ends or cannot be written', async () => {
    const { calls, transport } = await direct();
    const called = calls.call({ name: 'a' });
    calls.close();
    await assert.rejects(called, { code: SdkErrorCode.ConnectionClosed });
    await transport.close();
    await assert.rejects(calls.call({ name: 'b' }), /not connected/i);
  });
});

describe('RequestTable', () => {
  it('never reuses an id, and finds each entry by its own, for any number and lifetime @observedTransport.reuses-id-finds', () => {
    const things = new RequestTable<string>(1);
    const longLived = things.add('long-lived');
    const numbers = new Set([longLived]);
    let live: number[] = [];
    for (let round = 0; round < 2_000; round++) {
      const number = things.add(`thing ${round}`);
      assert.ok(!numbers.has(number));
      numbers.add(number);
      live.push(number);
      if (live.length < (round < 1_000 ? 100 : 400)) continue;
      assert.equal(things.entries().length, live.length + 1);
      for (const old of live) assert.match(things.take(old) ?? '', /^thing/);
      for (const old of live) assert.equal(things.take(old), undefined);
      live = [];
    }
    assert.equal(things.get(longLived), 'long-lived');
  });
});
