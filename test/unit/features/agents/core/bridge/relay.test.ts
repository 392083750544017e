import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import * as fs from 'node:fs';
import { createServer } from 'node:net';
import * as path from 'node:path';
import { createInterface } from 'node:readline';
import type { CallToolResult } from '@modelcontextprotocol/client';
import { readCards } from '../../../../../../src/features/agents/core/bridge/windowCards';
import { npmServerPath } from '../../../../../servers/npm';
import { fixturePath, processIsAlive, waitFor } from '../../../../../servers/spawn';
import { hostile } from '../../../../host/testHost';
import { AgentsHome } from '../testAgents';

const said = (result: unknown) =>
  (result as CallToolResult).content.map(part => (part.type === 'text' ? part.text : '')).join();

/** A window in a process of its own. */
async function ownWindow(home: AgentsHome, folder: string, servers: Record<string, unknown>): Promise<OwnWindow> {
  const child = spawn(process.execPath, [fixturePath('agentWindow'), home.folder, folder, JSON.stringify(servers)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = once(child, 'exit');
  home.own({
    close: async () => {
      child.kill('SIGKILL');
      await exited;
    },
  });
  const [line] = (await once(createInterface(child.stdout!), 'line')) as [string];
  return { child, exited, pids: JSON.parse(line).pids };
}

interface OwnWindow {
  readonly child: ChildProcess;
  readonly exited: Promise<unknown>;
  readonly pids: Readonly<Record<string, number>>;
}

const INITIALIZE = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'agent', version: '1' } },
};

