import assert from 'node:assert/strict';
import { checkedDefinitions, untilThere, untilUp } from '../../../../src/features/clients/ownServers';
import { hostile, TestHost } from '../../host/testHost';

describe('definitions of an extension', () => {
  const check = (given: unknown) => checkedDefinitions('me.mine', given);
  const refused = (given: unknown, ...parts: RegExp[]) =>
    assert.throws(
      () => check(given),
      (error: Error & { code: string }) => {
        assert.equal(error.code, 'INVALID');
        for (const part of parts) assert.match(error.message, part);
        return true;
      },
    );

  it('are copied, with their names', () => {
    const given = {
      one: { command: 'node', args: ['a'], env: { A: '1' } },
      two: { url: 'https://x.example/mcp', headers: { 'X-A': 'b' }, timeouts: { startMs: 1 }, disabled: true },
    };
    const { names, copy } = check(given);
    assert.deepEqual(names, ['one', 'two']);
    assert.deepEqual(copy, given);
    given.one.args.push('b');
    assert.deepEqual(copy.one, { command: 'node', args: ['a'], env: { A: '1' } });
  });

  it('are refused with the names of all unknown fields, and what was meant', () => {
    refused(
      {
        notes: { comand: 'node', command: 'node', nonsense: 1 },
        web: { url: 'https://x.example/', oauth: { scope: [] } },
      },
      /^The servers of me\.mine were not added: /,
      /server "notes" has the unknown field "comand" \(did you mean "command"\?\)/,
      /server "notes" has the unknown field "nonsense";/,
      /server "web" has the unknown field "oauth\.scope"/,
      /The fields are those of the setting "mcpHost\.servers"\.$/,
    );
    // A field of the other kind of server.
    refused({ notes: { command: 'node', headers: {} } }, /"headers"/);
  });

  it('are refused with what is wrong in a field, or lacks', () => {
    refused({ notes: { command: 7 } }, /server "notes": "command" must be a string/);
    refused({ notes: {} }, /server "notes": A server needs a "command"/);
    refused({ notes: 'node' }, /server "notes"/);
    refused({ 'a/b': { command: 'node' } }, /cannot be used/);
  });

  it('have nothing of the name __proto__, wherever it stands', () => {
    refused(JSON.parse('{"__proto__": {"command": "node"}}'), /"__proto__" is no field/);
    refused(JSON.parse('{"notes": {"command": "node", "__proto__": {"env": {}}}}'), /"notes\.__proto__" is no field/);
    refused(
      JSON.parse('{"notes": {"command": "node", "env": {"__proto__": "1"}}}'),
      /"notes\.env\.__proto__" is no field/,
    );
    assert.equal(({} as { command?: string }).command, undefined);
  });

  it('inherit nothing, which a copy would lose', () => {
    refused({ notes: { command: 'node', __proto__: { cwd: '/' } } }, /"notes\.__proto__" is no field/);
    refused({ notes: Object.create({ command: 'node' }) }, /"notes\.__proto__" is no field/);
    const bare = Object.assign(Object.create(null), { command: 'node' });
    assert.deepEqual(check({ notes: bare }).names, ['notes']);
  });

  it('are an object, and JSON', () => {
    for (const given of [7, null, undefined, [], 'x']) refused(given, /The definitions are no object\./);
    const circle: Record<string, unknown> = { command: 'node' };
    circle.env = circle;
    refused({ circle }, /cannot be written as JSON/);
    refused({ big: { command: 'node', args: [1n] } }, /cannot be written as JSON/);
  });

  it('name ten problems at most', () => {
    const many = Object.fromEntries(Array.from({ length: 30 }, (_, n) => [`field${n}`, n]));
    refused({ notes: { command: 'node', ...many } }, /; and \d+ more\./);
  });
});

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
