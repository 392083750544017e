import assert from 'node:assert/strict';
import type { ServerConnection } from '../../../../src/host';
import { type HttpFixture, startHttpFixture, waitFor } from '../../../servers/spawn';
import { raw } from '../../../setup/raw';
import { fixture, TestHost } from '../testHost';

const ONE = 'changing://notes/one.txt';
const TWO = 'changing://notes/two.txt';

for (const era of ['legacy', 'modern'] as const) {
  describe(`subscriptions in the ${era} era`, () => {
    let test: TestHost;
    let server: ServerConnection;
    let updates: string[];
    const start = async (...flags: string[]) => {
      test.configure({ changing: fixture('changing', ...(era === 'legacy' ? ['--legacy'] : []), ...flags) });
      const { info } = await test.reaches('changing', 'ready');
      assert.equal(info.era, era);
      server = test.server('changing');
      server.subscriptions.onDidUpdate(uri => updates.push(uri));
    };
    const reaches = (uri: string, state: string) =>
      waitFor(() => server.subscriptions.state(uri) === state, {
        what: () => `${uri} to be ${state}; it is ${server.subscriptions.state(uri)}`,
      });
    /** What the server was asked for, as it tells on stderr. */
    const asked = () => test.logs.filter(({ source }) => source === 'stderr').map(({ data }) => String(data));
    const call = (name: string, args: Record<string, unknown>) =>
      raw(server).request(`call ${name}`, (client, options) => client.callTool({ name, arguments: args }, options));
    /** Subscribes, and swallows the update that says that nobody told of changes before. */
    const follow = async (uri: string) => {
      const handle = raw(server).subscribe(uri);
      await reaches(uri, 'live');
      await waitFor(() => updates.includes(uri), { what: `the first update of ${uri}` });
      updates.length = 0;
      return handle;
    };
    beforeEach(() => {
      test = new TestHost();
      updates = [];
    });
    afterEach(() => test.close());

    it('announce changes from the first user to the last @subscriptions.announce-changes-first', async () => {
      await start();
      assert.equal(server.subscriptions.state(ONE), undefined);
      const first = await follow(ONE);
      const second = raw(server).subscribe(ONE);
      await call('change', { uri: ONE });
      await waitFor(() => updates.length > 0, { what: 'the update' });
      assert.deepEqual(updates, [ONE]);
      first.dispose();
      first.dispose();
      assert.equal(server.subscriptions.state(ONE), 'live');
      second.dispose();
      assert.equal(server.subscriptions.state(ONE), undefined);
      const end = era === 'legacy' ? `unsubscribe ${ONE}` : 'listen to lists';
      await waitFor(() => asked().at(-1) === end, { what: () => `${end}; the server was asked: ${asked()}` });
      assert.equal(asked().filter(what => what === `subscribe ${ONE}`).length, era === 'legacy' ? 1 : 0);
    });

    it('are requested once for a burst, and not if released meanwhile', async () => {
      await start();
      const uris = Array.from({ length: 200 }, (_, i) => `changing://many/${i}`);
      const handles = uris.map(uri => raw(server).subscribe(uri));
      raw(server).subscribe(ONE).dispose();
      for (const uri of uris) await reaches(uri, 'live');
      // What it says on stderr may come later than its answers.
      if (era === 'modern') assert.ok(asked().length <= 2, asked().join('\n'));
      else {
        await waitFor(() => asked().length >= 200, { what: () => `200 requests; there are ${asked().length}` });
        assert.equal(asked().length, 200);
      }
      assert.ok(!asked().some(what => what.includes(ONE)));
      for (const handle of handles) handle.dispose();
      const count = () => asked().filter(what => what.startsWith('unsubscribe') || what === 'listen to lists').length;
      await waitFor(() => count() >= (era === 'legacy' ? 200 : 1), { what: 'the end of them' });
    });

    it('are restored after a restart, and every resource counts as changed once', async () => {
      await start();
      await follow(ONE);
      await server.restart('a test');
      assert.equal(server.subscriptions.state(ONE), 'pending');
      await reaches(ONE, 'live');
      await waitFor(() => updates.length > 0, { what: 'the update' });
      await call('change', { uri: ONE });
      await waitFor(() => updates.length > 1, { what: 'the change' });
      assert.deepEqual(updates, [ONE, ONE]);
    });

    it('are restored after a crash @subscriptions.restored-crash', async () => {
      await start();
      await follow(ONE);
      process.kill(test.pid('changing'), 'SIGKILL');
      await test.reaches('changing', 'reconnecting');
      assert.equal(server.subscriptions.state(ONE), 'pending');
      await reaches(ONE, 'live');
      await waitFor(() => updates.includes(ONE), { what: 'the update' });
    });

    it('merge a flood of 10,000 updates into few, and deliver the last', async () => {
      await start();
      await follow(ONE);
      const began = performance.now();
      await call('change', { uri: ONE, times: 10_000 });
      await waitFor(() => updates.length > 0, { what: 'the update' });
      const before = updates.length;
      await call('change', { uri: ONE });
      await waitFor(() => updates.length > before, { what: 'the last update' });
      // One is told when 50 ms were quiet, which are more of them where reading the flood takes longer.
      assert.ok(updates.length <= 2 + (performance.now() - began) / 50, `${updates.length} updates`);
    });

    it('wait for a server that is not ready', async () => {
      await start();
      await server.stop('a test');
      raw(server).subscribe(ONE);
      assert.equal(server.subscriptions.state(ONE), 'pending');
      await server.start('a test');
      await reaches(ONE, 'live');
    });

    it("are unsupported without the server's capability, and nothing is requested @subscriptions.unsupported-server", async () => {
      await start('--no-subscribe');
      raw(server).subscribe(ONE);
      await reaches(ONE, 'unsupported');
      assert.ok(!asked().some(what => what.includes(ONE)), asked().join('\n'));
    });
  });
}

