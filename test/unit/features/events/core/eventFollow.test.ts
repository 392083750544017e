import assert from 'node:assert/strict';
import { HostError } from '../../../../../src/base/errors';
import { Emitter } from '../../../../../src/base/events';
import { english } from '../../../../../src/base/phrase';
import {
  EventFollow,
  FollowedEvents,
  type FollowState,
  MAX_FOLLOWED,
} from '../../../../../src/features/events/core/eventFollow';
import { EventLists, type EventType } from '../../../../../src/features/events/core/eventTypes';
import { type EventChannel, type ServerConnection, type ServerState, servesEvents } from '../../../../../src/host';
import { waitFor } from '../../../../servers/spawn';
import { raw, unasked } from '../../../../setup/raw';
import { withClock } from '../../../clock';
import { hostile, TestHost } from '../../../host/testHost';

describe('events of a server', function () {
  this.timeout(60_000);
  let test: TestHost;
  let lists: EventLists;
  let followed: FollowedEvents;
  beforeEach(() => {
    test = new TestHost({}, { events: () => true });
    lists = new EventLists(unasked);
    followed = new FollowedEvents(unasked);
  });
  afterEach(async () => {
    followed.dispose();
    lists.dispose();
    await test.close();
  });

  async function up(...flags: string[]): Promise<ServerConnection> {
    test.configure({ eventful: hostile('--events', ...flags, '--modern'), other: hostile() });
    const server = await test.loads('eventful');
    await lists.loaded(server);
    return server;
  }
  const typeOf = (server: ServerConnection, name: string): EventType => {
    const type = lists.of(server)?.list?.types.find(one => one.name === name);
    assert.ok(type, `no type ${name}`);
    return type;
  };
  const add = (server: ServerConnection, name: string, args: Record<string, unknown> = {}) =>
    followed.add({ server, type: typeOf(server, name), args, notice: 'silent' }).follow;
  /** What the server was asked for, in order. */
  const asked = () =>
    test.logs.flatMap(({ source, data }) => /^events: (.*)$/.exec(source === 'stderr' ? String(data) : '')?.[1] ?? []);
  const happens = async (server: ServerConnection, args: Record<string, unknown>) => {
    const tool = server.catalog.tools.find(({ name }) => name === 'happen')!;
    await raw(server).callTool(tool, args);
  };
  const becomes = (follow: EventFollow, kind: FollowState['kind']) =>
    waitFor(() => follow.state.kind === kind, { what: () => `${kind}; it is ${JSON.stringify(follow.state)}` });
  /** A server whose notes are followed. */
  const following = async (...flags: string[]) => {
    const server = await up(...flags);
    const follow = add(server, 'note.added');
    await becomes(follow, 'live');
    return { server, follow };
  };
  const keeps = (follow: EventFollow, ids: string[]) =>
    waitFor(() => ids.join() === follow.events.all.map(({ id }) => id).join(), {
      what: () => `events ${ids.join()}; there are ${follow.events.all.map(({ id }) => id).join()}`,
    });
  const added = (text: string) => ({ name: 'note.added', data: { text } });

  it('are offered only by a server that declares them in the modern era', async () => {
    test.configure({ legacy: hostile('--events'), plain: hostile('--modern') });
    for (const id of ['legacy', 'plain']) {
      const server = await test.loads(id);
      assert.equal(servesEvents(server), false, id);
      assert.equal(lists.of(server), undefined, id);
    }
    assert.deepEqual(asked(), []);
  });

  it('are listed page by page, and again when the server says that they have changed', async () => {
    const server = await up('--page-size=2');
    assert.deepEqual(
      lists.of(server)?.list?.types.map(({ name, modes }) => [name, modes]),
      [
        ['note.added', ['push', 'poll']],
        ['build.finished', ['poll']],
        ['disk.full', []],
      ],
    );
    const follow = add(server, 'note.added');
    await becomes(follow, 'live');
    await happens(server, { what: 'remove' });
    await waitFor(() => lists.of(server)?.list?.types.length === 2, { what: 'the shorter list' });
  });

  it('are listed once when the list never ends', async () => {
    const server = await up('--events-fault=endless-list');
    const list = lists.of(server)?.list;
    assert.deepEqual([list?.types.length, list?.isCut], [3, true]);
  });

  it('arrive by a stream, newest first, with those that do not fit the arguments left out', async () => {
    const server = await up();
    const all = add(server, 'note.added');
    const some = add(server, 'note.added', { folder: 'inbox' });
    await Promise.all([becomes(all, 'live'), becomes(some, 'live')]);
    await happens(server, { name: 'note.added', data: { folder: 'inbox', text: 'one' } });
    await happens(server, added('two'));
    await keeps(all, ['evt_2', 'evt_1']);
    await keeps(some, ['evt_1']);
    assert.deepEqual(JSON.parse(all.events.all[1]!.payload), { folder: 'inbox', text: 'one' });
    assert.deepEqual(all.state, { kind: 'live', mode: 'push' });
    assert.equal(raw(server).gate.isBusy, false, 'streams take no turn from requests');
  });

  it('that come twice are kept once', async () => {
    const { server, follow } = await following('--events-fault=twice');
    await happens(server, { ...added('again'), times: 2 });
    await keeps(follow, ['evt_2', 'evt_1']);
  });

  it('arrive by polls where the server has no stream, and with its arguments', async () => {
    const server = await up();
    const follow = add(server, 'build.finished', { branch: 'main' });
    await becomes(follow, 'live');
    await happens(server, { name: 'build.finished', data: { branch: 'main' } });
    await happens(server, { name: 'build.finished', data: { branch: 'other' } });
    await keeps(follow, ['evt_1']);
    assert.deepEqual(follow.state, { kind: 'live', mode: 'poll' });
    assert.ok(
      asked().includes(
        'events/poll {"name":"build.finished","arguments":{"branch":"main"},"cursor":null,"maxEvents":50}',
      ),
    );
  });

  it('are polled when the server refuses the stream that it lists', async () => {
    const { follow } = await following('--events-fault=no-push');
    assert.deepEqual(follow.state, { kind: 'live', mode: 'poll' });
  });

  it('are polled again after an error', async () => {
    const server = await up('--events-fault=poll-fails-once');
    const follow = add(server, 'build.finished', { branch: 'main' });
    await becomes(follow, 'retrying');
    await becomes(follow, 'live');
  });

  it('that happened while the stream was away arrive with the next one, from the last position on', async () => {
    const { server, follow } = await following();
    await happens(server, added('before'));
    await keeps(follow, ['evt_1']);
    await happens(server, { what: 'end' });
    await happens(server, added('meanwhile'));
    await keeps(follow, ['evt_2', 'evt_1']);
    assert.ok(
      asked().includes('events/stream {"name":"note.added","arguments":{},"cursor":"#1","maxAgeMs":3600000}'),
      asked().join('\n'),
    );
    assert.equal(follow.gaps, 0);
  });

  it('that the server has forgotten are a gap', async () => {
    const { server, follow } = await following();
    await happens(server, added('before'));
    await keeps(follow, ['evt_1']);
    await happens(server, { what: 'gap' });
    await waitFor(() => follow.gaps === 1, { what: 'the gap' });
    assert.equal(follow.state.kind, 'live');
  });

  it('have no gaps and are followed from now on where the server has no positions', async () => {
    const { server, follow } = await following('--events-fault=no-cursor');
    await happens(server, { what: 'gap' });
    await happens(server, added('one'));
    await keeps(follow, ['evt_1']);
    assert.equal(follow.gaps, 0);
    await happens(server, { what: 'end' });
    await waitFor(() => asked().filter(line => line.startsWith('events/stream')).length === 2, {
      what: 'a new stream',
    });
    assert.match(asked().filter(line => line.startsWith('events/stream'))[1]!, /"cursor":null}$/);
  });

  it('go on after an error on the stream, and end when the server terminates them', async () => {
    const { server, follow } = await following();
    await happens(server, { what: 'error' });
    await happens(server, added('after'));
    await keeps(follow, ['evt_1']);
    await happens(server, { what: 'terminate' });
    await becomes(follow, 'ended');
    assert.deepEqual(follow.state, {
      kind: 'ended',
      end: { kind: 'refused', code: -32024, reason: 'Access was revoked' },
    });
    await happens(server, added('later'));
    assert.equal(follow.events.all.length, 1);
  });

  it('end at once when the server refuses them', async () => {
    const server = await up();
    const forbidden = add(server, 'note.added', { folder: 'secret' });
    const invalid = add(server, 'build.finished');
    await Promise.all([becomes(forbidden, 'ended'), becomes(invalid, 'ended')]);
    const reasons = [forbidden, invalid].map(({ state }) =>
      state.kind === 'ended' && state.end.kind === 'refused' ? english(state.end.reason) : '',
    );
    assert.match(reasons[0]!, /You may not see that folder/);
    assert.match(reasons[1]!, /branch is missing/);
  });

  it('that can’t be read are counted, and the stream goes on', async () => {
    const { server, follow } = await following('--events-fault=odd');
    await happens(server, added('one'));
    await waitFor(() => follow.events.left.unusable === 1, { what: 'the count' });
    assert.deepEqual([follow.events.all.length, follow.state.kind], [0, 'live']);
  });

  it('are cancelled on the server when the person stops following', async () => {
    const { server } = await following();
    followed.delete(followed.of(server)[0]!);
    await waitFor(() => asked().some(line => line.startsWith('cancelled')), { what: 'the cancellation' });
    assert.deepEqual(followed.all, []);
  });

  it('go on with the next process of a server that crashes, and end with one that is stopped', async () => {
    const { server, follow } = await following();
    const pid = test.pid('eventful');
    process.kill(pid, 'SIGKILL');
    await waitFor(() => server.state.kind === 'ready' && test.pid('eventful') !== pid, { what: 'the next process' });
    await waitFor(() => asked().filter(line => line.startsWith('events/stream')).length === 2, {
      what: 'the next stream',
    });
    await becomes(follow, 'live');
    await server.stop('the test');
    assert.deepEqual(follow.state, { kind: 'ended', end: { kind: 'server' } });
    assert.equal(test.server('other').state.kind, 'ready');
  });

  it('are followed once for the same arguments, and a limited number in all', async () => {
    const server = await up();
    const first = add(server, 'note.added');
    assert.equal(add(server, 'note.added'), first);
    for (let i = followed.all.length; i < MAX_FOLLOWED; i++) add(server, 'note.added', { folder: `${i}` });
    assert.equal(followed.isFull, true);
  });
});

