import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import * as fs from 'node:fs';
import { createInterface } from 'node:readline';
import type { CallToolResult } from '@modelcontextprotocol/client';
import { chatCardIn } from '../../../../../src/features/agents/core';
import { canProve } from '../../../../../src/features/agents/core/agentIdentity';
import { fixturePath, waitFor } from '../../../../servers/spawn';
import { fixture, hostile } from '../../../host/testHost';
import { ChatsHome, type TestChats } from './testChats';

const said = (result: unknown) =>
  (result as CallToolResult).content.map(part => (part.type === 'text' ? part.text : `[${part.type}]`)).join('|');

const INITIALIZE = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'copilot-cli', version: '1' } },
};

describe('chats in a process of their own', function () {
  this.timeout(60_000);
  let home: ChatsHome;
  beforeEach(() => {
    home = new ChatsHome();
  });
  afterEach(() => home.close());

  const nameOf = async (client: Awaited<ReturnType<ChatsHome['chat']>>) =>
    (await client.listTools()).tools.map(({ name }) => name);
  const calls = (window: TestChats) =>
    window.events.flatMap(event => (event.type === 'call' ? [[event.tool, event.origin, event.answer]] : []));

  it('get one server each, under its own names, and the server counts the call as one of native chat', async () => {
    const window = await home.chats({ one: hostile(), two: hostile() });
    const client = await home.chat('one');
    assert.equal(client.getServerVersion()?.name, 'one');
    assert.ok((await nameOf(client)).includes('echo'));
    assert.equal(said(await client.callTool({ name: 'echo', arguments: { text: 'x' } })), 'x');
    assert.deepEqual(
      calls(window).map(([tool, origin]) => [tool, origin]),
      [['echo', 'gateway']],
    );
  });

  it('never use another window, and are answered while theirs is closed', async () => {
    await home.window([home.folder]).share({ other: hostile() });
    await home.chats({ other: hostile() }, 'w2');
    const bridge = home.start(home.folder, ['--server', 'one', '--card', chatCardIn(home.folder, 'w1')]);
    const answer = async (id: number) => {
      await waitFor(() => bridge.out.some(line => JSON.parse(line).id === id), { what: `the answer to ${id}` });
      return bridge.out.map(line => JSON.parse(line)).find(message => message.id === id);
    };
    bridge.say({ jsonrpc: '2.0', id: 0, method: 'server/discover', params: {} });
    assert.equal((await answer(0)).error.code, -32601);
    bridge.say(INITIALIZE);
    assert.equal((await answer(1)).result.serverInfo.name, 'one');
    bridge.say({ jsonrpc: '2.0', method: 'notifications/initialized' });
    bridge.say({ jsonrpc: '2.0', id: 2, method: 'tools/list' });
    assert.deepEqual((await answer(2)).result, { tools: [] });
    bridge.say({ jsonrpc: '2.0', id: 3, method: 'tools/call', params: { name: 'echo', arguments: {} } });
    assert.match((await answer(3)).error.message, /The window is closed\. Open it again/);
    await home.chats({ one: hostile() });
    await waitFor(() => bridge.out.some(line => line.includes('tools/list_changed')), { what: 'the window' });
    bridge.say({ jsonrpc: '2.0', id: 4, method: 'tools/list' });
    assert.match(JSON.stringify(await answer(4)), /"echo"/);
    bridge.child.stdin.end();
    assert.equal(await bridge.exited, 0);
  });

  it('go on in the same process when the window is reloaded, with the tools that they had meanwhile', async () => {
    const before = await home.chats({ one: hostile('--hang-at=tools/call') });
    const client = await home.chat('one');
    const names = await nameOf(client);
    const cut = assert.rejects(
      client.callTool({ name: 'echo', arguments: { text: '1' } }),
      /closed before it answered\. The tool may have been carried out/,
    );
    await waitFor(() => before.running('one').length === 1, { what: 'the call' });
    await before.close();
    await cut;
    assert.deepEqual(await nameOf(client), names);
    assert.equal(fs.existsSync(chatCardIn(home.folder, 'w1')), false);
    const call = client.callTool({ name: 'echo', arguments: { text: '2' } });
    await home.chats({ one: hostile() });
    assert.equal(said(await call), '2');
  });

  it('are not asked about tools by their own hints: every tool reads, and MCP Host asks, with the arguments @chatDoor.asked-tools-hints', async () => {
    const window = await home.chats({ apps: fixture('apps') });
    const client = await home.chat('apps');
    const { tools } = await client.listTools();
    for (const { annotations } of tools)
      assert.deepEqual(
        [annotations?.readOnlyHint, annotations?.destructiveHint, annotations?.openWorldHint],
        [true, false, false],
      );
    const asked: unknown[] = [];
    window.ask = async ({ tool, args }) => {
      asked.push([tool.name, args]);
      return { answer: 'deny' };
    };
    for (const name of ['say', 'erase']) {
      const result = await client.callTool({ name, arguments: { text: name } });
      assert.equal((result as CallToolResult).isError, true);
    }
    assert.deepEqual(asked, [
      ['say', { text: 'say' }],
      ['erase', { text: 'erase' }],
    ]);
    assert.deepEqual(
      calls(window).map(([tool, , outcome]) => [tool, outcome]),
      [
        ['say', 'deny'],
        ['erase', 'deny'],
      ],
    );
  });

  it('get no tools for apps alone; a call of one, which may be an app’s, is asked about @chatDoor.get-tools-apps', async () => {
    const window = await home.chats({ apps: fixture('apps') });
    const asked: string[] = [];
    window.ask = async ({ tool }) => {
      asked.push(tool.name);
      return { answer: 'deny' };
    };
    const plain = await home.chat('apps');
    await assert.rejects(plain.callTool({ name: 'refresh', arguments: {} }), /Unknown tool: refresh/);
    const drawing = await home.chat('apps', { drawsApps: true });
    assert.ok(!(await nameOf(drawing)).includes('refresh'));
    await drawing.callTool({ name: 'refresh', arguments: {} });
    assert.deepEqual(asked, ['refresh']);
  });

  it('are refused what is not in the profile, without a question @chatDoor.refused-profile-question', async () => {
    const window = await home.chats({ apps: fixture('apps') });
    window.offers = name => name === 'say';
    window.ask = () => assert.fail('asked');
    const client = await home.chat('apps', { drawsApps: true });
    assert.deepEqual(await nameOf(client), ['say']);
    assert.match(said(await client.callTool({ name: 'erase', arguments: {} })), /not in the profile/);
  });

  it('have no tools of a server that is not there yet, and are told when it is', async () => {
    const window = await home.chats({ one: hostile() });
    let changes = 0;
    const client = await home.chat('two', {
      listChanged: { tools: { autoRefresh: false, debounceMs: 0, onChanged: () => void changes++ } },
    });
    assert.deepEqual(await nameOf(client), []);
    await assert.rejects(
      client.callTool({ name: 'echo', arguments: {} }),
      /"two" is not in the settings of this window/,
    );
    window.test.configure({ one: hostile(), two: hostile() });
    await waitFor(() => changes > 0, { what: 'the server' });
    await window.test.loads('two');
    assert.ok((await nameOf(client)).includes('echo'));
  });

  it('cancel what they have called, also while the person is asked', async () => {
    const window = await home.chats({ one: hostile('--hang-at=tools/call') });
    const client = await home.chat('one');
    const controller = new AbortController();
    const call = client.callTool({ name: 'echo', arguments: { text: '' } }, { signal: controller.signal });
    await waitFor(() => window.running('one').length === 1, { what: 'the call' });
    controller.abort();
    await assert.rejects(call);
    await waitFor(() => window.running('one').length === 0, { what: 'the call to be cancelled' });
    let until: AbortSignal | undefined;
    window.ask = question => {
      until = question.until;
      return new Promise(() => {});
    };
    const other = new AbortController();
    const asked = client.callTool({ name: 'echo', arguments: { text: '' } }, { signal: other.signal });
    await waitFor(() => until !== undefined, { what: 'the question' });
    other.abort();
    await assert.rejects(asked);
    await waitFor(() => until?.aborted === true, { what: 'the question to end' });
  });

  it('are asked about once where the process is not one of the editor; until then they have no tools @chatDoor.asked-once-process', async () => {
    const window = await home.chats({ one: hostile() });
    let allow: (answer: 'allowed') => void = () => {};
    window.admit = () => new Promise(resolve => (allow = resolve));
    let changes = 0;
    const client = await home.chat('one', {
      listChanged: { tools: { autoRefresh: false, debounceMs: 0, onChanged: () => void changes++ } },
    });
    assert.deepEqual(await nameOf(client), []);
    assert.equal(window.asked, 1);
    allow('allowed');
    await waitFor(() => changes > 0, { what: 'the tools' });
    assert.ok((await nameOf(client)).includes('echo'));
    assert.equal(window.asked, 1);
  });

  it('are not asked about below the agent host of the same editor @chatDoor.asked-below-agent', async function () {
    if (!canProve) this.skip();
    const child = spawn(
      process.execPath,
      [fixturePath('chatWindow'), home.folder, JSON.stringify({ one: hostile() })],
      {
        stdio: ['ignore', 'pipe', 'inherit'],
      },
    );
    const exited = once(child, 'exit');
    home.own({
      close: async () => {
        child.kill('SIGKILL');
        await exited;
      },
    });
    const lines = createInterface(child.stdout);
    await once(lines, 'line');
    const through = (type: string) =>
      home.chat('one', {
        started: [
          ...[process.execPath, fixturePath('passOn'), `--type=${type}`],
          ...[process.execPath, home.bridge, '--server', 'one', '--card', chatCardIn(home.folder, 'w1')],
        ],
      });
    const proved = await through('agentHost');
    assert.ok((await nameOf(proved)).includes('echo'));
    const terminal = await through('ptyHost');
    await assert.rejects(terminal.listTools(), /does not allow "copilot-cli"/);
  });
});
