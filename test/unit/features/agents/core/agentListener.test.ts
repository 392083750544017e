import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import * as fs from 'node:fs';
import * as net from 'node:net';
import * as path from 'node:path';
import { createInterface, type Interface } from 'node:readline';
import { privateFolder, readCards, type WindowCard } from '../../../../../src/features/agents/core/bridge/windowCards';
import { waitFor } from '../../../../servers/spawn';
import { hostile } from '../../../host/testHost';
import { AgentsHome } from './testAgents';

const isWindows = process.platform === 'win32';
const isLinux = process.platform === 'linux';

/** What answers at the other end of a socket: lines, until it is closed. */
class Peer {
  readonly socket: net.Socket;
  readonly lines: string[] = [];
  readonly closed: Promise<unknown>;
  readonly #reader: Interface;

  constructor({ address }: Pick<WindowCard, 'address'>) {
    this.socket = net.connect(address);
    this.socket.on('error', () => {});
    this.#reader = createInterface(this.socket)
      .on('line', line => this.lines.push(line))
      .on('error', () => {});
    this.closed = new Promise(resolve => this.socket.once('close', resolve));
  }

  say(message: unknown): void {
    this.socket.write(`${JSON.stringify(message)}\n`);
  }

  /** Resolves with a line that it says, counted from the first, or with an empty message when it is closed before. */
  async line(index: number): Promise<string> {
    const isClosed = this.closed.then(() => true);
    while (this.lines.length <= index)
      if (await Promise.race([isClosed, once(this.#reader, 'line').then(() => false)])) return '{}';
    return this.lines[index]!;
  }

  /** As a bridge does. Resolves with the answer to the proof. */
  async greet({ secret }: Pick<WindowCard, 'secret'>, more: object = {}): Promise<unknown> {
    const name = '/proc/self/comm';
    const before = isLinux ? fs.readFileSync(name, 'utf8').trim() : '';
    this.say({ bridge: 1, secret, pid: process.pid, cwd: process.cwd(), ...more });
    if (isLinux) {
      const first = JSON.parse(await this.line(0));
      if (!first.title) return first;
      fs.writeFileSync(name, first.title);
      this.say({ titled: true });
    }
    const line = await this.line(isLinux ? 1 : 0);
    if (isLinux) fs.writeFileSync(name, before);
    return JSON.parse(line);
  }
}

describe('the socket of a window for agents', function () {
  this.timeout(60_000);
  let home: AgentsHome;
  const card = () => readCards(home.folder)[0] ?? assert.fail('there is no card');
  const peer = () => {
    const made = new Peer(card());
    home.own({ close: async () => void made.socket.destroy() });
    return made;
  };
  beforeEach(() => {
    home = new AgentsHome();
  });
  afterEach(() => home.close());

  it('is in a folder that only this user may enter, and so is the card with its secret @agentListener.folder-user-enter', async function () {
    if (isWindows) this.skip();
    await home.window().share({ one: hostile() });
    const mode = (at: string) => (fs.lstatSync(at).mode & 0o777).toString(8);
    const { address } = card();
    assert.deepEqual([path.dirname(address), address, path.dirname(home.cards[0]!), home.cards[0]!].map(mode), [
      '700',
      '600',
      '700',
      '600',
    ]);
  });

  it('is made anew elsewhere when it is removed, and the card leads there @agentListener.made-anew-elsewhere', async function () {
    if (isWindows) this.skip(); // its pipes are no files
    await home.window().share({ one: hostile() });
    const { address, secret } = card();
    const early = peer();
    assert.deepEqual(await early.greet({ secret }), { ok: true });
    fs.rmSync(path.dirname(address), { recursive: true });
    await waitFor(() => card().address !== address && fs.existsSync(card().address), { what: 'another socket' });
    assert.deepEqual(await peer().greet({ secret }), { ok: true });
    assert.equal(early.socket.destroyed, false);
  });

  it('admits who has the secret, and reveals nothing to others @agentListener.admits-secret-reveals', async () => {
    const window = await home.window().share({ one: hostile() });
    const { secret } = card();
    for (const wrong of ['', 'x', secret.slice(1), secret.toLowerCase(), null, [secret], { secret }]) {
      const stranger = peer();
      stranger.say({ bridge: 1, secret: wrong, pid: process.pid, cwd: '/' });
      await stranger.closed;
      assert.deepEqual(stranger.lines, [], String(wrong));
    }
    for (const noise of ['GET / HTTP/1.1\r\nHost: localhost\r\n\r\n', '{}\n', '[]\n', 'null\n', '\u0000\n']) {
      const stranger = peer();
      stranger.socket.write(noise);
      await stranger.closed;
      assert.deepEqual(stranger.lines, [], noise);
    }
    assert.equal(window.window.sessions.length, 0);
    assert.deepEqual(await peer().greet({ secret }), { ok: true });
  });

  it('takes no secret of an earlier listener @agentListener.takes-secret-earlier', async () => {
    const before = home.window();
    await before.share({ one: hostile() });
    const { secret } = card();
    await before.close();
    await home.window().share({ one: hostile() });
    const stranger = peer();
    stranger.say({ bridge: 1, secret, pid: process.pid, cwd: '/' });
    await stranger.closed;
    assert.deepEqual(stranger.lines, []);
  });

  it('refuses a process that claims to be another one, as from a container @agentListener.refuses-process-claims', async function () {
    if (!isLinux) this.skip();
    const window = await home.window().share({ one: hostile() });
    const other = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' });
    home.own({ close: async () => void other.kill('SIGKILL') });
    for (const pid of [other.pid!, 1, 2 ** 30]) {
      const stranger = peer();
      const answer = (await stranger.greet(card(), { pid })) as { error?: string };
      assert.match(answer.error ?? '', /not the process that it says it is/);
      await stranger.closed;
    }
    assert.equal(window.window.sessions.length, 0);
  });

  it('limits the number of agents: hundreds are refused, and connected ones continue @agentListener.limits-number-agents', async () => {
    const window = await home.window().share({ one: hostile() });
    const client = await home.connect(home.folder);
    let refused = 0;
    for (let count = 0; count < 140; count++) {
      const one = peer();
      const answer = (await one.greet(card())) as { error?: string };
      if (answer.error) refused++;
    }
    assert.equal(window.window.sessions.length, 128);
    assert.equal(refused, 140 - 127);
    assert.ok((await client.listTools()).tools.length > 0);
  });

  it('forgets each session of an agent that connects more often than there may be sessions, and asks about it once', async function () {
    this.timeout(180_000);
    const window = home.window();
    const asked: string[] = [];
    window.allow = async ({ name }) => {
      asked.push(name);
      return 'allow';
    };
    await window.share({ one: hostile() });
    const clientInfo = { name: 'again', version: '1' };
    const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo };
    for (let count = 0; count < 140; count++) {
      const one = new Peer(card());
      assert.ok(((await one.greet(card())) as { ok?: true }).ok, `connection ${count}`);
      one.say({ jsonrpc: '2.0', id: 0, method: 'initialize', params });
      const answers = isLinux ? 2 : 1;
      assert.match(await one.line(answers), /"result"/, `session ${count}`);
      if (count % 50 === 0) {
        one.say({ jsonrpc: '2.0', method: 'notifications/initialized' });
        one.say({ jsonrpc: '2.0', id: 1, method: 'tools/list' });
        assert.match(await one.line(answers + 1), /one__echo/, `session ${count}`);
      }
      one.socket.destroy();
      await one.closed;
    }
    await waitFor(() => window.window.sessions.length === 0, { what: 'the sessions to end' });
    if (isLinux) assert.deepEqual(asked, ['again']);
    assert.ok((await (await home.connect(home.folder)).listTools()).tools.length > 0);
  });

  it('drops connections that are silent or send too much before they are identified @agentListener.drops-connections-silent', async () => {
    await home.window().share({ one: hostile() });
    const long = peer();
    long.socket.write('x'.repeat(100_000));
    await long.closed;
    const silent = Array.from({ length: 40 }, () => peer());
    // Beyond a number of them, who comes is not even heard.
    await Promise.any(silent.map(({ closed }) => closed));
    for (const { socket } of silent) socket.destroy();
    await waitFor(async () => ((await peer().greet(card())) as { ok?: true }).ok, { what: 'room for a bridge' });
  });

  it('stops reading from an agent that floods it, while others are answered @agentListener.stops-reading-agent', async () => {
    await home.window().share({ one: hostile() });
    const client = await home.connect(home.folder);
    await client.listTools();
    const flood = peer();
    await flood.greet(card());
    const ping = `${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' })}\n`;
    flood.socket.write(ping.repeat(100_000));
    for (let count = 0; count < 20; count++) assert.ok((await client.listTools()).tools.length > 0);
    // Most of it has not been read.
    assert.ok(flood.socket.writableLength > 0 || flood.socket.bytesWritten < ping.length * 100_000);
  });

  /** An agent that sends requests without waiting for answers, which nobody approves. */
  const greedyAgent = async () => {
    const window = home.window();
    window.ask = () => new Promise(() => {});
    await window.share({ one: hostile() });
    const greedy = peer();
    await greedy.greet(card());
    const send = (id: number, method: string, params: object) => greedy.say({ jsonrpc: '2.0', id, method, params });
    const answers = () => greedy.lines.map(line => JSON.parse(line));
    send(0, 'initialize', {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name: 'greedy', version: '1' },
    });
    await waitFor(() => answers().some(({ id }) => id === 0), { what: 'the session' });
    const cancel = (requestId: number) =>
      greedy.say({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId } });
    return { send, cancel, answers };
  };

  it('limits the requests of one agent @agentListener.limits-requests-agent', async () => {
    const { send, answers } = await greedyAgent();
    for (let id = 1; id <= 300; id++) send(id, 'tools/call', { name: 'one__echo', arguments: {} });
    const errors = () => answers().filter(({ error }) => error?.code === -32000);
    await waitFor(() => errors().length > 0, { what: 'refusals' });
    assert.match(errors()[0].error.message, /256 requests are in progress/);
  });

  it('repeats no id of any length in its answers', async () => {
    await home.window().share({ one: hostile() });
    const one = peer();
    await one.greet(card());
    one.say({ jsonrpc: '2.0', id: 'x'.repeat(100_000), method: 'ping' });
    const answer = JSON.parse(await one.line(isLinux ? 2 : 1));
    assert.equal(answer.id, null);
    assert.match(answer.error.message, /not a message of JSON-RPC/);
  });

  it('lets nobody follow changes who has not said a name', async () => {
    const window = await home.window().share({ one: hostile() });
    const one = peer();
    await one.greet(card());
    const params = { notifications: { resourceSubscriptions: ['a://b'] } };
    one.say({ jsonrpc: '2.0', id: 1, method: 'subscriptions/listen', params });
    one.say({ jsonrpc: '2.0', id: 2, method: 'tools/list' });
    const isAnswered = (id: number) => one.lines.some(line => JSON.parse(line).id === id && /"error"/.test(line));
    await waitFor(() => isAnswered(1) && isAnswered(2), { what: 'refusals' });
    assert.equal(window.test.server('one').subscriptions.state('a://b'), undefined);
  });

  it('limits how large the requests of one agent are together', async () => {
    const { send, cancel, answers } = await greedyAgent();
    const answer = (id: number) => answers().find(message => message.id === id);
    const large = { name: 'one__echo', arguments: { text: 'x'.repeat(15_000_000) } };
    for (let id = 1; id <= 5; id++) send(id, 'tools/call', large);
    await waitFor(() => answer(5), { what: 'a refusal' });
    assert.match(answer(5).error.message, /requests in progress are large/);
    cancel(1);
    send(6, 'tools/call', large);
    send(7, 'tools/call', large);
    await waitFor(() => answer(7), { what: 'another one' });
    assert.equal(answer(6), undefined);
  });

  it('ends the session of an agent that takes another name, and lets MCP Host itself use nothing @agentListener.ends-session-agent', async () => {
    const window = await home.window().share({ one: hostile() });
    for (const names of [['one', 'two']]) {
      const stranger = peer();
      await stranger.greet(card());
      for (const [index, name] of names.entries()) {
        stranger.say({
          jsonrpc: '2.0',
          id: index,
          method: 'initialize',
          params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name, version: '1' } },
        });
      }
      await stranger.closed;
    }
    await waitFor(() => window.window.sessions.length === 0, { what: 'the sessions to end' });
    const loop = await home.connect(home.folder, { name: 'mcp-host' });
    await assert.rejects(loop.listTools(), /cannot be a server of MCP Host itself/);
  });

