import assert from 'node:assert/strict';
import { untilThere, untilUp } from '../../../../src/features/clients/ownServers';
import { hostile, TestHost } from '../../host/testHost';

describe('waiting for a server that an extension added', () => {
  let test: TestHost;
  beforeEach(() => {
    test = new TestHost();
  });
  afterEach(() => test.close());
  const set = () => ({
    get all() {
      return test.host.servers;
    },
    onDidChange: (listener: () => void) => test.host.onDidChangeServers(listener),
  });
  const never = () => new AbortController().signal;

  it('begins before there is one, and ends when it is ready', async () => {
    const there = untilThere(set(), ({ id }) => id === 'one', never());
    test.configure({ one: hostile() });
    const server = await there;
    await untilUp(server, never());
    assert.equal(server.state.kind, 'ready');
  });

  it('starts one that is used on demand', async () => {
    test.configure({ one: { ...hostile(), start: 'onDemand' } });
    await untilUp(test.server('one'), never());
    assert.equal(test.server('one').state.kind, 'ready');
  });

  it('goes on while it is restarted, and fails when it is stopped', async () => {
    test.configure({ one: hostile('--hang-at=initialize') });
    const waiting = untilUp(test.server('one'), never());
    await test.reaches('one', 'starting');
    void test.server('one').restart('a test');
    await Promise.resolve();
    await test.reaches('one', 'starting');
    void test.server('one').stop('a test');
    await assert.rejects(waiting, { code: 'NOT_READY', message: /"one" was stopped\. Start it to use it\./ });
  });

  it('fails with the reason of a server that fails, and of one that nobody may start', async () => {
    test.configure({
      gone: { command: 'no-such-program-at-all' },
      off: { ...hostile(), enabled: false },
    });
    await assert.rejects(untilUp(test.server('gone'), never()), { code: 'FAILED', message: /no-such-program-at-all/ });
    await assert.rejects(untilUp(test.server('off'), never()), { code: 'NOT_READY' });
  });

  it('ends with its signal, also while there is no server', async () => {
    test.configure({ one: hostile('--hang-at=initialize') });
    const abort = new AbortController();
    const both = [
      untilUp(test.server('one'), abort.signal),
      untilThere(set(), ({ id }) => id === 'other', abort.signal),
    ].map(waiting => waiting.catch((error: Error) => error.message));
    abort.abort(new Error('enough'));
    assert.deepEqual(await Promise.all(both), ['enough', 'enough']);
  });
});
