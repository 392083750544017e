import assert from 'node:assert/strict';
import { waitFor } from '../../../servers/spawn';
import { hostile, TestHost } from '../testHost';

describe('the last exit of a server', () => {
  let test: TestHost;
  beforeEach(() => {
    test = new TestHost();
  });
  afterEach(() => test.close());

  it('is kept while it runs again, with the number of exits', async () => {
    test.configure({ one: hostile() });
    const server = await test.loads('one');
    assert.deepEqual([server.vitals.lastExit, server.vitals.restarts], [undefined, 0]);
    const killed = Date.now();
    process.kill(test.pid('one'), 'SIGKILL');
    await test.reaches('one', 'reconnecting');
    await test.loads('one');
    // Windows knows no signals: what another program ends has exited with 1.
    const ended = process.platform === 'win32' ? [1, null] : [null, 'SIGKILL'];
    assert.deepEqual(
      [server.vitals.lastExit?.code, server.vitals.lastExit?.signal, server.vitals.restarts],
      [...ended, 1],
    );
    assert.ok(server.vitals.lastExit!.at >= killed);
  });

  it('is kept after a failed start, and after a stop', async () => {
    test.configure({ bad: hostile('--exit-at-start=3'), good: hostile() });
    await Promise.all([test.reaches('bad', 'failed'), test.reaches('good', 'ready')]);
    assert.equal(test.server('bad').vitals.lastExit?.code, 3);
    await test.server('good').stop('test');
    await waitFor(() => test.server('good').vitals.lastExit?.code === 0, { what: 'its exit' });
    assert.equal(test.server('good').vitals.restarts, 0);
  });

  it('is explained without the beginning of a secret where its last line is cut', async () => {
    const line = '"Error: config " + "y".repeat(275) + " " + process.env.API_TOKEN + " is no good"';
    const script = `console.error(${line}); process.exit(1)`;
    const env = { API_TOKEN: 'correct-horse-battery-staple' };
    test.configure({ bad: { type: 'stdio', command: process.execPath, args: ['-e', script], env } });
    const { error } = await test.reaches('bad', 'failed');
    assert.match(error.message, /Error: config y+ •••/);
    assert.doesNotMatch(error.message, /corr/);
  });

  it('distinguishes repeated exits from a failed first start', async () => {
    test.configure({ bad: hostile('--exit-at-start=3'), ill: hostile('--die-at=tools/list') });
    assert.equal((await test.reaches('bad', 'failed')).gaveUp, false);
    assert.equal((await test.reaches('ill', 'failed')).gaveUp, true);
  });

  it('and every change of state are logged with the reason', async () => {
    test.configure({ one: hostile() });
    await test.loads('one');
    process.kill(test.pid('one'), 'SIGKILL');
    await test.reaches('one', 'reconnecting');
    await test.server('one').stop('a person stopped it');
    const lines = test.logs.filter(({ source, level }) => source === 'lifecycle' && level !== 'debug').map(l => l.data);
    assert.equal(lines.length, 5, lines.join('\n'));
    const how = process.platform === 'win32' ? 'exited with code 1' : 'SIGKILL';
    assert.match(
      lines.join('\n').replace(how, 'HOW'),
      /^starting: set to start automatically\nit runs in .*\nready: .*\n.*HOW.* It restarts in .*\nstopped: a person stopped it$/,
    );
  });
});