  it('asks again when another program comes under a name that was allowed @agentListener.asks-program-comes', async function () {
    if (!isLinux) this.skip();
    const window = home.window();
    const asked: unknown[] = [];
    window.allow = async (_, before) => {
      asked.push(before?.name);
      return asked.length === 1 ? 'allow' : 'deny';
    };
    await window.share({ one: hostile() });
    await (await home.connect(home.folder, { name: 'known' })).listTools();
    // The same name, from a bridge that another program has started.
    const script = path.join(home.folder, 'impostor.js');
    fs.writeFileSync(
      script,
      `require('child_process').spawn(process.execPath, [${JSON.stringify(home.bridge)}], { stdio: 'inherit' })`,
    );
    const impostor = await home.connect(home.folder, { name: 'known', through: script });
    await assert.rejects(impostor.listTools(), /does not allow/);
    assert.deepEqual(asked, [undefined, 'known']);
  });

  it('is not advertised by cards that others can write or read @agentListener.advertised-cards-write', function () {
    if (isWindows) this.skip();
    const folder = privateFolder(home.folder, 'windows');
    const planted: WindowCard = { bridge: 1, pid: process.pid, address: '/tmp/s', secret: 's', folders: [], usedAt: 1 };
    const file = path.join(folder, 'planted.json');
    fs.writeFileSync(file, JSON.stringify(planted), { mode: 0o644 });
    assert.deepEqual(readCards(home.folder), []);
    fs.chmodSync(file, 0o600);
    assert.equal(readCards(home.folder).length, 1);
    fs.chmodSync(folder, 0o755);
    assert.deepEqual(readCards(home.folder), []);
  });

  it('is not advertised by cards of closed windows, which are removed', async () => {
    const gone = spawn(process.execPath, ['-e', ''], { stdio: 'ignore' });
    await once(gone, 'exit');
    const file = path.join(privateFolder(home.folder, 'windows'), 'gone.json');
    const card: WindowCard = { bridge: 1, pid: gone.pid!, address: '/tmp/s', secret: 's', folders: [], usedAt: 1 };
    fs.writeFileSync(file, JSON.stringify(card), { mode: 0o600 });
    assert.deepEqual(readCards(home.folder), []);
    assert.ok(!fs.existsSync(file));
  });
});
