import assert from 'node:assert/strict';
import { homedir } from 'node:os';
import { setImmediate } from 'node:timers/promises';
import { resolveDefinitions } from '../../../src/host';
import { processIsAlive, waitFor } from '../../servers/spawn';
import { raw } from '../../setup/raw';
import { hostile, TestHost } from './testHost';

describe('McpHost', () => {
  let test: TestHost;
  beforeEach(() => {
    test = new TestHost();
  });
  afterEach(() => test.close());

  const pid = (id: string): number | undefined => {
    const { state } = test.server(id);
    return state.kind === 'ready' ? state.pid : undefined;
  };
  const allReady = (...ids: string[]) => Promise.all(ids.map(id => test.reaches(id, 'ready')));

  it('restarts only what changed, starts what is new and stops what is gone', async () => {
    test.configure({ same: hostile(), changed: hostile(), removed: hostile() });
    await allReady('same', 'changed', 'removed');
    const before = { same: pid('same'), changed: pid('changed'), removed: pid('removed')! };
    test.configure({ added: hostile(), same: hostile(), changed: hostile('--tools=5') });
    await allReady('added');
    await waitFor(() => pid('changed') !== undefined && pid('changed') !== before.changed, {
      what: 'changed to restart',
    });
    assert.equal(pid('same'), before.same);
    assert.equal(test.host.get('removed'), undefined);
    await waitFor(() => !processIsAlive(before.removed), { what: 'removed to end' });
    assert.deepEqual(
      test.host.servers.map(({ id }) => id),
      ['added', 'same', 'changed'],
    );
  });

  it('applies limits and log level without a restart', async () => {
    test.configure({ one: hostile() });
    await allReady('one');
    const before = pid('one');
    test.configure({ one: { ...hostile(), timeouts: { requestMs: 5 }, logLevel: 'debug' } });
    assert.equal(pid('one'), before);
    assert.equal(test.server('one').definition.entry?.timeouts.requestMs, 5);
  });

  it('drops a log level request that was under way when it stopped the server', async () => {
    test.configure({ one: hostile('--hang-at=logging/setLevel') });
    await allReady('one');
    await test.server('one').stop('test');
    await setImmediate();
    const said = test.logs.filter(({ level }) => level === 'warning' || level === 'error');
    assert.deepEqual(said, []);
  });

  it('stops a server that is disabled and starts it when it is enabled', async () => {
    test.configure({ one: { ...hostile(), enabled: false } });
    assert.equal(test.server('one').state.kind, 'stopped');
    test.configure({ one: hostile() });
    await allReady('one');
    test.configure({ one: { ...hostile(), enabled: false } });
    await test.reaches('one', 'stopped');
  });

  it('leaves nothing behind of a server removed while it starts', async () => {
    test.configure({ one: hostile('--silent', '--grandchild') });
    const said = () => test.logs.find(({ data }) => /grandchild/.test(String(data)))?.data;
    const grandchild = Number(/\d+/.exec(String(await waitFor(said, { what: 'the grandchild' })))?.[0]);
    assert.ok(processIsAlive(grandchild));
    test.configure({});
    assert.equal(test.host.servers.length, 0);
    await test.close();
    await waitFor(() => !processIsAlive(grandchild), {
      timeoutMs: 10_000,
      what: 'the grandchild, which was killed, to be gone',
    });
  });

  for (const start of ['onDemand', 'onStartup']) {
    it(`refuses to start a removed server (${start}), with the reason`, async () => {
      test.configure({ one: { ...hostile(), start } });
      const server = test.server('one');
      if (start === 'onStartup') await test.loads('one');
      const starts = () => test.logs.filter(({ data }) => /^starting/.test(String(data))).length;
      const before = starts();
      test.configure({});
      const removed = /it was removed from settings\. Add it again/;
      await assert.rejects(raw(server).readResource('hostile://notes/readme.md'), removed);
      await server.start('test');
      await server.restart('test');
      assert.ok(server.state.kind === 'failed' && removed.test(server.state.error.message));
      assert.equal(server.isUsable, false);
      assert.equal(starts(), before);
      test.configure({ one: hostile() });
      await test.loads('one');
    });
  }

  it('fails requests to a server removed while it starts', async () => {
    test.configure({ one: { ...hostile('--silent'), start: 'onDemand' } });
    const server = test.server('one');
    const read = raw(server).readResource('hostile://notes/readme.md');
    assert.equal(server.state.kind, 'starting');
    test.configure({});
    await assert.rejects(read, /it is not running: it was removed from settings/);
  });

  it('starts nothing after dispose', async () => {
    test.configure({ one: { ...hostile(), start: 'onDemand' } });
    const server = test.server('one');
    await test.close();
    await assert.rejects(raw(server).readResource('hostile://notes/readme.md'), /the editor is closing/);
    assert.ok(!test.logged(/^starting/));
  });

  it('survives starts, stops and restarts in any order', async () => {
    test.configure({ one: hostile() });
    const server = test.server('one');
    void server.restart('a');
    void server.stop('b');
    void server.start('c');
    void server.restart('d');
    await test.loads('one');
    await server.stop('e');
    assert.equal(server.state.kind, 'stopped');
  });

  it('shows an invalid entry as a failed server with the reason, and starts the others', async () => {
    test.configure({ bad: { command: 5 }, worse: null, good: hostile() });
    await allReady('good');
    for (const id of ['bad', 'worse']) {
      const { error } = await test.reaches(id, 'failed');
      assert.equal(error.code, 'INVALID_SETTINGS');
      assert.match(error.message, new RegExp(`MCP server "${id}" could not start: .+`));
    }
  });

  it('shows an entry with an unknown variable as failed, naming the variable', async () => {
    const { problems } = test.configure({ bad: { command: 'x', args: ['${nonsense}'] } });
    assert.match((await test.reaches('bad', 'failed')).error.message, /\$\{nonsense\}/);
    assert.deepEqual(
      problems[0]?.problems.map(({ path }) => path),
      [['bad', 'args', 0]],
    );
  });
});

