import assert from 'node:assert/strict';
import { english } from '../../../../src/base/phrase';
import { Latencies, OTHER_TOOLS, Vitals } from '../../../../src/host/connection/vitals';
import { type HttpFixture, startHttpFixture, waitFor } from '../../../servers/spawn';
import { raw } from '../../../setup/raw';
import { hostile, TestHost } from '../testHost';

describe('Vitals', () => {
  let test: TestHost;
  beforeEach(() => {
    test = new TestHost({}, { limits: () => ({ pingIntervalMs: 2_000 }) });
  });
  afterEach(() => test.close());

  it('are kept over restarts: states with reasons, calls, errors, pings and bytes', async () => {
    test.configure({ one: hostile() });
    const server = await test.loads('one');
    const { vitals } = server;
    const echo = server.catalog.tools.find(({ name }) => name === 'echo')!;
    await raw(server).callTool(echo, { text: 'hello' });
    await assert.rejects(raw(server).callTool({ ...echo, name: 'no-such-tool' }, {}));
    await waitFor(() => vitals.pings.count > 0, { what: 'a ping' });
    const before = { ...vitals.traffic };
    assert.ok(before.received > 200 && before.sent > 200, JSON.stringify(before));
    process.kill(test.pid('one'), 'SIGKILL');
    await test.reaches('one', 'reconnecting');
    await test.loads('one');
    await server.stop('a person stopped it');
    assert.deepEqual(
      vitals.history.map(({ kind }) => kind),
      ['starting', 'ready', 'reconnecting', 'starting', 'ready', 'stopped'],
    );
    const reasons = vitals.history.map(({ reason }) => english(reason ?? '')).join('\n');
    const end = process.platform === 'win32' ? 'exited with code 1' : 'was ended by SIGKILL';
    assert.match(
      reasons,
      new RegExp(
        `set to start automatically\\n\\nCould not go on: its process ${end}.*\\n.*\\n\\na person stopped it$`,
      ),
    );
    assert.deepEqual([vitals.starts, vitals.restarts, vitals.calls.count], [2, 1, 2]);
    assert.deepEqual([vitals.tools.get('echo')?.calls, vitals.tools.get('echo')?.errors], [1, 0]);
    assert.equal(vitals.tools.get('no-such-tool')?.errors, 1);
    assert.ok(vitals.traffic.received > before.received);
  });

  it('count a cancelled call as no error', async () => {
    test.configure({ one: hostile('--late-answers') });
    const server = await test.loads('one');
    const abort = new AbortController();
    const called = raw(server).callTool(server.catalog.tools[0]!, {}, { signal: abort.signal });
    abort.abort();
    await assert.rejects(called);
    assert.equal(server.vitals.calls.count, 0);
  });

  it('keep the last stderr lines of a failed start', async () => {
    test.configure({ bad: hostile('--exit-at-start=3') });
    await test.reaches('bad', 'failed');
    const { vitals } = test.server('bad');
    assert.match(vitals.lastStderr.join('\n'), /missing API_KEY/);
    assert.match(english(vitals.history.at(-1)?.reason ?? ''), /exited with code 3/);
  });

  it('count bytes over HTTP too', async () => {
    const http: HttpFixture = await startHttpFixture();
    try {
      test.configure({ remote: { url: http.url('/mcp') } });
      const server = await test.loads('remote');
      const { received, sent } = server.vitals.traffic;
      assert.ok(received > 200 && sent > 200, `${received} in, ${sent} out`);
    } finally {
      await test.close();
      await http.stop();
    }
  });

  it('take bounded memory', () => {
    const vitals = new Vitals(() => {});
    for (let n = 0; n < 1_000; n++) {
      vitals.called(`tool ${n}`, n, n % 2 === 0);
      vitals.changed({ kind: n % 2 === 0 ? 'starting' : 'stopped', isSlow: false } as never, 'x'.repeat(10_000));
    }
    assert.equal(vitals.tools.size, 501);
    assert.equal(vitals.tools.get(OTHER_TOOLS)?.calls, 500);
    assert.equal(vitals.history.length, 100);
    assert.ok(vitals.history.every(({ reason }) => english(reason!).length <= 500));
    assert.equal(vitals.calls.last(10_000).length, 512);
  });
});

describe('latencies', () => {
  it('have percentiles of the kept values, and the newest in order', () => {
    const latencies = new Latencies();
    assert.equal(latencies.percentiles([0.5]), undefined);
    for (let n = 1; n <= 600; n++) latencies.add(n);
    assert.deepEqual(latencies.last(3), [598, 599, 600]);
    assert.equal(latencies.count, 600);
    // Of 89 to 600.
    assert.deepEqual(latencies.percentiles([0.5, 0.95]), [344, 575]);
  });
});
