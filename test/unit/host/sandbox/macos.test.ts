import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { basename, join } from 'node:path';
import type { JSONRPCMessage } from '@modelcontextprotocol/client';
import { type ConfineOptions, confine } from '../../../../src/host/sandbox/confine';
import type { ConfinedLaunch, Engine } from '../../../../src/host/sandbox/confinement';
import { readyProgram } from '../../../../src/host/sandbox/launcher';
import { findSeatbelt, seatbeltEngine } from '../../../../src/host/sandbox/seatbelt';
import { StdioTransport } from '../../../../src/host/transport/stdioTransport';
import { processIsAlive, waitFor } from '../../../servers/spawn';
import { onlyOnMacos, refused, World } from './confined';
import { SeatbeltRules } from './seatbeltRules';

/** A server whose tool sends what its argument says by the proxy of its environment: with its token, or without. */
const SERVER = `
  const http = require('http');
  const answer = (id, result) => console.log(JSON.stringify({ jsonrpc: '2.0', id, result }));
  require('readline').createInterface({ input: process.stdin }).on('line', line => {
    const { id, method, params } = JSON.parse(line);
    if (method === 'initialize') return answer(id, { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'own', version: '1' } });
    if (method === 'env') return answer(id, process.env);
    const { hostname, port, username, password } = new URL(process.env.HTTP_PROXY);
    const headers = params.isSecret ? {} : { 'Proxy-Authorization': 'Basic ' + Buffer.from(username + ':' + password).toString('base64') };
    http.get({ hostname, port, path: params.url, headers, agent: false }, r => answer(id, { status: r.statusCode }));
  });`;

/** A server from its start to its end, as its transport sees it. */
class Session {
  readonly transport: StdioTransport;
  readonly #waiting = new Map<number, (result: Record<string, unknown>) => void>();
  #id = 0;
  launch: ConfinedLaunch | undefined;

  constructor(world: World, engine: Engine | undefined, more: Partial<ConfineOptions> = {}) {
    const env = { PATH: process.env.PATH, HOME: world.home, DYLD_INSERT_LIBRARIES: '/tmp/evil.dylib', OWN: 'yes' };
    const launch = { command: process.execPath, args: ['-e', SERVER], env, cwd: world.workspace };
    const options: ConfineOptions = {
      ...{
        name: 'one',
        rules: {},
        roots: [world.workspace],
        base: world.workspace,
        bridge: '',
        keeps: [],
        aside: join(world.top, 'aside'),
      },
      ...{ folder: join(world.top, 'storage/one'), note: text => world.notes.push(text), attempts: world.attempts },
      ...more,
    };
    const none = () => {};
    const listeners = { stderr: none, noise: none, log: none, leftOut: none, wire: none };
    const ready = () =>
      readyProgram(launch, async confined => {
        this.launch = await confine(confined, options, engine);
        return this.launch;
      });
    this.transport = new StdioTransport({ ready }, listeners);
    this.transport.onmessage = (message: JSONRPCMessage) => {
      const { id, result } = message as unknown as { id: number; result: Record<string, unknown> };
      this.#waiting.get(id)?.(result);
    };
  }

