import assert from 'node:assert/strict';
import type { CallToolResult } from '@modelcontextprotocol/client';
import { english } from '../../../src/base/phrase';
import { fixturePath, waitFor } from '../../servers/spawn';
import { raw } from '../../setup/raw';
import { fixture, hostile } from '../host/testHost';
import { ERAS, TestGateway } from './testGateway';

const said = (result: unknown) =>
  (result as CallToolResult).content.map(part => (part.type === 'text' ? part.text : ''));

describe('the gateway and trust', () => {
  let t: TestGateway;
  beforeEach(() => {
    t = new TestGateway();
  });
  afterEach(() => t.close());

  it("a call is logged as the gateway's, with the person's approval", async () => {
    await t.serve({ content: fixture('content') });
    const client = await t.connect('content', 'legacy');
    await client.callTool({ name: 'count' });
    const [event] = t.events;
    assert.ok(event?.type === 'call');
    const { server, tool, origin, decided, answer, outcome } = event;
    assert.deepEqual(
      [server, tool, origin, decided, answer, outcome],
      ['content', 'count', 'gateway', 'person', 'allow', 'ok'],
    );
  });

  /** The person refuses whatever they are asked about. @returns the calls, as they come. */
  function refusesAll(): unknown[] {
    const asked: unknown[] = [];
    t.answer = ({ tool, args }) => {
      asked.push([tool.name, args]);
      return undefined;
    };
    return asked;
  }

  it('the editor is not shown read-only hints, so it asks about every tool', async () => {
    const asked = refusesAll();
    await t.serve({ content: fixture('content') });
    const client = await t.connect('content', 'legacy');
    const { tools } = await client.listTools();
    const hints = tools.filter(({ name }) => name === 'erase' || name === 'count').map(tool => tool.annotations);
    assert.deepEqual(hints, [
      { openWorldHint: false },
      { title: 'Erase everything', readOnlyHint: false, destructiveHint: true, idempotentHint: true },
    ]);
    assert.notEqual((await client.callTool({ name: 'erase' })).isError, true);
    assert.notEqual((await client.callTool({ name: 'count', arguments: { a: 1 } })).isError, true);
    assert.deepEqual(asked, []);
  });

  it('a call that can send out what the chat has read is asked about here each time, whatever the editor asked @trust.call-send-chat', async () => {
    const reasons: string[] = [];
    t.answer = ({ because }) => {
      reasons.push(because ? english(because) : 'none');
      return { answer: 'allow', scope: 'user' };
    };
    await t.serve({ content: fixture('content') });
    const { launch } = t.test.server('content').definition;
    t.marks = { content: { launch, marks: ['private', 'untrusted', 'sends'] } };
    const client = await t.connect('content', 'legacy');
    await client.listTools();
    const count = (conversation?: string) =>
      client.callTool({ name: 'count', ...(conversation && { _meta: { 'vscode.conversationId': conversation } }) });
    await count('one');
    await count('two');
    assert.deepEqual(reasons, []);
    await count('one');
    await count('one');
    assert.equal(reasons.length, 2);
    assert.match(reasons[1]!, /private data \(from content\)/);
    t.answer = () => undefined;
    assert.equal((await count('one')).isError, true);
    assert.equal((await count()).isError, true, 'a call of no chat may be of any');
    assert.notEqual((await count('three')).isError, true);
  });

  it('a resource and a prompt that the editor gets count as read: by the chat that is named, else by any @trust.resource-prompt-editor', async () => {
    t.answer = () => undefined;
    await t.serve({ content: fixture('content') });
    const { launch } = t.test.server('content').definition;
    t.marks = { content: { launch, marks: ['private', 'untrusted', 'sends'] } };
    const client = await t.connect('content', 'legacy');
    await client.listTools();
    const count = () => client.callTool({ name: 'count', _meta: { 'vscode.conversationId': 'one' } });
    const [resource] = (await client.listResources()).resources;
    await client.readResource({ uri: resource!.uri, _meta: { 'vscode.conversationId': 'two' } });
    assert.notEqual((await count()).isError, true);
    const other = (conversation: string) =>
      client.callTool({ name: 'count', _meta: { 'vscode.conversationId': conversation } });
    assert.equal((await other('two')).isError, true);
    assert.notEqual((await other('three')).isError, true);
    await client.readResource({ uri: resource!.uri });
    assert.equal((await other('four')).isError, true);
  });

  for (const era of ERAS) {
    it(`a subscription that is denied, or could carry out what the chat has read, never reaches the server: ${era} @trust.subscription-denied-could`, async () => {
      const [uri, withData] = ['changing://notes/one.txt', 'changing://notes?data=private'];
      t.answer = () => undefined;
      await t.serve({ changing: { command: process.execPath, args: [fixturePath('changing'), `--${era}`] } });
      const { definition, subscriptions } = t.test.server('changing');
      const client = await t.connect('changing', era);
      const updates: string[] = [];
      client.setNotificationHandler('notifications/resources/updated', ({ params }) => void updates.push(params.uri));
      const subscribe = (wanted: string) =>
        era === 'modern'
          ? client.listen({ resourceSubscriptions: [wanted] })
          : assert.rejects(client.subscribeResource({ uri: wanted }), /it was denied/);
      const refused = () =>
        t.events.flatMap(event => (event.type === 'use' ? [[event.method, event.what, event.outcome]] : []));
      t.denied = ['changing/resources/subscribe'];
      await subscribe(uri);
      await waitFor(() => refused().length === 1, { what: 'the refusal' });
      t.denied = [];
      t.marks = { changing: { launch: definition.launch, marks: ['private', 'untrusted', 'sends'] } };
      await client.readResource({ uri });
      await subscribe(withData);
      await waitFor(() => refused().length === 3, { what: 'the second refusal' });
      assert.deepEqual(refused(), [
        ['resources/subscribe', uri, 'DENIED'],
        ['resources/read', uri, 'ok'],
        ['resources/subscribe', withData, 'DENIED'],
      ]);
      for (const one of [uri, withData]) assert.equal(subscriptions.state(one), undefined);
      // The person follows it, which is nothing to the client.
      raw(t.test.server('changing')).subscribe(uri);
      const followed: string[] = [];
      subscriptions.onDidUpdate(changed => followed.push(changed));
      await waitFor(() => followed.includes(uri), { what: 'what the person hears' });
      await client.readResource({ uri });
      assert.deepEqual(updates, []);
    });
  }

  it('a cursor that the server did not give is refused @trust.cursor-server-give', async () => {
    await t.serve({ paged: hostile('--page-size=1') });
    const client = await t.connect('paged', 'legacy');
    const list = (cursor?: string) => client.request({ method: 'resources/list', params: cursor ? { cursor } : {} });
    const { nextCursor } = await list();
    assert.ok(nextCursor);
    assert.notDeepEqual((await list(nextCursor)).resources, (await list()).resources);
    t.test.host.trace.limit({ messages: 100, size: 1e6 });
    await assert.rejects(list(`${nextCursor} and private data`), /Invalid cursor/);
    assert.ok(t.test.host.trace.records().every(({ text }) => !text.includes('private data')));
  });

  it('an allowed tool may show its read-only hint; once no longer allowed, it is asked about here @trust.allowed-tool-show', async () => {
    const asked = refusesAll();
    await t.serve({ content: fixture('content') });
    const client = await t.connect('content', 'legacy');
    t.skipReadOnly = true;
    const { tools } = await client.listTools();
    assert.equal(tools.find(({ name }) => name === 'count')?.annotations?.readOnlyHint, true);
    assert.notEqual((await client.callTool({ name: 'count' })).isError, true);
    t.skipReadOnly = false;
    const result = await client.callTool({ name: 'count', arguments: { a: 1 } });
    assert.equal(result.isError, true);
    assert.match(said(result).join(), /was not approved/);
    assert.deepEqual(asked, [['count', { a: 1 }]]);
  });

  it('a tool that a client knows as read-only, or not at all, is asked about here @trust.tool-client-knows', async () => {
    const asked: string[] = [];
    t.answer = ({ tool }) => {
      asked.push(tool.name);
      return { answer: 'allow' };
    };
    await t.serve({ content: fixture('content') });
    const client = await t.connect('content', 'legacy');
    await client.callTool({ name: 'erase' });
    assert.deepEqual(asked, ['erase']);
    t.skipReadOnly = true;
    await client.listTools();
    t.skipReadOnly = false;
    // As when the host has loaded the list again, and the editor has not.
    const tool = t.test.server('content').catalog.tools.find(({ name }) => name === 'count')!;
    tool.annotations = { ...tool.annotations, readOnlyHint: false };
    await client.callTool({ name: 'count' });
    assert.deepEqual(asked, ['erase', 'count']);
    // A call may have been on its way when the list was given.
    await client.listTools();
    await client.callTool({ name: 'count' });
    await client.callTool({ name: 'erase' });
    assert.deepEqual(asked, ['erase', 'count', 'count']);
  });

  it('a tool that has changed is asked about here, also where the editor has asked or remembers an answer @trust.tool-changed-asked', async () => {
    const asked: string[] = [];
    t.pinMode = 'warn';
    t.pinned = {
      known: ['tool'],
      pins: [{ kind: 'tool', name: 'erase', definition: { name: 'erase', description: 'As before' }, accepted: true }],
    };
    t.answer = ({ tool }) => {
      asked.push(tool.name);
      return { answer: 'allow', scope: 'user' };
    };
    await t.serve({ content: fixture('content') });
    const client = await t.connect('content', 'legacy');
    await client.listTools();
    for (let times = 0; times < 2; times++) assert.notEqual((await client.callTool({ name: 'erase' })).isError, true);
    assert.deepEqual(asked, ['erase', 'erase']);
    const server = t.test.server('content');
    for (const change of t.pins.changes(server)) await t.pins.accept(server, change);
    assert.notEqual((await client.callTool({ name: 'erase' })).isError, true);
    assert.deepEqual(asked, ['erase', 'erase']);
  });

  it('a tool of a server that a workspace puts in the place of one of the person is asked about here, once @trust.tool-server-workspace', async () => {
    const asked: string[] = [];
    t.answer = ({ tool }) => {
      asked.push(tool.name);
      return undefined;
    };
    await t.serve({ content: fixture('content') });
    const client = await t.connect('content', 'legacy');
    await client.listTools();
    assert.notEqual((await client.callTool({ name: 'erase' })).isError, true);
    t.asker = 'host';
    assert.equal((await client.callTool({ name: 'erase' })).isError, true);
    // So that the editor does not ask, too.
    const { tools } = await client.listTools();
    assert.ok(tools.every(({ annotations }) => annotations?.readOnlyHint));
    assert.equal((await client.callTool({ name: 'erase' })).isError, true);
    assert.deepEqual(asked, ['erase', 'erase']);
  });

  it('a tool that the editor had as read-only in an earlier window is asked about here: it may go by that list @trust.reader-earlier-window', async () => {
    const asked: string[] = [];
    t.answer = ({ tool }) => {
      asked.push(tool.name);
      return undefined;
    };
    t.readers.set('content', ['erase']);
    await t.serve({ content: fixture('content') });
    const client = await t.connect('content', 'legacy');
    await client.listTools();
    assert.equal((await client.callTool({ name: 'erase' })).isError, true);
    assert.deepEqual(asked, ['erase']);
    assert.deepEqual(t.readers.get('content'), []);
    t.asker = 'host';
    const { tools } = await client.listTools();
    assert.deepEqual(
      t.readers.get('content'),
      tools.map(({ name }) => name),
    );
  });

  it('a resource or template that has changed is not listed and not read until the change is accepted @trust.resource-template-changed', async () => {
    await t.serve({ hostile: hostile() });
    const client = await t.connect('hostile', 'legacy');
    const uris = async () => (await client.listResources()).resources.map(({ uri }) => uri);
    const [uri] = await uris();
    assert.ok(uri);
    const server = t.test.server('hostile');
    const accepted = { uri, name: 'as it was', description: 'Harmless' };
    await t.pins.accept(server, { kind: 'resource', name: uri, now: accepted, hash: 'of that' });
    assert.ok(!(await uris()).includes(uri));
    await assert.rejects(client.readResource({ uri }), /could not read .*: it has changed since it was accepted/);
    assert.deepEqual(
      t.refused.map(({ why }) => why),
      ['blocked'],
    );
    const [change] = t.pins.changes(server);
    assert.deepEqual([change?.kind, change?.name, change?.before], ['resource', uri, accepted]);
    await t.pins.accept(server, change!);
    assert.ok((await uris()).includes(uri));
    await client.readResource({ uri });
    const { resourceTemplates } = await client.listResourceTemplates();
    for (const template of resourceTemplates) {
      const name = template.uriTemplate;
      await t.pins.accept(server, { kind: 'resourceTemplate', name, now: { name }, hash: 'of that' });
    }
    assert.deepEqual((await client.listResourceTemplates()).resourceTemplates, []);
  });

  it('a tool on the deny list is not called, and the model gets the remedy', async () => {
    t.denied = ['content/count'];
    await t.serve({ content: fixture('content') });
    const client = await t.connect('content', 'legacy');
    const result = await client.callTool({ name: 'count' });
    assert.equal(result.isError, true);
    assert.match(said(result).join(), /"content" is denied by your approvals.*Manage Trust/);
    assert.deepEqual(
      t.refused.map(({ server, why }) => [server.id, why]),
      [['content', 'denied']],
    );
  });

  it('a tool that has changed is not listed and not called until the change is accepted, and then it is', async () => {
    const before = { name: 'count', description: 'As it was accepted' };
    t.pinned = { known: ['tool'], pins: [{ kind: 'tool', name: 'count', definition: before, accepted: true }] };
    await t.serve({ content: fixture('content') });
    let changed = 0;
    const client = await t.connect('content', 'legacy', {
      listChanged: { tools: { autoRefresh: false, debounceMs: 0, onChanged: () => void changed++ } },
    });
    const names = async () => (await client.listTools()).tools.map(({ name }) => name);
    assert.ok(!(await names()).includes('count'));
    const result = await client.callTool({ name: 'count' });
    assert.equal(result.isError, true);
    assert.match(said(result).join(), /is blocked because it has changed since it was accepted/);
    assert.deepEqual(
      t.refused.map(({ why }) => why),
      ['blocked'],
    );

    const server = t.test.server('content');
    const told = changed;
    for (const change of t.pins.changes(server)) await t.pins.accept(server, change);
    await waitFor(() => changed > told, { what: 'the list to be announced' });
    assert.ok((await names()).includes('count'));
    assert.notEqual((await client.callTool({ name: 'count' })).isError, true);
  });

  it('instructions that have changed are not passed on', async () => {
    t.pinned = {
      known: ['instructions'],
      pins: [{ kind: 'instructions', name: '', definition: { instructions: 'Be kind.' }, accepted: true }],
    };
    await t.serve({ hostile: hostile() });
    const client = await t.connect('hostile', 'legacy');
    assert.equal(client.getInstructions(), undefined);
  });

  for (const era of ERAS) {
    it(`native chat gets lists, results, errors, progress and instructions with hidden characters visible (${era} era) @trust.native-chat-gets`, async () => {
      await t.serve({ mine: hostile('--tricks') });
      const client = await t.connect('mine', era);
      const { tools } = await client.listTools();
      const given: unknown[] = [tools, (await client.listPrompts()).prompts, (await client.listResources()).resources];
      given.push(client.getInstructions(), client.getServerVersion());
      const name = 'mcp_search_tools';
      given.push(await client.callTool({ name }, { onprogress: progress => given.push(progress) }));
      given.push(await client.getPrompt({ name: 'tricky' }));
      given.push(await client.readResource({ uri: 'hostile://tricks/file.txt' }));
      await assert.rejects(client.callTool({ name: 'none\u{e0041}' }), (error: Error) => given.push(error.message) > 0);
      const text = JSON.stringify(given);
      assert.match(text, /⟨U\+E006F⟩⟨U\+E0062⟩/);
      assert.doesNotMatch(text.replace(/\p{RGI_Emoji}/gv, ''), /\p{Default_Ignorable_Code_Point}|\p{Cf}/u);
    });

    it(`a call by the names and values that were shown reaches the tool with its own (${era} era) @trust.call-names-values`, async () => {
      await t.serve({ mine: hostile('--tricks') });
      const client = await t.connect('mine', era);
      const { tools } = await client.listTools();
      const tool = tools.find(({ name }) => name.startsWith('pi')) ?? assert.fail('no tool');
      const [[key, property] = assert.fail('no property')] = Object.entries(tool.inputSchema.properties ?? {});
      const values = (property as { enum: string[] }).enum;
      assert.deepEqual([tool.name, key, values], ['pi⟨U+200B⟩ck', 'wh⟨U+2065⟩at', ['o⟨U+FE0F⟩ne', '👨‍👩‍👧']]);
      for (const value of ['o\ufe0fne', '👨‍👩‍👧']) {
        const shown = value === values[1] ? value : values[0];
        const result = await client.callTool({ name: tool.name, arguments: { [key]: shown } });
        assert.deepEqual(JSON.parse(said(result).join('')), ['wh\u2065at', value].map(encodeURIComponent));
      }
      const calls = t.events.filter(event => event.type === 'call');
      assert.deepEqual(
        calls.map(({ tool }) => tool),
        ['pi\u200bck', 'pi\u200bck'],
      );
    });
  }
});