describe('definitions', () => {
  const variables = { workspaceFolders: {}, userHome: homedir(), env: () => undefined, config: () => 'v' };
  const user = { scope: 'user' } as const;
  const workspace = { scope: 'workspace' } as const;
  const folder = (name: string) => ({ scope: 'workspaceFolder', folder: { name, path: `/${name}` } }) as const;

  it('of the workspace replace those of the user; those of a folder are added', () => {
    const value = (command: string) => ({ one: { command } });
    const { definitions } = resolveDefinitions([
      { source: user, value: { ...value('user'), two: { command: 'two' } }, variables },
      { source: workspace, value: value('workspace'), variables },
      { source: folder('a'), value: value('a'), variables: { ...variables, workspaceFolder: '/a' } },
      { source: folder('b'), value: value('b'), variables: { ...variables, workspaceFolder: '/b' } },
    ]);
    assert.deepEqual(
      definitions.map(({ id, entry }) => [
        id,
        entry?.type === 'stdio' && entry.command,
        entry?.type === 'stdio' && entry.cwd,
      ]),
      [
        ['two', 'two', homedir()],
        ['one', 'workspace', undefined],
        ['one@a', 'a', '/a'],
        ['one@b', 'b', '/b'],
      ],
    );
  });

  it('change their fingerprint only with the launch, after variables are resolved', () => {
    const fingerprintOf = (entry: object, config = 'v') =>
      resolveDefinitions([{ source: user, value: { one: entry }, variables: { ...variables, config: () => config } }])
        .definitions[0]!.fingerprint;
    const plain = fingerprintOf({ command: 'x', args: ['${config:k}'] });
    assert.equal(
      plain,
      fingerprintOf({ args: ['${config:k}'], command: 'x', type: 'stdio', enabled: false, logLevel: 'error' }),
    );
    assert.notEqual(plain, fingerprintOf({ command: 'x', args: ['${config:k}'] }, 'other'));
    assert.notEqual(plain, fingerprintOf({ command: 'x', args: ['${config:k}'], env: { A: 'b' } }));
  });

  it('name the settings that they depend on', () => {
    const { configKeys } = resolveDefinitions([
      { source: user, value: { one: { command: '${config:a.b}' } }, variables },
    ]);
    assert.deepEqual([...configKeys], ['a.b']);
  });
});
