import assert from 'node:assert/strict';
import { processIsAlive, waitFor } from '../../../servers/spawn';
import { raw } from '../../../setup/raw';
import { faultyHosts } from '../faultyHost';

/** What a person reads of a call that was in flight when the server ended. */
interface Ending {
  fault: string;
  flag: string;
  call: RegExp;
  /** What the server's row says until it is started again. */
  state: RegExp;
}

const endings: Ending[] = [
  {
    fault: 'dies of a call',
    flag: '--die-at=tools/call',
    call: /"bad" could not call echo: hostile: dying at tools\/call \(its process exited with code 1\)\. Its full/,
    state:
      /"bad" could not go on: hostile: dying at tools\/call \(its process exited with code 1\)\. Its full output is in the log\./,
  },
  {
    fault: 'writes half an answer and exits',
    flag: '--half-line-at=tools/call',
    call: /"bad" could not call echo: its process exited with code 1 without any output on stderr\./,
    state:
      /"bad" could not go on: its process exited with code 1 without any output on stderr\. Its full output is in the log\./,
  },
  {
    fault: 'closes stdout but lives',
    flag: '--close-stdout-at=tools/call',
    call: /"bad" could not call echo: it closed its output \(stdout\) while its process kept running\. Restart it\./,
    state: /"bad" could not go on: it closed its output \(stdout\) while its process kept running\. Restart it\./,
  },
];

describe('a server over stdio that', () => {
  const host = faultyHosts();

  for (const { fault, flag, call, state } of endings) {
    it(`${fault}: the call fails immediately, the row shows it, and the server restarts @faultsOfLife.call-fails-immediately`, async () => {
      await host().start([flag], { timeouts: { toolCallMs: 60_000 } });
      await host().loads('bad');
      const failed = assert.rejects(host().call(), call);
      assert.match((await host().reaches('bad', 'reconnecting')).error.message, state);
      await failed;
      await host().reaches('bad', 'ready');
    });
  }

  it('closes stdin but lives: the next request detects it, and is answered after the restart, a pending call fails @faultsOfLife.closes-stdin-lives', async () => {
    await host().start(['--close-stdin-at=tools/call'], { timeouts: { toolCallMs: 60_000 } });
    const server = await host().loads('bad');
    const inFlight = host().call().catch(String);
    await waitFor(() => host().linesOf('stderr').length > 0, { what: 'the end of stdin' });
    const shows = raw(server).getPrompt('hello', {});
    const [{ error }, next] = await Promise.all([host().reaches('bad', 'reconnecting'), shows]);
    assert.match(
      error.message,
      /"bad" could not go on: it closed its input \(stdin\) while its process kept running\./,
    );
    assert.equal(next.messages.length, 1);
    assert.match(String(await inFlight), /"bad" could not call echo: it closed its input \(stdin\)/);
    await host().reaches('bad', 'ready');
  });

  it('dies right after each handshake: it is given up, with its last output @faultsOfLife.dies-right-handshake', async () => {
    await host().start(['--die-at=notifications/initialized']);
    const { error } = await host().reaches('bad', 'failed');
    assert.equal(error.code, 'EXITED');
    assert.match(error.message, /: hostile: dying at notifications\/initialized \(/);
    assert.ok(host().logged(/^it ended unexpectedly too often and is no longer restarted$/));
  });

  it('closes stdout during the handshake: its start fails with the reason', async () => {
    await host().start(['--close-stdout-at=initialize']);
    const { error } = await host().reaches('bad', 'failed');
    assert.match(
      error.message,
      /"bad" could not start: it closed its output \(stdout\) while its process kept running/,
    );
  });

  it('hangs at initialize: its start fails at the limit, and names the setting to raise @faultsOfLife.hangs-initialize-start', async () => {
    await host().start(['--hang-at=initialize'], { timeouts: { startMs: 500 } });
    const { error } = await host().reaches('bad', 'failed');
    assert.equal(error.code, 'TIMEOUT');
    assert.match(error.message, /"bad" could not start: no answer within 0\.5 s\. .*"startMs"/);
  });

  it('hangs at a call: that call fails at the limit, and everything else continues @faultsOfLife.hangs-call-call', async () => {
    await host().start(['--hang-at=tools/call'], { timeouts: { toolCallMs: 300 } });
    await host().loads('bad');
    await assert.rejects(host().call(), {
      name: 'HostError',
      message: /"bad" could not call echo: no answer within 0\.3 s\. .*"toolCallMs"/,
    });
    assert.equal((await raw(host().server('bad')).getPrompt('hello', {})).messages.length, 1);
    assert.equal(host().server('bad').state.kind, 'ready');
  });

  it('stops reading: calls of many MB fail in time, memory stays bounded, and it can be restarted @faultsOfLife.stops-reading-calls', async function () {
    this.timeout(60_000);
    await host().start(['--stop-reading-at=tools/call']);
    await host().loads('bad');
    await host().answers();
    const before = process.memoryUsage.rss();
    const text = 'x'.repeat(8 * 1024 * 1024);
    const calls = await host().withLimits('bad', { toolCallMs: 3_000 }, () =>
      Promise.allSettled(Array.from({ length: 20 }, () => host().call(undefined, { text }))),
    );
    const grown = process.memoryUsage.rss() - before;
    assert.ok(grown < 400e6, `${Math.round(grown / 1e6)} MB for 160 MB`);
    const reasons = calls.map(call => (call.status === 'rejected' ? String(call.reason.message) : 'answered'));
    const late = reasons.filter(reason => /no answer within 3 s/.test(reason));
    const refused = reasons.filter(reason =>
      /"bad" could not call echo: it does not read what is sent to it\. Restart it/.test(reason),
    );
    assert.equal(late.length + refused.length, 20, reasons.join('\n'));
    assert.ok(late.length > 0 && refused.length > 5, `${late.length} late, ${refused.length} refused`);
    const pid = host().pid('bad');
    await host().server('bad').restart('a person did');
    await waitFor(() => host().pid('bad') !== pid, { what: 'another process' });
  });
});

describe('a server over stdio that no longer answers because it', () => {
  // Three pings that are missed.
  const host = faultyHosts({ limits: () => ({ pingIntervalMs: 500 }) });

  for (const [what, flags, stops] of [
    ['writes half a line and then nothing', ['--stall-line-at=tools/call'], false],
    ['is stopped (SIGSTOP)', [], true],
  ] as const)
    it(`${what}: the call fails at its limit, the row says that it no longer answers, and it is restarted @faultsOfLife.call-fails-limit`, async function () {
      if (stops && process.platform === 'win32') this.skip(); // it has no SIGSTOP
      await host().start([...flags], { timeouts: { toolCallMs: 2_000 } });
      await host().loads('bad');
      const pid = host().pid('bad');
      if (stops) process.kill(pid, 'SIGSTOP');
      const failed = assert.rejects(host().call(), { code: 'TIMEOUT', message: /no answer within 2 s/ });
      const { error } = await host().reaches('bad', 'reconnecting');
      assert.match(error.message, /"bad" could not go on: it no longer answers/);
      await failed;
      await host().reaches('bad', 'ready');
      assert.ok(!processIsAlive(pid), 'the process that hung is left');
    });
});