describe('subscriptions of the legacy era', () => {
  const test = new TestHost();
  after(() => test.close());
  const start = async (name: string, ...flags: string[]) => {
    test.configure({ [name]: fixture('changing', '--legacy', ...flags) });
    await test.reaches(name, 'ready');
    return test.server(name);
  };

  it('log a refusal without affecting others, and retry when requested anew', async () => {
    const server = await start('choosy', `--refuse=${ONE}`);
    const { subscriptions } = server;
    const one = raw(server).subscribe(ONE);
    raw(server).subscribe(TWO);
    await waitFor(() => subscriptions.state(ONE) === 'failed' && subscriptions.state(TWO) === 'live', {
      what: () => `the states, which are ${subscriptions.state(ONE)} and ${subscriptions.state(TWO)}`,
    });
    assert.ok(test.logged(/"choosy" could not subscribe to changing:\/\/notes\/one\.txt: .*Not this one/));
    one.dispose();
    // When this is live, it was seen that the other is wanted no more.
    const third = 'changing://notes';
    raw(server).subscribe(third);
    await waitFor(() => subscriptions.state(third) === 'live', { what: 'the third' });
    raw(server).subscribe(ONE);
    await waitFor(() => subscriptions.state(ONE) === 'failed', { what: 'the second refusal' });
    const asked = () => test.logs.filter(({ data }) => data === `subscribe ${ONE}`).length;
    await waitFor(() => asked() >= 2, { what: 'the second request' });
    assert.equal(asked(), 2);
  });

  it('are unsupported when the server only claims support @subscriptions.unsupported-server-claims', async () => {
    const server = await start('boaster', '--unknown');
    const { subscriptions } = server;
    raw(server).subscribe(ONE);
    await waitFor(() => subscriptions.state(ONE) === 'unsupported', { what: () => `${subscriptions.state(ONE)}` });
  });

  it('announce changes of subscribed resources, and no others', async () => {
    const server = await start('parts');
    const { subscriptions } = server;
    const updates: string[] = [];
    subscriptions.onDidUpdate(uri => updates.push(uri));
    for (const uri of ['changing://notes', 'changing://no']) raw(server).subscribe(uri);
    await waitFor(() => subscriptions.state('changing://no') === 'live', { what: 'it to be live' });
    await waitFor(() => updates.length === 2, { what: 'the first updates' });
    for (const uri of ['changing://elsewhere', 'changing://notes/one.txt'])
      await raw(server).request('call announce', (client, options) =>
        client.callTool({ name: 'announce', arguments: { uri } }, options),
      );
    await waitFor(() => updates.length > 2, { what: 'the update' });
    assert.deepEqual(updates.slice(2), ['changing://notes']);
  });
});

