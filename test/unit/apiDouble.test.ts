import assert from 'node:assert/strict';
import { DEFINITION_FIELDS, type FakeHostOptions, FakeMcpHost } from '../../docs/api/testing';
import { serverInput } from '../../src/host/settings/schema';

const tools = [
  { name: 'echo', call: ({ text }: Readonly<Record<string, unknown>>) => String(text) },
  { name: 'secret', isDenied: true },
];

describe('the double of the API', () => {
  const made = (options: FakeHostOptions = {}) =>
    new FakeMcpHost({
      servers: [
        { name: 'notes', tools, resources: [{ uri: 'a://b', text: 'hi' }], completions: { name: ['Ada', 'Bob'] } },
      ],
      ...options,
    });
  const [notes = assert.fail()] = made().api.servers;

  it('knows the fields of definitions', () => {
    assert.deepEqual([...DEFINITION_FIELDS].sort(), [...Object.keys(serverInput.shape), 'disabled'].sort());
  });

  it('answers as the test says', async () => {
    assert.deepEqual(
      (await notes.listTools()).map(({ name, inputSchema }) => [name, inputSchema]),
      [
        ['echo', { type: 'object' }],
        ['secret', { type: 'object' }],
      ],
    );
    assert.deepEqual(await notes.callTool('echo', { text: 'hello' }), { content: [{ type: 'text', text: 'hello' }] });
    assert.deepEqual(await notes.readResource('a://b'), { contents: [{ uri: 'a://b', text: 'hi' }] });
    const ref = { type: 'ref/prompt', name: 'x' } as const;
    assert.deepEqual(await notes.complete({ ref, argument: { name: 'name', value: 'A' } }), { values: ['Ada'] });
  });

  it('fails with the codes of the host', async () => {
    const host = made();
    const [server = assert.fail()] = host.api.servers;
    await assert.rejects(server.callTool('none'), { name: 'McpHostError', code: 'NOT_FOUND' });
    await assert.rejects(server.callTool('secret'), { code: 'REFUSED' });
    await assert.rejects(server.readResource('a://none'), { code: 'PROTOCOL' });
    await assert.rejects(host.exports.getApi(2 as 1), { code: 'UNSUPPORTED_VERSION' });
    const token = { isCancellationRequested: true } as never;
    await assert.rejects(server.listTools({ token }), { code: 'CANCELLED' });
    host.setState('notes', 'failed', { code: 'EXITED', reason: 'it ended' });
    assert.deepEqual([server.state, server.error?.code], ['failed', 'EXITED']);
    await assert.rejects(server.listTools(), { code: 'NOT_READY' });
    host.remove('notes');
    await assert.rejects(server.listTools(), { code: 'NOT_FOUND' });
    host.revoke();
    assert.throws(() => host.api.servers, { code: 'REVOKED' });
  });

  it('tells of changes until a handle is disposed', () => {
    const host = made();
    const seen: string[] = [];
    const handles = [
      host.api.onDidChangeServers(() => seen.push('servers')),
      host.api.onDidChangeServer(({ server, what }) => seen.push(`${server.name} ${what}`)),
      host.api.servers[0]!.subscribe('a://b', uri => seen.push(uri)),
    ];
    host.set({ name: 'notes', tools: [] });
    host.set({ name: 'other' });
    host.setState('other', 'stopped');
    host.update('notes', 'a://b');
    host.update('other', 'a://b');
    assert.deepEqual(seen, ['notes catalog', 'servers', 'other state', 'a://b']);
    for (const handle of handles) handle.dispose();
    host.set({ name: 'more' });
    assert.equal(seen.length, 4);
  });

  it('has the servers that the extension adds, which it controls', async () => {
    const host = made({ extension: 'me.mine', start: () => ({ state: 'needsTrust', tools }) });
    const added = host.api.registerServerDefinitions({ own: { command: 'node' } });
    host.setState('own@me.mine', 'ready');
    const [own = assert.fail()] = await added.ready;
    assert.deepEqual([own.id, own.name], ['own@me.mine', 'own']);
    await own.control?.stop();
    assert.equal(own.state, 'stopped');
    await own.control?.start();
    assert.equal(own.state, 'ready');
    assert.equal(notes.control, undefined);
    added.dispose();
    assert.deepEqual(
      host.api.servers.map(({ name }) => name),
      ['notes'],
    );
    assert.throws(() => host.api.registerServerDefinitions({ own: { comand: 'x' } }), {
      code: 'INVALID',
      message: /"comand"/,
    });
    const waiting = host.api.registerServerDefinitions({ own: { command: 'node' } });
    waiting.dispose();
    await assert.rejects(Promise.resolve(waiting.ready), { code: 'CANCELLED' });
  });
});