  async ask(method: string, params: Record<string, unknown> = {}): Promise<Record<string, unknown>> {
    const id = ++this.#id;
    const answered = new Promise<Record<string, unknown>>(resolve => this.#waiting.set(id, resolve));
    await this.transport.send({ jsonrpc: '2.0', id, method, params });
    return answered;
  }
}

describe('a server confined by Seatbelt', () => {
  let world: World;
  let page: Server;
  let host: string;
  beforeEach(async function () {
    if (process.platform === 'win32') this.skip(); // nothing is confined there
    world = new World();
    page = createServer((_request, response) => response.end('the page')).listen(0, '127.0.0.1');
    await new Promise(resolve => page.once('listening', resolve));
    host = `127.0.0.1:${(page.address() as AddressInfo).port}`;
  });
  afterEach(() => {
    page?.close();
    world?.remove();
  });

  /** From its start to its end. @param engine absent: that of this system */
  async function lives(engine?: Engine): Promise<Session> {
    const session = new Session(world, engine, { rules: { network: [host], ...world.writing.rules } });
    await session.transport.start();
    const { pid } = session.transport;
    try {
      const start = await session.ask('initialize', { protocolVersion: '2025-11-25' });
      assert.deepEqual(start.serverInfo, { name: 'own', version: '1' });
      const env = await session.ask('env');
      assert.deepEqual([env.OWN, env.DYLD_INSERT_LIBRARIES], ['yes', undefined]);
      assert.match(String(env.TMPDIR), /^\/(private\/)?tmp\/mcp-host-\w{6}$/);
      writeFileSync(join(String(env.TMPDIR), 'left'), 'behind');
      assert.deepEqual(await session.ask('get', { url: `http://${host}/` }), { status: 200 });
      assert.deepEqual(await session.ask('get', { url: `http://${host}/`, isSecret: true }), { status: 407 });
      assert.deepEqual(await session.ask('get', { url: 'http://other.invalid/' }), { status: 403 });
      assert.deepEqual(world.attempts.blocked, [{ kind: 'network', what: 'other.invalid' }]);
      assert.ok(existsSync(join(world.workspace, '.vscode')), 'a folder stands where none may be made');
      await session.transport.close();
      assert.ok(!processIsAlive(pid!));
      const { port } = new URL(String(env.HTTP_PROXY));
      await assert.rejects(fetch(`http://127.0.0.1:${port}/`), 'its proxy has ended with it');
      assert.ok(!existsSync(join(world.workspace, '.vscode')));
      await waitFor(() => !existsSync(String(env.TMPDIR)), { what: 'its temporary folder to be removed' });
    } finally {
      await session.transport.close();
    }
    return session;
  }

  it('starts through sandbox-exec, reaches agreed hosts through the proxy, and leaves nothing behind @macos.starts-through-sandbox', async () => {
    const program = join(world.top, 'sandbox-exec');
    // In its place: it notes how it was called, and runs the program.
    const note = join(world.top, 'noted');
    const script = `#!/bin/sh\necho "$#" >> '${note}'\nwhile [ "$1" != -- ]; do shift; done\nshift\nexec "$@"\n`;
    writeFileSync(program, script, { mode: 0o755 });
    const { launch } = await lives(seatbeltEngine(program));
    assert.equal(launch?.command, program);
    const end = launch.args.indexOf('--') + 1;
    assert.deepEqual(launch.args.slice(end), [process.execPath, '-e', SERVER]);
    const rules = new SeatbeltRules(launch.args.slice(0, end));
    const { port } = new URL(String(launch.env.HTTP_PROXY));
    assert.ok(rules.allows('network-outbound', `localhost:${port}`));
    assert.ok(rules.allows('file-write-create', join(world.workspace, 'a')));
    assert.ok(!rules.allows('file-write-create', join(world.workspace, '.vscode/settings.json')));
    assert.doesNotMatch(
      launch.args.slice(0, end).join(' '),
      new RegExp(new URL(String(launch.env.HTTP_PROXY)).password),
    );
    // The server, and what emptied its temporary folder by the same rules.
    const [first, second] = readFileSync(note, 'utf8').trim().split('\n').map(Number);
    assert.equal(first! - second!, [process.execPath, '-e', SERVER].length - ['/bin/rm', '-rf', '--', 'folder'].length);
  });

  it('has no proxy and no variables for one where nothing was agreed to; a rule that can not be kept leaves nothing', async () => {
    const program = join(world.top, 'sandbox-exec');
    writeFileSync(program, '#!/bin/sh\nexit 1\n', { mode: 0o755 });
    const engine = seatbeltEngine(program);
    const session = new Session(world, engine);
    await session.transport.start();
    await session.transport.close();
    assert.equal(session.launch?.env.HTTP_PROXY, undefined);
    assert.ok(session.launch);
    const own = world.folder('own-temp');
    const wrong = new Session(
      world,
      { ...engine, temp: () => ({ ...engine.temp(), own }) },
      { rules: { write: ['~/.ssh'] } },
    );
    await assert.rejects(wrong.transport.start(), { code: 'SANDBOX_RULES' });
    assert.ok(!existsSync(own));
  });

  describe('on this system', () => {
    before(onlyOnMacos);

    it('is confined from start to end', () => lives());

    it('requires a test before the first confined program', async () => {
      assert.ok('launch' in (await findSeatbelt()));
    });

    it('reads no secret under any name @macos.reads-secret-name', async () => {
      const key = world.file('.ssh/id_ed25519');
      world.file('work/project/a.txt', 'readable');
      symlinkSync(key, join(world.workspace, 'link'));
      const said = await world.sh(
        `cat a.txt; cat ~/.ssh/id_ed25519 ~/.SSH/ID_ED25519 '/System/Volumes/Data${key}' link; ls ~/.ssh; ln ${key} hard && cat hard`,
        world.writing,
      );
      assert.match(said, /^readable/);
      assert.doesNotMatch(said, /secret/);
      assert.match(said, /Operation not permitted/);
      assert.doesNotMatch(said, new RegExp(`^${basename(key)}$`, 'm'));
    });

    it('sees in the home folder only what "read" names', async () => {
      world.file('notes/a.txt', 'named');
      world.file('diary/b.txt');
      const said = await world.sh('cat ~/notes/a.txt; ls -A ~; cat ~/diary/b.txt; echo x > ~/notes/a.txt', {
        rules: { read: ['~/notes'] },
      });
      assert.match(said, /^named/);
      assert.doesNotMatch(said, /secret|diary$/m);
      refused(said);
    });

    it('changes agreed places and its own temporary folder, and nothing else', async () => {
      const said = await world.sh(
        'echo a > a.txt; mkdir b; mv b c; rm a.txt; echo d > c/d.txt; echo t > $TMPDIR/t && cat $TMPDIR/t; echo b > ~/b.txt; echo d > /private/tmp/d-of-mcp-host; echo e > /var/tmp/e-of-mcp-host',
        world.writing,
      );
      assert.match(said, /^t$/m);
      assert.equal(said.match(/Operation not permitted/g)?.length, 3, said);
      assert.equal(readFileSync(join(world.workspace, 'c/d.txt'), 'utf8'), 'd\n');
    });

    it('cannot change what editor and git obey, in any case, nor by moving a parent folder @macos.change-editor-git', async () => {
      for (const folder of ['.git/hooks', '.vscode', 'sub/.vscode'])
        mkdirSync(join(world.workspace, folder), { recursive: true });
      for (const file of ['.git/config', '.vscode/settings.json', 'sub/.vscode/settings.json'])
        writeFileSync(join(world.workspace, file), 'before');
      const said = await world.sh(
        `echo x > .git/hooks/pre-commit; echo x > .GIT/config; echo x > .VSCode/settings.json; mv .vscode v; rm -rf .vscode
        mv sub moved; mv ../project ../project2; echo x > moved/.vscode/settings.json; echo x > sub/.vscode/settings.json; ls -A`,
        world.writing,
      );
      refused(said);
      for (const file of ['.git/config', '.vscode/settings.json', 'sub/.vscode/settings.json'])
        assert.equal(readFileSync(join(world.workspace, file), 'utf8'), 'before', said);
      assert.ok(!existsSync(join(world.workspace, '.git/hooks/pre-commit')));
    });

    it('reaches agreed hosts through the proxy, and nothing else on this or another machine', async () => {
      const script = `
        const http = require('http'), net = require('net');
        const direct = (port, to) => new Promise(done => net.connect(port, to).on('connect', () => done('connected')).on('error', e => done(e.code)));
        const asked = url => fetch(url).then(r => r.text(), e => 'failed');
        (async () => console.log(JSON.stringify([
          await asked('http://${host}/'), await asked('http://other.invalid/'), await direct(${host.split(':')[1]}, '127.0.0.1'), await direct(443, '192.0.2.1'),
        ])))();`;
      const said = await world.node(script, { rules: { network: [host] } });
      const [agreed, other, here, elsewhere] = JSON.parse(said.split('\n').at(-1)!) as string[];
      assert.deepEqual([here, elsewhere], ['EPERM', 'EPERM']);
      assert.notEqual(other, 'the page');
      if (process.allowedNodeEnvironmentFlags.has('--use-env-proxy')) assert.equal(agreed, 'the page');
    });

    it('opens sockets only with "sockets", in its own temporary folder', async () => {
      const script = `
        const listen = path => new Promise(done => require('net').createServer().listen(path).on('listening', () => done('listens')).on('error', e => done(e.code)));
        (async () => { console.log([await listen(process.env.TMPDIR + '/s'), await listen('s')].join()); process.exit(); })();`;
      assert.equal(await world.node(script), 'EPERM,EPERM');
      assert.equal(await world.node(script, { rules: { sockets: true } }), 'listens,EPERM');
    });

    it('ends only its own processes, and reads neither key chains nor arguments of others', async () => {
      const said = await world.sh(
        `kill -0 ${process.pid}; sleep 9 & kill $! && echo ended; /usr/bin/security list-keychains; ps -E -p ${process.pid}`,
      );
      assert.match(said, /ended/);
      assert.match(said, /not permitted/);
      assert.doesNotMatch(said, /login\.keychain|HOME=/);
    });
  });
});