describe('subscriptions of the modern era', () => {
  let test: TestHost;
  beforeEach(() => {
    test = new TestHost();
  });
  afterEach(() => test.close());

  it('work with a server that allows one stream at once', async () => {
    test.configure({ single: fixture('changing', '--streams=1') });
    await test.reaches('single', 'ready');
    const server = test.server('single');
    const { subscriptions } = server;
    raw(server).subscribe(ONE);
    await waitFor(() => subscriptions.state(ONE) === 'live', { what: () => `${subscriptions.state(ONE)}` });
    raw(server).subscribe(TWO);
    await waitFor(() => subscriptions.state(TWO) === 'live', { what: () => `${subscriptions.state(TWO)}` });
    assert.equal(subscriptions.state(ONE), 'live');
  });

  it('fail with a log line when the stream is refused, and the server stays ready @subscriptions.fail-log-line', async () => {
    test.configure({ none: fixture('changing', '--streams=0') });
    await test.reaches('none', 'ready');
    const server = test.server('none');
    const { subscriptions, state } = server;
    raw(server).subscribe(ONE);
    await waitFor(() => subscriptions.state(ONE) === 'failed', { what: () => `${subscriptions.state(ONE)}` });
    assert.ok(test.logged(/changes to resources are not reported \(1\): .*limit/i), JSON.stringify(test.logs));
    assert.equal(state.kind, 'ready');
  });

  describe('over HTTP', () => {
    let http: HttpFixture;
    before(async () => {
      http = await startHttpFixture();
    });
    after(() => http.stop());

    it('miss no change while the set of resources changes', async () => {
      test.configure({ modern: { url: http.url('/modern') } });
      await test.reaches('modern', 'ready');
      const server = test.server('modern');
      const { subscriptions } = server;
      const note = 'modern://notes/today';
      let updates = 0;
      raw(server).subscribe(note);
      await waitFor(() => subscriptions.state(note) === 'live', { what: () => `${subscriptions.state(note)}` });
      subscriptions.onDidUpdate(uri => {
        if (uri === note) updates++;
      });
      await waitFor(() => updates === 1, { what: 'the first update' });
      for (let i = 0; i < 10; i++) {
        const before = updates;
        const other = `modern://other/${i}`;
        raw(server).subscribe(other);
        await raw(server).request('call write', (client, options) =>
          client.callTool({ name: 'write', arguments: { text: `${i}` } }, options),
        );
        await waitFor(() => updates > before, { what: `update ${i}` });
        await waitFor(() => subscriptions.state(other) === 'live', { what: `${other} to be live` });
        assert.equal(subscriptions.state(note), 'live');
      }
    });

    it('are restored when the stream is cut off', async () => {
      test.configure({ modern: { url: http.url('/modern') } });
      await test.reaches('modern', 'ready');
      const server = test.server('modern');
      const { subscriptions } = server;
      const note = 'modern://notes/today';
      const states: (string | undefined)[] = [];
      raw(server).subscribe(note);
      await waitFor(() => subscriptions.state(note) === 'live', { what: () => `${subscriptions.state(note)}` });
      subscriptions.onDidChangeState(uri => states.push(subscriptions.state(uri)));
      await http.breakStreams();
      await waitFor(() => states.length === 2, { what: () => `it to be live again: ${states}` });
      assert.deepEqual(states, ['pending', 'live']);
    });
  });
});