describe('the bridge', function () {
  this.timeout(60_000);
  let home: AgentsHome;
  beforeEach(() => {
    home = new AgentsHome();
  });
  afterEach(() => home.close());

  it('connects to the window of the folder, the innermost first; else to the one used last', async () => {
    const [outer, inner, other] = [home.workspace('a'), home.workspace('a/b'), home.workspace('c')];
    const windows = { outer: [outer], inner: [inner], other: [other] };
    for (const [name, folders] of Object.entries(windows)) {
      const window = home.window(folders);
      await window.share({ [name]: hostile() });
      if (name === 'outer') await waitFor(() => home.cards.length === 1, { what: 'its card' });
    }
    const serverAt = async (folder: string) => {
      const { tools } = await (await home.connect(folder)).listTools();
      return tools.find(({ name }) => name.endsWith('__echo'))?.name;
    };
    assert.equal(await serverAt(outer), 'outer__echo');
    assert.equal(await serverAt(path.join(inner)), 'inner__echo');
    assert.equal(await serverAt(home.workspace('a/other')), 'outer__echo');
    assert.equal(await serverAt(home.workspace('a/b/c')), 'inner__echo');
    // The name of a folder is not the beginning of another.
    assert.equal(await serverAt(home.workspace('ab')), 'other__echo');
  });

  it('answers the handshake and names the remedy when no window shares anything, and finds one that opens later', async () => {
    const bridge = home.start();
    const answer = async (id: number) => {
      await waitFor(() => bridge.out.some(line => JSON.parse(line).id === id), { what: `the answer to ${id}` });
      return bridge.out.map(line => JSON.parse(line)).find(message => message.id === id);
    };
    const remedy = /No window of the editor shares its MCP servers\. .*Share Servers with Agents/;
    bridge.say(INITIALIZE);
    const { result } = await answer(1);
    assert.equal(result.protocolVersion, '2025-11-25');
    assert.match(result.instructions, remedy);
    bridge.say({ jsonrpc: '2.0', method: 'notifications/initialized' });
    bridge.say({ jsonrpc: '2.0', id: 2, method: 'tools/list' });
    assert.match((await answer(2)).error.message, remedy);
    assert.match(bridge.err.join('\n'), remedy);
    await home.window([home.folder]).share({ one: hostile() });
    await waitFor(() => bridge.out.some(line => line.includes('notifications/tools/list_changed')), {
      what: 'the window to be found',
    });
    bridge.say({ jsonrpc: '2.0', id: 3, method: 'tools/list' });
    assert.match(JSON.stringify((await answer(3)).result), /one__echo/);
    bridge.child.stdin.end();
    assert.equal(await bridge.exited, 0);
  });

  it('continues with another window when one is killed during a call; no server outlives a window @relay.continues-window-killed', async () => {
    const folder = home.workspace('a');
    const everything = { command: process.execPath, args: [npmServerPath('everything'), 'stdio'] };
    const first = await ownWindow(home, folder, { one: everything });
    await home.window().share({ one: hostile() });
    let changes = 0;
    let failed: Promise<void> | undefined;
    const client = await home.connect(folder, {
      listChanged: { tools: { autoRefresh: false, debounceMs: 0, onChanged: () => void changes++ } },
    });
    const name = 'one__trigger-long-running-operation';
    const running = new Promise<void>(resolve => {
      const call = client.callTool({ name, arguments: { duration: 60, steps: 60 } }, { onprogress: () => resolve() });
      failed = assert.rejects(call, /closed before it answered\. The tool may have been carried out/);
    });
    await client.listTools();
    await running;
    first.child.kill('SIGKILL');
    await failed;
    await waitFor(() => changes > 0, { what: 'the other window' });
    assert.match(said(await client.callTool({ name: 'one__echo', arguments: { text: '1' } })), /\d/);
    await waitFor(() => !processIsAlive(first.pids.one!), { what: 'the server of the first to end' });
    // Whoever reads cards removes those of windows that are gone.
    await waitFor(() => readCards(home.folder).length === 1 && home.cards.length === 1, {
      what: 'its card to be removed',
    });
  });

  it('is answered by the window that comes back, as after a reload @relay.answered-window-comes', async () => {
    const folder = home.workspace('a');
    const before = home.window([folder]);
    await before.share({ one: hostile() });
    const client = await home.connect(folder);
    const asked = new Promise<void>(resolve => {
      before.ask = () => {
        resolve();
        return new Promise(() => {});
      };
    });
    // A call that the window's end fails says that the bridge has noticed it: what it still sends there is lost.
    const cut = assert.rejects(
      client.callTool({ name: 'one__echo', arguments: { text: '1' } }),
      /closed before it answered/,
    );
    await asked;
    await before.close();
    await cut;
    assert.deepEqual(home.cards, []);
    const call = client.callTool({ name: 'one__echo', arguments: { text: '1' } });
    await home.window([folder]).share({ one: hostile() });
    assert.match(said(await call), /\d/);
  });

  it('answers the handshake in place of a window that is busy, whose own answer is not passed on', async () => {
    const card = path.join(home.folder, 'card.json');
    const address = path.join(home.workspace('socket'), 's');
    fs.chmodSync(path.dirname(address), 0o700);
    const got: { id?: unknown; method?: string }[] = [];
    const window = createServer(socket => {
      createInterface({ input: socket }).on('line', line => {
        const message = JSON.parse(line);
        if (message.secret) return void socket.write('{"ok":true}\n');
        got.push(message);
        if (message.method === 'ping') socket.write(`{"jsonrpc":"2.0","id":1,"result":{"late":true}}\n`);
        if (message.method === 'ping') socket.write(`{"jsonrpc":"2.0","id":${message.id},"result":{}}\n`);
      });
    }).listen(address);
    await once(window, 'listening');
    home.own({ close: async () => window.close() });
    fs.writeFileSync(
      card,
      JSON.stringify({ bridge: 1, pid: process.pid, address, secret: 's', folders: [], usedAt: 0 }),
      { mode: 0o600 },
    );
    const bridge = home.start(home.folder, ['--server', 'one', '--card', card]);
    const message = (id: unknown) => bridge.out.map(line => JSON.parse(line)).filter(one => one.id === id);
    bridge.say(INITIALIZE);
    await waitFor(() => message(1).length === 1, { what: 'the handshake' });
    assert.equal(message(1)[0].result.serverInfo.name, 'one');
    bridge.say({ jsonrpc: '2.0', id: 2, method: 'ping' });
    await waitFor(() => message(2).length === 1, { what: 'the answer to the ping' });
    assert.equal(message(1).length, 1);
    assert.ok(bridge.out.some(line => line.includes('notifications/tools/list_changed')));
    assert.deepEqual(
      got.map(({ method }) => method),
      ['initialize', 'ping'],
    );
  });

  it('leaves nothing running when its client is gone', async () => {
    const window = await home.window().share({ one: hostile() });
    const client = await home.connect(home.folder);
    await client.listTools();
    const { pid } = client;
    assert.equal(window.window.sessions.length, 1);
    await client.close();
    await waitFor(() => !processIsAlive(pid), { what: 'the bridge to end' });
    await waitFor(() => window.window.sessions.length === 0, { what: 'the session to end' });
  });

  it('answers oversized and invalid messages with an error', async () => {
    await home.window().share({ one: hostile() });
    const bridge = home.start();
    bridge.say(INITIALIZE);
    bridge.child.stdin!.write('nonsense\n{"jsonrpc":"1.0"}\n');
    bridge.child.stdin!.write(`"${'x'.repeat(17 * 1024 * 1024)}"\n`);
    bridge.say({ jsonrpc: '2.0', id: 2, method: 'ping' });
    await waitFor(() => bridge.out.some(line => JSON.parse(line).id === 2), { what: 'the answer to the ping' });
    const codes = bridge.out.map(line => JSON.parse(line).error?.code).filter(Boolean);
    assert.deepEqual(codes.sort(), [-32700, -32600, -32600].sort());
  });
});