describe('following events', () => {
  const clock = withClock();
  const type: EventType = { name: 'x', description: undefined, modes: ['poll'], inputSchema: {} };
  const stateChanged = new Emitter<ServerState>();
  const server = { name: 's', state: { kind: 'ready' } as ServerState, onDidChangeState: stateChanged.event };
  const failure = () => new HostError({ code: 'CLOSED', server: 's', action: 'poll', reason: 'it broke' });
  const turns = async () => {
    for (let i = 0; i < 10; i++) await clock.pass(0).then(() => Promise.resolve());
  };
  /** Follows over a channel whose polls give these results, one after the other; the last one again and again. */
  function polling(...results: (object | undefined)[]) {
    const polls: unknown[] = [];
    const channel: EventChannel = {
      poll: async more => {
        polls.push(more);
        const result = results.length > 1 ? results.shift() : results[0];
        if (!result) throw failure();
        return result as Record<string, unknown>;
      },
      stream: async () => {},
    };
    const follow = new EventFollow({ server, type, open: async () => channel });
    return { follow, polls };
  }

  it('waits at least a second between polls, however soon the server wants the next', async () => {
    const { follow, polls } = polling({ events: [], cursor: 'a', nextPollMs: 0 });
    await turns();
    assert.equal(polls.length, 1);
    await clock.pass(998);
    assert.equal(polls.length, 1);
    await clock.pass(10);
    assert.equal(polls.length, 2);
    assert.deepEqual(polls[1], { cursor: 'a', maxAgeMs: 3_600_000, maxEvents: 50 });
    follow.dispose();
  });

  it('waits between polls as long as the server wants', async () => {
    const { follow, polls } = polling({ events: [], cursor: 'a', nextPollMs: 2_000 });
    await turns();
    await clock.pass(1_900);
    assert.equal(polls.length, 1);
    await clock.pass(200);
    assert.equal(polls.length, 2);
    follow.dispose();
  });

  it('goes on from the position after a gap, and from now on where the server names none', async () => {
    const { follow, polls } = polling(
      { events: [], cursor: 'old', nextPollMs: 0 },
      { events: [], cursor: 'fresh', truncated: true, nextPollMs: 0 },
      { events: [], cursor: null, nextPollMs: 0 },
      { events: [], nextPollMs: 0 },
    );
    await turns();
    for (let i = 0; i < 4; i++) await clock.pass(1_050);
    assert.deepEqual(
      polls.map(poll => (poll as { cursor: unknown }).cursor),
      [null, 'old', 'fresh', null, null],
    );
    assert.equal(follow.gaps, 1);
    assert.deepEqual(follow.state, { kind: 'live', mode: 'poll' });
    follow.dispose();
  });

  it('opens a stream that has fallen silent again, from the position of its last heartbeat', async () => {
    const streams: unknown[] = [];
    const idle: number[] = [];
    const channel: EventChannel = {
      poll: async () => assert.fail('it polls'),
      stream: async (more, { idleMs, notified }) => {
        streams.push(more);
        idle.push(idleMs);
        notified({ jsonrpc: '2.0', method: 'notifications/events/active', params: { cursor: 'p-0' } });
        if (streams.length > 1) return new Promise<void>(() => {});
        notified({ jsonrpc: '2.0', method: 'notifications/events/heartbeat', params: { cursor: 'p-4' } });
        throw new HostError({ code: 'TIMEOUT', server: 's', action: 'follow', reason: 'it was silent' });
      },
    };
    const follow = new EventFollow({ server, type: { ...type, modes: ['push', 'poll'] }, open: async () => channel });
    await clock.pass(1_050);
    assert.deepEqual(streams, [{ cursor: null }, { cursor: 'p-4', maxAgeMs: 3_600_000 }]);
    assert.ok(
      idle.every(ms => ms > 60_000 && ms < 120_000),
      'twice the longest interval of heartbeats, and no request’s limit',
    );
    assert.deepEqual(follow.state, { kind: 'live', mode: 'push' });
    follow.dispose();
  });

  it('polls at once while there is more, but not for ever', async () => {
    const { follow, polls } = polling({ events: [], cursor: 'a', hasMore: true, nextPollMs: 60_000 });
    await clock.pass(50);
    assert.equal(polls.length, 20);
    follow.dispose();
  });

  it('tries again after pauses that double', async () => {
    const { follow, polls } = polling(undefined);
    await clock.pass(1_050);
    assert.equal(polls.length, 2);
    assert.deepEqual(follow.state, { kind: 'retrying', reason: 'it broke' });
    await clock.pass(1_900);
    assert.equal(polls.length, 2);
    await clock.pass(200);
    assert.equal(polls.length, 3);
    follow.dispose();
    await clock.pass(60_000);
    assert.equal(polls.length, 3);
  });

  it('ends when the policy refuses it', async () => {
    const denied = new HostError({ code: 'DENIED', server: 's', action: 'follow', reason: 'it was denied' });
    const follow = new EventFollow({ server, type, open: () => Promise.reject(denied) });
    await clock.pass(5);
    assert.deepEqual(follow.state, {
      kind: 'ended',
      end: { kind: 'refused', code: undefined, reason: 'it was denied' },
    });
  });
});
