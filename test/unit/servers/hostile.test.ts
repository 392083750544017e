import assert from 'node:assert/strict';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { Conversation } from '../../servers/conversation';
import type { JsonObject } from '../../servers/raw/messages';
import { fixturePath, processIsAlive, startHttpServer, waitFor } from '../../servers/spawn';

describe('the hostile fixture', () => {
  const open: { stop(): Promise<void> }[] = [];
  const start = (...flags: string[]) => {
    const conversation = Conversation.start('hostile', ...flags);
    open.push(conversation);
    return conversation;
  };
  afterEach(async () => {
    await Promise.all(open.splice(0).map(one => one.stop()));
  });

  describe('without flags', () => {
    const client = new Client({ name: 'test', version: '1.0.0' }, { versionNegotiation: { mode: 'auto' } });
    before(() =>
      client.connect(
        new StdioClientTransport({ command: process.execPath, args: [fixturePath('hostile')], stderr: 'ignore' }),
      ),
    );
    after(() => client.close());

    it('connects in the legacy era and identifies itself', () => {
      assert.equal(client.getProtocolEra(), 'legacy');
      assert.equal(client.getNegotiatedProtocolVersion(), '2025-11-25');
      assert.deepEqual(client.getServerVersion(), { name: 'hostile', title: 'Hostile fixture', version: '1.0.0' });
    });

    it('offers a little of everything', async () => {
      assert.deepEqual(
        (await client.listTools()).tools.map(t => t.name),
        ['echo', 'wait', 'log'],
      );
      assert.equal((await client.listPrompts()).prompts.length, 2);
      assert.equal((await client.listResources()).resources.length, 2);
      assert.equal((await client.listResourceTemplates()).resourceTemplates.length, 1);
    });

    it('answers tools, prompts, resources, templates, completions, levels and pings', async () => {
      const echoed = await client.callTool({ name: 'echo', arguments: { text: 'hé' } });
      assert.deepEqual(echoed.content, [{ type: 'text', text: 'hé' }]);
      const greeting = await client.getPrompt({ name: 'greet', arguments: { name: 'Ada' } });
      assert.deepEqual(greeting.messages[0]?.content, { type: 'text', text: 'Greet Ada in English' });
      const { contents } = await client.readResource({ uri: 'hostile://items/a%20b' });
      assert.deepEqual(contents, [{ uri: 'hostile://items/a%20b', mimeType: 'text/plain', text: 'Item a b' }]);
      const ref = { type: 'ref/prompt' as const, name: 'greet' };
      const { completion } = await client.complete({ ref, argument: { name: 'name', value: 'A' } });
      assert.deepEqual(completion.values, ['Ada', 'Alan']);
      await client.setLoggingLevel('warning');
      await client.ping();
    });
  });

  it('answers unknown methods, bad JSON, unknown tools and unknown resources with the codes of the specification', async () => {
    const conversation = start();
    assert.equal((await conversation.request('server/discover')).error?.code, -32601);
    assert.equal((await conversation.request('constructor')).error?.code, -32601);
    assert.equal((await conversation.request('tools/call', { name: 'none' })).error?.code, -32602);
    const missing = await conversation.request('resources/read', { uri: 'hostile://none' });
    assert.deepEqual(missing.error, { code: -32002, message: 'Resource not found', data: { uri: 'hostile://none' } });
    conversation.sendText('{nonsense');
    const bad = await waitFor(() => conversation.messages.find(m => m.id === null), { what: 'the parse error' });
    assert.equal(bad.error?.code, -32700);
  });

  it('reports progress on request', async () => {
    const conversation = start();
    const call = { name: 'wait', arguments: { ms: 3, steps: 3 } };
    await conversation.request('tools/call', call);
    assert.deepEqual(conversation.notifications('notifications/progress'), []);
    await conversation.request('tools/call', { ...call, _meta: { progressToken: 'p' } });
    const seen = conversation.notifications('notifications/progress');
    assert.deepEqual(
      seen.map(p => [p.progressToken, p.progress, p.total]),
      [1, 2, 3].map(step => ['p', step, 3]),
    );
  });

  it('leaves a cancelled call unanswered, but answers the next', async () => {
    const conversation = start();
    const id = conversation.send('tools/call', { name: 'wait', arguments: { ms: 60_000 } });
    conversation.notify('notifications/cancelled', { requestId: id });
    await conversation.request('ping');
    assert.ok(!conversation.messages.some(m => m.id === id));
  });

  it('exits with 0 when its stdin ends', async () => {
    const { fixture } = start();
    fixture.child.stdin?.end();
    assert.equal(await fixture.exited, 0);
  });

  it('names an unknown flag and lists the known ones', async () => {
    const { fixture } = start('--nonsense');
    assert.equal(await fixture.exited, 64);
    const named = /Unknown flag --nonsense[\s\S]*--hang-at=<method>/;
    await waitFor(() => named.test(fixture.stderr.join('\n')), { what: () => `its words: ${fixture.stderr.join()}` });
  });

  it('--exit-at-start exits with the code after three lines on stderr', async () => {
    const { fixture } = start('--exit-at-start=7');
    assert.equal(await fixture.exited, 7);
    await waitFor(() => fixture.stderr.length === 3, { what: 'three lines' });
    assert.equal(fixture.stderr[1], 'Error: missing API_KEY');
  });

  it('--garbage surrounds the messages with noise', async () => {
    const conversation = start('--garbage');
    await conversation.initialize();
    await conversation.request('ping');
    const { stdout } = conversation.fixture;
    assert.equal(stdout[0], 'Hello from a chatty server!');
    assert.equal(stdout.length - conversation.messages.length, 8, 'six at the start, one before each answer');
  });

  it('--garbage-only answers every message with noise', async () => {
    const conversation = start('--garbage-only');
    conversation.send('initialize');
    await waitFor(() => conversation.fixture.stdout.length === 7, { what: 'six lines and one more' });
    assert.deepEqual(conversation.messages, []);
  });

  it('--silent accepts messages and answers nothing', async () => {
    const conversation = start('--silent');
    conversation.send('initialize');
    conversation.fixture.child.stdin?.end();
    assert.equal(await conversation.fixture.exited, 0);
    assert.deepEqual(conversation.fixture.stdout, []);
  });

  it('--die-on-probe dies of server/discover before initialize only', async () => {
    const probed = start('--die-on-probe');
    probed.send('server/discover');
    assert.equal(await probed.fixture.exited, 1);
    const other = start('--die-on-probe');
    await other.initialize();
    assert.equal((await other.request('server/discover')).error?.code, -32601);
  });

  it('--hang-at, --error-at and --die-at fault one method each, together', async () => {
    const conversation = start('--hang-at=tools/list', '--error-at=prompts/list', '--die-at=resources/list');
    const hanging = conversation.send('tools/list');
    assert.equal((await conversation.request('prompts/list')).error?.code, -32603);
    assert.ok(!conversation.messages.some(m => m.id === hanging));
    conversation.send('resources/list');
    assert.equal(await conversation.fixture.exited, 1);
    await waitFor(() => conversation.fixture.stderr.length >= 2, { what: 'its last words' });
    assert.deepEqual(conversation.fixture.stderr, [
      'hostile: hanging at tools/list',
      'hostile: dying at resources/list',
    ]);
  });

  it('--half-lines cuts messages, and characters, into pieces of 7 bytes', async () => {
    const conversation = start('--half-lines');
    const sizes: number[] = [];
    conversation.fixture.child.stdout?.on('data', (chunk: Buffer) => sizes.push(chunk.length));
    const { result } = await conversation.request('tools/list');
    assert.match(JSON.stringify(result), /naïvely 🗣/);
    assert.ok(sizes.length > 10, `${sizes.length} pieces`);
  });

  it('--slow-start answers late and --stderr writes its lines', async () => {
    const startedAt = performance.now();
    const conversation = start('--slow-start=300', '--stderr=20');
    await conversation.initialize();
    assert.ok(performance.now() - startedAt >= 300);
    await waitFor(() => conversation.fixture.stderr.at(-1) === 'stderr line 20', { what: 'the last line' });
  });

  it('--ignore-sigterm and --ignore-stdin-end leave only SIGKILL', async function () {
    if (process.platform === 'win32') this.skip(); // it has no signals: the first one ends the process
    const conversation = start('--ignore-sigterm', '--ignore-stdin-end');
    await conversation.request('ping');
    const { fixture } = conversation;
    fixture.child.kill('SIGTERM');
    await waitFor(() => fixture.stderr.includes('hostile: ignoring SIGTERM'), { what: 'the signal to be ignored' });
    const id = conversation.send('ping');
    fixture.child.stdin?.end();
    await conversation.answerTo(id);
    assert.ok(processIsAlive(fixture.pid));
    fixture.child.kill('SIGKILL');
    assert.equal(await fixture.exited, 'SIGKILL');
  });

  it('--grandchild leaves a process that holds stdout open, unless the system ends it', async () => {
    const { fixture } = start('--grandchild');
    const line = await waitFor(() => fixture.stderr.find(l => /^grandchild \d+$/.test(l)), { what: 'its pid' });
    const pid = Number(line.split(' ')[1]);
    let isClosed = false;
    fixture.child.stdout?.on('close', () => {
      isClosed = true;
    });
    fixture.child.stdin?.end();
    assert.equal(await fixture.exited, 0);
    if (process.platform !== 'win32') {
      assert.ok(processIsAlive(pid));
      assert.equal(isClosed, false);
      process.kill(pid, 'SIGKILL');
    }
    await waitFor(() => isClosed && !processIsAlive(pid), { what: 'the grandchild to end' });
  });

  it('--tools and --resources set the numbers, --page-size the page size', async () => {
    const conversation = start('--tools=5', '--resources=1', '--page-size=2');
    const names: unknown[] = [];
    let cursor: string | undefined;
    let pages = 0;
    do {
      const result = (await conversation.request('tools/list', cursor ? { cursor } : {})).result as JsonObject;
      names.push(...(result.tools as JsonObject[]).map(t => t.name));
      cursor = result.nextCursor as string | undefined;
      pages++;
    } while (cursor);
    assert.deepEqual(names, ['echo', 'wait', 'log', 'tool-4', 'tool-5']);
    assert.equal(pages, 3);
    const { resources } = (await conversation.request('resources/list')).result as { resources: JsonObject[] };
    assert.equal(resources.length, 1);
    assert.equal((await conversation.request('tools/list', { cursor: 'bad' })).error?.code, -32602);
  });

  it('--list-changed-storm sends n of each kind after changing the lists', async () => {
    const conversation = start('--list-changed-storm=50');
    await conversation.initialize();
    const { result } = await conversation.request('tools/list');
    for (const kind of ['tools', 'prompts', 'resources']) {
      assert.equal(conversation.notifications(`notifications/${kind}/list_changed`).length, 50);
    }
    assert.match(JSON.stringify(result), /after-storm/);
  });

  it('--log-flood sends n messages, those below the level left out', async () => {
    const conversation = start('--log-flood=100');
    await conversation.request('logging/setLevel', { level: 'error' });
    await conversation.initialize();
    await conversation.request('ping');
    assert.equal(conversation.notifications('notifications/message').length, 20);
  });

  it('--old-protocol answers with that version in any case', async () => {
    const { result } = await start('--old-protocol=1999-01-01').initialize();
    assert.equal((result as JsonObject).protocolVersion, '1999-01-01');
    const modest = await start().initialize({}, '2025-03-26');
    assert.equal((modest.result as JsonObject).protocolVersion, '2025-03-26');
  });

  it('--roots requests the roots, again when they change, and logs them', async () => {
    const conversation = start('--roots');
    const answer = async (n: number, roots: JsonObject[]) => {
      const asked = await waitFor(() => conversation.messages.filter(m => m.method === 'roots/list')[n], {
        what: 'roots/list',
      });
      conversation.sendText(JSON.stringify({ jsonrpc: '2.0', id: asked.id, result: { roots } }));
      return waitFor(() => conversation.notifications('notifications/message')[n], { what: 'the log' });
    };
    await conversation.initialize({ roots: { listChanged: true } });
    const roots = [{ uri: 'file:///a', name: 'a' }];
    assert.deepEqual(await answer(0, roots), { level: 'info', logger: 'roots', data: { roots } });
    conversation.notify('notifications/roots/list_changed');
    assert.deepEqual((await answer(1, [])).data, { roots: [] });
  });

  it('--http serves the same over Streamable HTTP, with its faults', async () => {
    const server = await startHttpServer('hostile', ['--http', '--error-at=prompts/list', '--half-lines']);
    open.push(server);
    const { StreamableHTTPClientTransport } = await import('@modelcontextprotocol/client');
    const client = new Client({ name: 'test', version: '1.0.0' });
    await client.connect(new StreamableHTTPClientTransport(new URL(server.url('/mcp'))));
    assert.equal((await client.listTools()).tools.length, 3);
    await assert.rejects(client.listPrompts(), { code: -32603 });
    await client.close();
  });
});
