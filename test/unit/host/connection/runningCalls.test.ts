import assert from 'node:assert/strict';
import { join } from 'node:path';
import type { HostError } from '../../../../src/base/errors';
import { type KeptTask, type RunningCall, RunningCalls } from '../../../../src/host/connection/runningCalls';
import { waitFor } from '../../../servers/spawn';
import { temporaryFolder } from '../../../setup/paths';
import { raw } from '../../../setup/raw';
import { hostile, TestHost } from '../testHost';

describe('running calls', () => {
  const folder = temporaryFolder();
  const flags = [`--tasks=${join(folder, 'tasks.json')}`];
  /** What the state of the workspace holds: it outlives a window. */
  let kept: readonly KeptTask[];
  let atKept = () => {};
  const store = {
    get: () => kept,
    set: (tasks: readonly KeptTask[]) => {
      kept = tasks;
      if (kept.length > 0) atKept();
    },
  };
  let host: TestHost;
  let calls: RunningCalls;

  const open = async () => {
    host = new TestHost();
    host.configure({ one: hostile(...flags) });
    calls = new RunningCalls(store, raw);
    await host.loads('one');
  };
  const close = async () => {
    await host.close();
    calls.dispose();
  };
  beforeEach(() => {
    kept = [];
    atKept = () => {};
    return open();
  });
  afterEach(close);

  const call = (args: Record<string, unknown>, name = 'required', signal?: AbortSignal) => {
    const server = host.server('one');
    const tool = server.catalog.tools.find(offered => offered.name === name)!;
    const options = signal ? { signal } : {};
    const made = calls.make({ server, tool, args, send: (...sent) => raw(server).callTool(tool, ...sent) }, options);
    made.catch(() => undefined);
    return made;
  };
  const shown = () => calls.of(host.server('one'));
  const restored = () => {
    const told: [string, RunningCall | HostError | undefined][] = [];
    calls.restore(host.server('one'), (...what) => told.push(what));
    return told;
  };

  it("appear after a moment, with the server's progress, and disappear when they end", async () => {
    const rows: (RunningCall | undefined)[] = [];
    const seen = calls.onDidChange(() => rows.push(shown()[0]));
    const made = call({ ms: 900, steps: 3 }, 'wait');
    assert.deepEqual(shown(), []);
    await made;
    seen.dispose();
    assert.deepEqual(shown(), []);
    const row = rows.find(one => one);
    assert.match(row?.progress?.message ?? '', /^step/);
    await call({}, 'forbidden');
    assert.deepEqual(shown(), []);
  });

  it('are cancelled from their row and by their caller; a cancelled task is not kept @runningCalls.cancelled-row-caller', async () => {
    const made = call({ end: 'never' });
    const [row] = await waitFor(() => shown().length > 0 && shown(), { what: 'the call to be shown' });
    assert.equal(kept.length, 1);
    row!.cancel();
    await assert.rejects(made, { code: 'CANCELLED' });
    assert.deepEqual([kept, shown()], [[], []]);
    const abort = new AbortController();
    const other = call({ end: 'never' }, 'required', abort.signal);
    await waitFor(() => kept.length > 0, { what: 'the task' });
    abort.abort();
    await assert.rejects(other, { code: 'CANCELLED' });
    assert.deepEqual(kept, []);
  });

  it('that became tasks are followed by the next window, which keeps results until they are opened @runningCalls.became-tasks-followed', async () => {
    const begun = new Promise<void>(resolve => {
      atKept = resolve;
    });
    const made = call({ ms: 1_500, secret: 'hunter2' });
    await begun; // and not a moment longer, as it would be over
    assert.doesNotMatch(JSON.stringify(kept), /hunter2/);
    await Promise.all([assert.rejects(made, { code: 'CLOSED' }), close()]);
    assert.equal(kept.length, 1);
    await open();
    const told = restored();
    assert.deepEqual(restored(), []);
    await waitFor(() => told.length > 0, { what: 'it to be told' });
    assert.equal(told.length, 1);
    const [row] = shown();
    assert.ok(row?.end && JSON.stringify(row.end.result).includes('done'));
    assert.deepEqual(kept, []);
    row.dismiss();
    assert.deepEqual(shown(), []);
  });

  /** A task of a chat that `stop` stops, once it is kept. */
  const taskOfChat = async (stop: AbortController) => {
    const server = host.server('one');
    const tool = server.catalog.tools.find(({ name }) => name === 'required')!;
    const { signal } = stop;
    const chat = { stopped: signal, over: signal, say: () => {}, ask: () => ({ dispose: () => {} }) };
    const args = { end: 'never' };
    const made = calls.make(
      { server, tool, args, chat, send: (...sent) => raw(server).callTool(tool, ...sent) },
      { signal },
    );
    made.catch(() => undefined);
    await waitFor(() => kept.length > 0, { what: 'the task' });
    return { made };
  };

  it('are cancelled a while after their chat was stopped', async () => {
    calls.dispose();
    calls = new RunningCalls(store, raw, 0);
    const stop = new AbortController();
    const { made } = await taskOfChat(stop);
    stop.abort();
    await assert.rejects(made, { code: 'CANCELLED' });
    assert.deepEqual(kept, []);
  });

  it('stay for the next window if the chat was stopped because this one ends', async () => {
    const stop = new AbortController();
    const { made } = await taskOfChat(stop);
    stop.abort();
    await Promise.all([assert.rejects(made, { code: 'CLOSED' }), close()]);
    assert.deepEqual(
      kept.map(({ tool, inChat }) => [tool, inChat]),
      [['required', true]],
    );
    await open();
    restored();
    const [row] = await waitFor(() => shown().length > 0 && shown(), { what: 'the task to be taken up' });
    row!.cancel();
    await waitFor(() => kept.length === 0, { what: 'its end' });
  });

  it('forgotten by the server, or belonging to another server, are reported once', async () => {
    const { fingerprint } = host.server('one').definition;
    const gone = { serverId: 'one', tool: 'required', startedAt: Date.now() };
    const elsewhere = { ...gone, serverId: 'two', fingerprint, taskId: 'of-another' };
    kept = [{ ...gone, fingerprint, taskId: 'gone' }, { ...gone, fingerprint: 'other', taskId: 'changed' }, elsewhere];
    const told = restored();
    await waitFor(() => told.length === 2, { what: 'both to be told' });
    assert.equal(told.find(([, ended]) => ended === undefined)?.[0], 'required');
    assert.ok(told.some(([, ended]) => (ended as HostError | undefined)?.rpcCode === -32602));
    assert.deepEqual(kept, [elsewhere]);
    assert.deepEqual(restored(), []);
    assert.deepEqual(shown(), []);
  });
});
