import assert from 'node:assert/strict';
import {
  type ClientDecision,
  type ClientIdentity,
  Clients,
  clientOf,
  type StoredClient,
} from '../../../../../src/features/clients/core/clients';

const HOUR_MS = 3_600_000;

const client = (more: Partial<ClientIdentity> = {}): ClientIdentity => ({
  kind: 'agent',
  id: 'coder',
  name: 'Coder',
  details: [{ what: 'program', text: '/usr/bin/coder' }],
  fingerprint: 'one',
  ...more,
});

describe("the client behind a server's request", () => {
  const call = (id?: string) => ({ client: id === undefined ? undefined : { id, name: id.toUpperCase() } });

  it('is the one that made all running calls of the server', () => {
    assert.equal(clientOf([call('a')])?.name, 'A');
    assert.equal(clientOf([call('a'), call('a')])?.name, 'A');
  });

  it('is undefined unless one client made every running call', () => {
    for (const calls of [[], [call()], [call('a'), call('b')], [call('a'), call()], [call(), call('a')]])
      assert.equal(clientOf(calls), undefined);
  });
});

describe('permission of clients', () => {
  let kept: Record<string, StoredClient>;
  let asked: {
    identity: ClientIdentity;
    before: ClientIdentity | undefined;
    answer: (said?: 'allow' | 'deny') => void;
  }[];
  let decided: string[];
  let now: number;
  let clients: Clients;
  const open = () => {
    const store = {
      get: () => kept,
      // As a file would: a copy, as text.
      set: async (to: object) => {
        kept = JSON.parse(JSON.stringify(to));
      },
    };
    const ask = (identity: ClientIdentity, before: ClientIdentity | undefined) =>
      new Promise<'allow' | 'deny' | undefined>(answer => asked.push({ identity, before, answer }));
    clients = new Clients(store, ask, { now: () => now });
    clients.onDidDecide(({ client: { id }, what }: ClientDecision) => decided.push(`${id} ${what}`));
  };
  /** Gives every task that needs no answer its turn. */
  const settled = () => new Promise(resolve => setImmediate(resolve));
  async function say(said: 'allow' | 'deny' | undefined, identity = client()): Promise<string> {
    const answer = clients.ask(identity);
    await settled();
    asked.at(-1)!.answer(said);
    return answer;
  }
  beforeEach(() => {
    [kept, asked, decided, now] = [{}, [], [], 1_000 * HOUR_MS];
    open();
  });

  it('is asked for once, and lasts in later windows until revoked', async () => {
    assert.equal(clients.answer(client()), undefined);
    assert.equal(await say('allow'), 'allowed');
    open();
    assert.equal(await clients.ask(client()), 'allowed');
    assert.equal(clients.answer(client()), 'allowed');
    assert.equal(asked.length, 1);
    await clients.revoke(client());
    assert.equal(clients.answer(client()), undefined);
    assert.equal(await say('deny'), 'denied');
    assert.equal(await clients.ask(client()), 'denied');
    assert.deepEqual([asked.length, decided], [2, ['coder allowed', 'coder revoked', 'coder denied']]);
    assert.equal(clients.all.length, 1);
  });

  it('is asked for once for all that wait', async () => {
    const answers = Promise.all([clients.ask(client()), clients.ask(client()), clients.ask(client())]);
    await settled();
    assert.equal(asked.length, 1);
    asked[0]!.answer('allow');
    assert.deepEqual(await answers, ['allowed', 'allowed', 'allowed']);
  });

  it('is bound to kind and id; an extension gets nothing from an agent of the same name', async () => {
    await say('allow');
    assert.equal(clients.answer(client({ kind: 'extension' })), undefined);
    assert.equal(clients.answer(client({ id: 'other' })), undefined);
    assert.equal(clients.answer(client({ id: '__proto__' })), undefined);
  });

  it('is asked for again when another client comes under the id, and the earlier permission stays with its owner @clients.asked-client-comes', async () => {
    await say('allow');
    const other = client({ fingerprint: 'two', details: [{ what: 'program', text: '/tmp/coder' }] });
    assert.equal(clients.answer(other), undefined);
    assert.equal(await say('deny', other), 'denied');
    assert.equal(asked[1]!.before?.details[0]?.text, '/usr/bin/coder');
    assert.deepEqual([clients.answer(client()), clients.answer(other)], ['allowed', 'denied']);
    assert.deepEqual(decided, ['coder allowed', 'coder changed', 'coder denied']);
    const third = client({ fingerprint: 'three' });
    assert.equal(await say('allow', third), 'allowed');
    assert.equal(clients.answer(client()), undefined, 'one identity is allowed at a time');
  });

  it('has an answer for each program of one name, and shows what the newest was that was allowed @clients.answer-program-name', async () => {
    const [one, two] = [client({ program: '1' }), client({ program: '2', fingerprint: 'two' })];
    await say('allow', one);
    now++;
    assert.equal(await say('allow', two), 'allowed');
    assert.equal(asked[1]!.before?.program, '1');
    now++;
    const three = client({ program: '3', fingerprint: 'three' });
    assert.equal(await say('deny', three), 'denied');
    assert.equal(asked[2]!.before?.program, '2');
    assert.deepEqual(
      [one, two, three].map(identity => clients.answer(identity)),
      ['allowed', 'allowed', 'denied'],
    );
    // The same program as another build of it.
    const newer = client({ program: '1', fingerprint: 'newer' });
    assert.equal(clients.answer(newer), undefined);
    await say('allow', newer);
    assert.equal(clients.answer(one), undefined);
    await clients.setProfile(two, 'small');
    assert.deepEqual([clients.profile(newer), clients.profile(two)], [undefined, 'small']);
    await clients.revoke(two);
    assert.deepEqual(
      [newer, two].map(identity => clients.answer(identity)),
      ['allowed', undefined],
    );
    assert.equal(clients.all.length, 2);
  });

  it('is asked about in each session when it can not be told which program it is, until it is denied @clients.asked-session-told', async () => {
    const session = (fingerprint: string) => client({ program: '1', fingerprint, isUncertain: true });
    assert.equal(await say('allow', session('first')), 'allowed');
    assert.equal(clients.answer(session('first')), 'allowed', 'the session goes on');
    assert.equal(clients.answer(session('second')), undefined);
    assert.equal(await say('deny', session('second')), 'denied');
    assert.equal(await clients.ask(session('third')), 'denied');
    assert.deepEqual([asked.length, clients.all.length], [2, 1]);
    await clients.revoke(session('fourth'));
    assert.equal(await say('allow', session('fifth')), 'allowed');
  });

  it('keeps the chosen profile until revoked, even when another client comes under the id', async () => {
    await clients.setProfile(client(), 'small');
    assert.deepEqual(kept, {}, 'nobody has been asked about it');
    await say('allow');
    let changes = 0;
    clients.onDidChangeProfile(() => changes++);
    await clients.setProfile(client(), 'small');
    const other = client({ fingerprint: 'other' });
    await say('deny', other);
    await say('allow', client({ fingerprint: 'third' }));
    now += 2 * HOUR_MS;
    await clients.ask(client({ fingerprint: 'third' }));
    assert.equal(clients.profile(other), 'small');
    assert.equal(clients.profile(client({ kind: 'extension' })), undefined);
    await clients.setProfile(client(), undefined);
    assert.equal(clients.profile(client()), undefined);
    await clients.setProfile(client(), 'small');
    assert.equal(changes, 3);
    await clients.revoke(client());
    assert.equal(clients.profile(client()), undefined);
  });

  it('is not given by a closed question, which is not repeated in this window until the person revokes', async () => {
    assert.equal(await say(undefined), 'unanswered');
    assert.equal(await clients.ask(client()), 'unanswered');
    assert.deepEqual([asked.length, kept], [1, {}]);
    open();
    assert.equal(await say('allow'), 'allowed');
  });

  it('asks one question at a time, queues few, and stops asking after a limit @clients.asks-question-time', async () => {
    const first = [1, 2, 3].map(number => clients.ask(client({ id: `flood ${number}` })));
    assert.equal(await clients.ask(client({ id: 'flood 4' })), 'busy');
    for (const answer of [0, 1, 2]) {
      await settled();
      assert.equal(asked.length, answer + 1);
      asked[answer]!.answer('deny');
    }
    assert.deepEqual(await Promise.all(first), ['denied', 'denied', 'denied']);
    const answers = [];
    for (let number = 4; number <= 40; number++) {
      const answer = clients.ask(client({ id: `flood ${number}` }));
      await settled();
      asked[number - 1]?.answer('deny');
      answers.push(await answer);
    }
    assert.equal(asked.length, 20);
    assert.equal(answers.at(-1), 'busy');
    await clients.revoke(client({ id: 'flood 1' }));
    assert.equal(await say('allow'), 'allowed', 'the person has turned to the list, and may be asked again');
  });

  it('is not given by a failed question, which does not block others', async () => {
    const failing = new Clients({ get: () => ({}), set: async () => assert.fail('kept') }, async () => {
      throw new Error('no window');
    });
    await assert.rejects(failing.ask(client()), /no window/);
    await assert.rejects(failing.ask(client()), /no window/);
  });

  it('remembers the hour of the last use, with the details at that time', async () => {
    await say('allow');
    const usedAt = () => kept['agent:coder']!.usedAt! / HOUR_MS;
    const newer = client({ details: [{ what: 'version', text: '2' }] });
    now += HOUR_MS - 1;
    await clients.ask(newer);
    assert.deepEqual([usedAt(), kept['agent:coder']!.allowed!.identity.details[0]!.what], [1_000, 'program']);
    now += 1;
    await clients.ask(newer);
    assert.deepEqual([usedAt(), kept['agent:coder']!.allowed!.identity.details[0]!.what], [1_001, 'version']);
    assert.equal(kept['agent:coder']!.allowed!.at, 1_000 * HOUR_MS, 'it was allowed when it was');
  });

  it('is kept for 200 clients, those used last', async () => {
    const identity = client({ id: 'old' });
    kept = Object.fromEntries(
      Array.from({ length: 205 }, (_, at): [string, StoredClient] => [
        `agent:old ${at}`,
        { allowed: { identity: { ...identity, id: `old ${at}` }, at } },
      ]),
    );
    await say('allow');
    assert.equal(clients.all.length, 200);
    assert.equal(clients.answer(client()), 'allowed');
    assert.equal(clients.answer({ ...identity, id: 'old 204' }), 'allowed');
    assert.equal(clients.answer({ ...identity, id: 'old 1' }), undefined);
  });
});
