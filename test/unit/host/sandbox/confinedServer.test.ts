import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { HostError } from '../../../../src/base/errors';
import { english, phrase } from '../../../../src/base/phrase';
import { diagnosticsReport } from '../../../../src/features/health/core/diagnosticsReport';
import { remediesOf, resolveDefinitions, type ServerConnection } from '../../../../src/host';
import type { SandboxPort, ServerDefinition } from '../../../../src/host/definition';
import { SandboxAttempts } from '../../../../src/host/sandbox/attempts';
import { findBubblewrap } from '../../../../src/host/sandbox/bubblewrap';
import { confine, sandboxFor } from '../../../../src/host/sandbox/confine';
import type { Engine } from '../../../../src/host/sandbox/confinement';
import type { SandboxGrant } from '../../../../src/host/settings';
import { stdioServer } from '../../../../src/host/settings/schema';
import { npmServerPath } from '../../../servers/npm';
import { fixturePath, processIsAlive, waitFor } from '../../../servers/spawn';
import { freely } from '../../../setup/freely';
import { noRoots } from '../../../setup/itsServer';
import { inRepository, temporaryFolder } from '../../../setup/paths';
import { raw } from '../../../setup/raw';
import { fixture, hostile, TestHost } from '../testHost';
import { BRIDGE, onlyWhereConfined, servePage } from './confined';

/** Whole servers in their sandboxes, from the settings entry to the end of their last process. */
describe('a confined server', () => {
  let test: TestHost;
  let top: string;
  let root: string;
  let port: SandboxPort;
  let setting: ReturnType<SandboxPort['setting']>;
  before(onlyWhereConfined);
  beforeEach(() => {
    top = realpathSync(mkdtempSync('/var/tmp/mcp-host-confined-'));
    root = join(top, 'root');
    mkdirSync(root);
    setting = 'off';
    port = { ...freely.sandbox, setting: () => setting, storage: join(top, 'storage'), bridge: BRIDGE };
    test = new TestHost({ sandbox: port });
    test.roots.items = [{ uri: pathToFileURL(root).href, name: 'root' }];
  });
  afterEach(async () => {
    await test.close();
    rmSync(top, { recursive: true, force: true });
  });

  const said = (result: unknown) => JSON.stringify(result);
  const call = (server: ServerConnection, name: string, args: Record<string, unknown>) =>
    raw(server).callTool(server.catalog.tools.find(tool => tool.name === name)!, args);

  it('server-filesystem works in its root, and its writes elsewhere are refused by the system', async () => {
    const files = (sandbox: unknown) => ({
      command: process.execPath,
      args: [npmServerPath('filesystem'), root],
      sandbox,
    });
    test.configure({ files: files({ write: [root] }), reader: files(true) });
    const [server, reader] = [await test.loads('files'), await test.loads('reader')];
    assert.ok(server.attempts);
    const write = (path: string, by = server) => call(by, 'write_file', { path, content: 'x' });
    await write(join(root, 'a.txt'));
    assert.equal(readFileSync(join(root, 'a.txt'), 'utf8'), 'x');
    assert.match(said(await write(join(root, 'b.txt'), reader)), /EROFS|read-only/i);
    assert.match(said(await call(reader, 'read_text_file', { path: join(root, 'a.txt') })), /"x"/);
    assert.match(said(await write(join(root, '.vscode/settings.json'))), /EROFS|read-only|ENOENT|does not exist/i);
    assert.ok(!existsSync(join(root, 'b.txt')));
  });

  it('finds what is installed with its program and package, but nothing else in that folder', async () => {
    const home = mkdtempSync('/tmp/mcp-host-confined-');
    const file = (path: string, text: string) => {
      mkdirSync(dirname(join(home, path)), { recursive: true });
      writeFileSync(join(home, path), text);
      return join(home, path);
    };
    const program = (needs: string) => `require('${needs}'); try { require('fs').readFileSync('${home}/other.txt');
      console.error('read') } catch (e) { console.error(e.code) } process.argv.splice(1, 1); require(process.argv[1])`;
    try {
      file('other.txt', 'not for it');
      file('node_modules/needed/index.js', '');
      file('project/package.json', '{}');
      file('project/needed.js', '');
      const hostileServer = fixturePath('hostile');
      const server = (path: string) => ({ command: process.execPath, args: [path, hostileServer], sandbox: true });
      test.configure({
        installed: server(file('node_modules/@acme/server/dist/index.js', program('needed'))),
        built: server(file('project/dist/index.js', program('../needed'))),
      });
      for (const name of ['installed', 'built']) {
        await test.reaches(name, 'ready');
        const said = test.logs.filter(({ server, source }) => server === name && source === 'stderr');
        assert.deepEqual(
          said.map(({ data }) => data),
          ['ENOENT'],
        );
      }
    } finally {
      rmSync(home, { recursive: true, force: true });
    }
  });

  it('server-memory keeps its file where its entry says', async () => {
    const data = join(top, 'data');
    mkdirSync(data);
    const env = { MEMORY_FILE_PATH: join(data, 'memory.json') };
    test.configure({
      memory: { command: process.execPath, args: [npmServerPath('memory')], env, sandbox: { write: [data] } },
    });
    const server = await test.loads('memory');
    await call(server, 'create_entities', { entities: [{ name: 'Ada', entityType: 'person', observations: [] }] });
    assert.match(readFileSync(env.MEMORY_FILE_PATH, 'utf8'), /Ada/);
  });

  it('server-everything offers what it offers elsewhere, with only allowed variables', async () => {
    test.configure({
      everything: { command: process.execPath, args: [npmServerPath('everything'), 'stdio'], sandbox: true },
    });
    const server = await test.loads('everything');
    await waitFor(() => server.catalog.tools.length >= 13, { what: 'its tools' });
    const env = said(await call(server, 'get-env', {}));
    assert.match(env, /TMPDIR/);
    assert.doesNotMatch(env, /SSH_AUTH_SOCK|npm_lifecycle_event|MOCHA/);
  });

  it('of Playwright browses after one addition, which it requests itself, only to agreed hosts', async function () {
    const answers: Record<string, SandboxGrant> = {};
    await test.close();
    test = new TestHost({ sandbox: { ...port, granted: ({ id }) => answers[id] ?? {} } });
    test.roots.items = [{ uri: pathToFileURL(root).href, name: 'root' }];
    const browser = ['/usr/bin/chromium', '/usr/bin/google-chrome', '/usr/bin/chromium-browser'].find(existsSync);
    if (!browser) {
      console.log('    There is no Chromium of the system on this machine.');
      this.skip();
    }
    await using page = await servePage(() => '<title>Confined page</title>');
    const { host, url } = page;
    // What is on this machine it reaches only when it is told so.
    const own = ['--headless', '--proxy-server', 'http://127.0.0.1:3128', '--executable-path', browser];
    const args = [inRepository('node_modules/playwright-core/cli.js'), 'mcp', ...own];
    const entry = { command: process.execPath, args, cwd: root, timeouts: { startMs: 60_000, toolCallMs: 60_000 } };
    const rules = { network: [host] };
    answers.allowed = { sockets: true, network: [host] };
    test.configure({
      refused: { ...entry, sandbox: rules },
      one: { ...entry, sandbox: { ...rules, sockets: true } },
      allowed: { ...entry, sandbox: { ...rules, network: ['a.invalid'] } },
    });
    const refused = await test.loads('refused');
    const go = (by: ServerConnection, to: string) => call(by, 'browser_navigate', { url: to });
    assert.match(said(await go(refused, url)), /isError":true/);
    assert.deepEqual(
      refused.attempts?.blocked.filter(({ kind }) => kind !== 'network'),
      [{ kind: 'sockets', what: '' }],
    );
    const server = await test.loads('one');
    assert.match(said(await go(server, url)), /Confined page/);
    assert.match(said(await go(server, 'http://never.invalid/')), /isError":true|403|not one that was agreed/);
    assert.ok(server.attempts);
    assert.ok(server.attempts.hosts.has(host));
    // A browser has wishes of its own.
    assert.ok(server.attempts.blocked.some(({ kind, what }) => kind === 'network' && what === 'never.invalid'));
    assert.ok(server.attempts.blocked.every(({ kind }) => kind === 'network'));
    // One answer of the person is all that it needs beside its entry.
    assert.match(said(await go(await test.loads('allowed'), url)), /Confined page/);
  });

  it('using git reads a repository, and commits once its .git was agreed to', async () => {
    const git = (...args: string[]) => execFileSync('git', args, { cwd: root, encoding: 'utf8' });
    git('init', '-q');
    git('-c', 'user.name=Ada', '-c', 'user.email=ada@example.com', 'commit', '-q', '--allow-empty', '-m', 'first');
    const entry = {
      ...ownServer(`execFileSync('git', params.arguments.args, { encoding: 'utf8', stdio: 'pipe' })`),
      cwd: root,
      env: {
        GIT_AUTHOR_NAME: 'Ada',
        GIT_AUTHOR_EMAIL: 'ada@example.com',
        GIT_COMMITTER_NAME: 'Ada',
        GIT_COMMITTER_EMAIL: 'ada@example.com',
      },
    };
    test.configure({
      reader: { ...entry, sandbox: true },
      writer: { ...entry, sandbox: { write: [root, join(root, '.git')] } },
    });
    const [reader, writer] = [await test.loads('reader'), await test.loads('writer')];
    const commit = { args: ['commit', '-q', '--allow-empty', '-m', 'second'] };
    assert.match(said(await call(reader, 'run', { args: ['log', '--oneline'] })), /first/);
    assert.match(said(await call(reader, 'run', commit)), /Read-only file system/);
    assert.deepEqual(
      reader.attempts?.blocked.map(({ kind, what }) => [kind, what.startsWith(join(root, '.git'))]),
      [['write', true]],
    );
    assert.doesNotMatch(said(await call(writer, 'run', commit)), /isError":true/);
    assert.match(git('log', '--oneline'), /second/);
    assert.deepEqual(writer.attempts?.blocked, []);
  });

  it('that fetches pages reaches a host once it was agreed to, and no other', async () => {
    await using page = await servePage();
    const { host, url } = page;
    const entry = ownServer('await (await fetch(params.arguments.url)).text()');
    test.configure({
      none: { ...entry, sandbox: { network: ['a.invalid'] } },
      one: { ...entry, sandbox: { network: [host] } },
    });
    const [none, one] = [await test.loads('none'), await test.loads('one')];
    assert.match(said(await call(one, 'run', { url })), /the page/);
    assert.doesNotMatch(said(await call(none, 'run', { url })), /the page/);
    await call(one, 'run', { url: 'http://b.invalid/' });
    assert.deepEqual(one.attempts?.blocked, [{ kind: 'network', what: 'b.invalid' }]);
  });

  it('waits for the person when it wants a host that is not allowed, and then reaches it without a restart', async () => {
    await using page = await servePage();
    const { host, url } = page;
    const asked: string[] = [];
    const granted: string[] = [];
    let answer = false;
    await test.close();
    port = {
      ...port,
      granted: () => ({ network: granted }),
      askHost: async (_, wanted) => {
        asked.push(wanted);
        if (answer) granted.push(wanted);
        return answer;
      },
    };
    test = new TestHost({ sandbox: port });
    const entry = ownServer(`await new Promise((resolve, reject) => {
      const { hostname, port } = new URL(process.env.HTTP_PROXY ?? 'http://127.0.0.1:1');
      require('http').get({ hostname, port, path: params.arguments.url, agent: false }, async r => {
        let text = r.statusCode + ' ';
        for await (const chunk of r) text += chunk;
        resolve(text);
      }).on('error', reject);
    })`);
    test.configure({ one: { ...entry, sandbox: true }, closed: { ...entry, sandbox: { network: [] } } });
    const [server, closed] = [await test.loads('one'), await test.loads('closed')];
    const pid = test.pid('one');
    assert.match(said(await call(server, 'run', { url })), /403/);
    assert.deepEqual(server.attempts?.blocked, [{ kind: 'network', what: host }]);
    answer = true;
    assert.match(said(await call(server, 'run', { url })), /200 the page/);
    assert.match(said(await call(server, 'run', { url })), /200 the page/);
    assert.deepEqual([asked, test.pid('one')], [[host, host], pid]);
    // Its entry says that it has no network: nobody is asked.
    assert.match(said(await call(closed, 'run', { url })), /ECONNREFUSED/);
    assert.equal(asked.length, 2);
  });

  it('is fetched by npx from the registry that was agreed, into a cache of its own', async () => {
    const registry = await startRegistry(top);
    try {
      const url = `http://127.0.0.1:${(registry.address() as AddressInfo).port}/`;
      const npx = join(dirname(process.execPath), 'npx');
      const command = existsSync(npx) ? npx : 'npx';
      const entry = (name: string) => ({
        command,
        args: ['-y', name],
        env: { npm_config_registry: url, REGISTRY: url },
        // What is on this machine is no registry because a variable says so.
        sandbox: { network: [new URL(url).host] },
      });
      test.configure({ fetched: entry('fetched-server'), pinned: entry('fetched-server@1.0.0') });
      const server = await test.loads('fetched');
      assert.deepEqual(
        server.catalog.tools.map(({ name }) => name),
        ['reach'],
      );
      assert.match(said(await call(server, 'reach', {})), /404/);
      assert.deepEqual(server.attempts?.blocked, []);
      assert.ok([...(server.attempts?.hosts.keys() ?? [])].includes(new URL(url).host));
      assert.ok(existsSync(join(port.storage)));
      // Of a fixed version nothing is asked again: it starts from its cache without any network.
      const pinned = await test.loads('pinned');
      registry.close();
      registry.closeAllConnections();
      await pinned.restart('test');
      await test.loads('pinned');
      assert.deepEqual([...(pinned.attempts?.hosts.keys() ?? ['none'])], []);
    } finally {
      registry.close();
    }
  });

  it('has its own caches, which a different program under the same name can not read @servers.caches-different-program', async () => {
    const cache = `(process.env.npm_config_cache + '/_npx')`;
    const leaves = ownServer(`(require('fs').mkdirSync(${cache}, { recursive: true }), 'left')`);
    const looks = ownServer(`String(require('fs').existsSync(${cache}))`);
    test.configure({ github: { ...leaves, sandbox: true } });
    assert.match(said(await call(await test.loads('github'), 'run', {})), /left/);
    const before = test.pid('github');
    test.configure({ github: { ...looks, sandbox: true } });
    await waitFor(() => test.server('github').state.kind === 'ready' && test.pid('github') !== before, {
      what: 'the other',
    });
    assert.match(said(await call(await test.loads('github'), 'run', {})), /false/);
  });

  it('shares no cache with the same command of another workspace, which it could have poisoned @servers.shares-cache-command', async () => {
    const cache = `process.env.npm_config_cache + '/_npx'`;
    const entry = {
      ...ownServer(
        `String(require('fs').existsSync(${cache})) + require('fs').mkdirSync(${cache}, { recursive: true })`,
      ),
      sandbox: true,
    };
    const variables = { workspaceFolders: {}, userHome: root, env: () => undefined, config: () => undefined };
    const found: string[] = [];
    for (const name of ['first', 'second', 'first']) {
      const path = join(top, name);
      mkdirSync(path, { recursive: true });
      const source = { scope: 'workspaceFolder' as const, folder: { name, path } };
      const { definitions } = resolveDefinitions([{ source, value: { github: entry }, variables }]);
      test.host.reconcile(definitions);
      const [{ id }] = definitions as [ServerDefinition];
      const [, isThere = ''] = /(true|false)/.exec(said(await call(await test.loads(id), 'run', {}))) ?? [];
      found.push(isThere);
      test.host.reconcile([]);
    }
    assert.deepEqual(found, ['false', 'false', 'true']);
  });

  describe('ends with all that it started', () => {
    const startWith = async (...flags: string[]) => {
      test.configure({ one: { ...hostile(...flags), sandbox: true } });
      await test.reaches('one', 'ready');
      const pid = test.pid('one');
      return { pid, all: descendants(pid) };
    };
    const allGone = (pids: number[]) =>
      waitFor(() => !pids.some(processIsAlive), { what: () => `${pids.filter(processIsAlive)} to end` });

    it('when it is stopped, also a process that it forked', async () => {
      const { pid, all } = await startWith('--grandchild');
      assert.ok(all.length >= 3, String(all));
      await test.server('one').stop('test');
      await allGone([pid, ...all]);
    });

    it('when it ignores the end of its input and the signal to end @servers.ignores-end-input', async () => {
      const { pid, all } = await startWith('--ignore-sigterm', '--grandchild');
      await test.server('one').stop('test');
      await allGone([pid, ...all]);
    });

    it('when it is killed from outside', async () => {
      const { pid, all } = await startWith('--grandchild');
      process.kill(pid, 'SIGKILL');
      await allGone(all);
    });

    it('after it was asked politely, with time to tidy up', async () => {
      const script = `
        process.on('SIGTERM', () => { require('fs').writeFileSync(${JSON.stringify(join(root, 'tidied'))}, ''); process.exit(); });
        setInterval(() => {}, 1000);
        console.error('it is ready to be asked');`;
      test.configure({
        one: { command: process.execPath, args: ['-e', script, fixturePath('hostile')], sandbox: { write: [root] } },
      });
      await waitFor(() => test.logged(/ready to be asked/), { what: 'it to run' });
      await test.server('one').stop('test');
      await waitFor(() => existsSync(join(root, 'tidied')), { what: 'it to tidy up' });
    });
  });

  it('is confined by its entry or the setting, including its environment', async () => {
    setting = 'all';
    test.configure({ one: hostile(), two: { ...hostile(), sandbox: false } });
    await test.reaches('one', 'ready');
    await test.reaches('two', 'ready');
    assert.ok(test.server('one').attempts);
    assert.ok(!test.server('two').attempts);
  });

  it('runs free where the person decided so, unless its entry requires the sandbox @servers.runs-free-person', async () => {
    await test.close();
    setting = 'all';
    test = new TestHost({ sandbox: { ...port, granted: () => ({ isFree: true }) } });
    test.configure({ one: hostile(), two: { ...hostile(), sandbox: true } });
    await test.reaches('one', 'ready');
    await test.reaches('two', 'ready');
    assert.ok(!test.server('one').attempts);
    assert.ok(test.server('two').attempts);
  });

  it('reports on stderr what it could not write, which is recorded as a guess', async () => {
    const script = `try { require('fs').writeFileSync('${top}/x', '') } catch (e) { console.error(e.message) } require(process.argv[1])`;
    test.configure({ one: { ...fixture('hostile'), args: ['-e', script, fixturePath('hostile')], sandbox: true } });
    await test.reaches('one', 'ready');
    await waitFor(() => test.server('one').attempts?.blocked.length, { what: 'the attempt' });
    assert.deepEqual(test.server('one').attempts?.blocked, [{ kind: 'write', what: `${top}/x` }]);
    const surroundings = { facts: [], homeFolder: '/home/ada', workspaceFolders: [root] };
    assert.match(diagnosticsReport([test.server('one')], surroundings), /- Confined: 1 blocked, 0 hosts reached\n/);
  });

  it('reports what it could not read: hidden places, not missing or otherwise unreadable ones', async () => {
    const hidden = join(top, 'other', '.env');
    mkdirSync(dirname(hidden));
    writeFileSync(hidden, 'secret');
    const script = `
      for (const path of ['${join(root, '.env')}', '/etc/no-such-file', '${hidden}'])
        try { require('fs').readFileSync(path) } catch (e) { console.error(e.message) }
      require(process.argv[1])`;
    test.configure({ one: { ...fixture('hostile'), args: ['-e', script, fixturePath('hostile')], sandbox: true } });
    await test.reaches('one', 'ready');
    await waitFor(() => test.server('one').attempts?.blocked.length, { what: 'the attempt' });
    assert.deepEqual(test.server('one').attempts?.blocked, [{ kind: 'read', what: hidden }]);
  });

  it('reports what it could not create in an invisible place, as a wish to write', async () => {
    mkdirSync(join(top, 'other'));
    const wanted = join(top, 'other', 'new.json');
    const script = `try { require('fs').writeFileSync('${wanted}', '') } catch (e) { console.error(e.message) } require(process.argv[1])`;
    test.configure({ one: { ...fixture('hostile'), args: ['-e', script, fixturePath('hostile')], sandbox: true } });
    await test.reaches('one', 'ready');
    await waitFor(() => test.server('one').attempts?.blocked.length, { what: 'the attempt' });
    assert.deepEqual(test.server('one').attempts?.blocked, [{ kind: 'write', what: wanted }]);
  });

  it('reports in an answer what it could not write', async () => {
    const args = [npmServerPath('filesystem'), root];
    test.configure({ reader: { command: process.execPath, args, sandbox: true } });
    const server = await test.loads('reader');
    const path = join(root, 'a.txt');
    assert.match(said(await call(server, 'write_file', { path, content: 'x' })), /EROFS/);
    assert.ok(server.attempts);
    // It writes into another file first, which it then gives that name.
    assert.deepEqual(
      server.attempts.blocked.map(({ kind, what }) => [kind, dirname(what)]),
      [['write', root]],
    );
  });

  it('in watch mode is confined whatever its entry; wanted hosts are recorded, its own network stays closed', async () => {
    port = { ...port, isWatched: ({ id }) => id === 'one' };
    await test.close();
    test = new TestHost({ sandbox: port });
    const script = `
      const http = require('http'), { hostname, port } = new URL(process.env.HTTP_PROXY);
      for (const path of ['http://never.invalid/', 'http://127.0.0.1:1/'])
        http.get({ hostname, port, path, agent: false }, r => console.error(path, r.statusCode));
      require(process.argv[1])`;
    test.configure({
      one: { ...fixture('hostile'), args: ['-e', script, fixturePath('hostile')], sandbox: false },
      two: hostile(),
    });
    await test.reaches('one', 'ready');
    await test.reaches('two', 'ready');
    const { attempts } = test.server('one');
    assert.ok(attempts?.isWatched);
    assert.ok(!test.server('two').attempts);
    await waitFor(() => attempts.blocked.length === 2, { what: 'both hosts' });
    assert.deepEqual(attempts.blocked.map(({ kind, what }) => `${kind} ${what}`).sort(), [
      'network 127.0.0.1:1',
      'network never.invalid',
    ]);
  });

  describe('that cannot find its own files', () => {
    /** A package that no argument names as a file, so that it is not readable by default. */
    let program: string;
    let freed: string[];
    beforeEach(async () => {
      const folder = mkdtempSync('/tmp/mcp-host-hidden-');
      program = join(folder, 'node_modules/server/index.js');
      mkdirSync(dirname(program), { recursive: true });
      writeFileSync(program, `require(${JSON.stringify(fixturePath('hostile'))})`);
      freed = [];
      port = { ...port, runsFreeOnce: ({ id }) => freed.splice(freed.indexOf(id) >>> 0, 1).length > 0 };
      await test.close();
      test = new TestHost({ sandbox: port });
    });
    afterEach(() => rmSync(dirname(dirname(dirname(program))), { recursive: true, force: true }));

    it('says that it is confined, what it wanted and what can be done; once, it can run unconfined', async () => {
      test.configure({ one: { command: 'sh', args: ['-c', `exec node ${program}`], sandbox: true } });
      const { error } = await test.reaches('one', 'failed');
      assert.equal(error.reason, `it is confined, with a /tmp of its own, and wanted ${program}`);
      assert.match(error.remedy ?? '', /^Allow it to read that place, or run it unconfined once/);
      const server = test.server('one');
      assert.deepEqual(remediesOf(server).slice(0, 2), [
        { kind: 'allowRead', path: dirname(dirname(program)) },
        { kind: 'runUnconfined' },
      ]);
      freed = ['one'];
      await server.restart(phrase('you run it unconfined once'));
      await test.reaches('one', 'ready');
      assert.equal(server.attempts, undefined);
      await server.restart(phrase('the person wants it'));
      await test.reaches('one', 'failed');
    });

    it('starts once the place is readable', async () => {
      const read = [dirname(dirname(program)), process.cwd()];
      test.configure({ one: { command: 'sh', args: ['-c', `exec node ${program}`], sandbox: { read } } });
      await test.reaches('one', 'ready');
      assert.ok(test.server('one').attempts);
    });
  });

  it('reads the package and the virtual environment of its program by default, wherever they are', async () => {
    const module = join(top, 'app/node_modules/tool/dist/server.js');
    const script = join(top, 'venv/lib/tool/main.js');
    for (const [file, beside] of [
      [module, join(top, 'app/node_modules/other/index.js')],
      [script, join(top, 'venv/share/other.js')],
    ] as const) {
      for (const path of [file, beside]) mkdirSync(dirname(path), { recursive: true });
      writeFileSync(beside, 'module.exports = () => console.error("found it")');
      writeFileSync(file, `require(${JSON.stringify(beside)})(); process.exit(3)`);
    }
    writeFileSync(join(top, 'venv/pyvenv.cfg'), 'home = /usr/bin');
    const entry = (file: string) => ({ command: process.execPath, args: [file], sandbox: true });
    test.configure({ module: entry(module), script: entry(script) });
    for (const id of ['module', 'script']) {
      const { error } = await test.reaches(id, 'failed');
      assert.deepEqual(error.stderrTail, ['found it'], id);
      assert.match(error.remedy ?? '', /It is confined\./);
    }
  });

  it('with an unenforceable rule does not start, with the reason', async () => {
    test.configure({ one: { ...hostile(), sandbox: { write: ['~/.ssh'] } } });
    const { error } = await test.reaches('one', 'failed');
    assert.equal(error.code, 'SANDBOX_RULES');
    assert.match(error.message, /\.ssh" cannot be made writable.*Correct "sandbox"/s);
  });
});

describe('where nothing can be confined', () => {
  it('a server whose entry asks for it does not start @servers.server-entry-asks', async () => {
    const entry = stdioServer.parse({ command: 'node', sandbox: true });
    const definition = { id: 'one', name: 'one', entry, source: { scope: 'user' }, place: { base: '/nowhere' } };
    const ports = { ...noRoots, sandbox: { ...freely.sandbox, setting: () => 'off' as const } };
    const windows = { platform: 'win32', arch: 'x64' } as const;
    const confined = sandboxFor(definition as unknown as ServerDefinition, ports, () => {}, {
      machine: windows,
    });
    await assert.rejects(confined, { code: 'SANDBOX_RULES', message: /"one" could not start: .*Linux and macOS only/ });
  });

  it('offers to install only missing programs, and refuses a NUL in a variable', async () => {
    const missing = (isInstalled: boolean) => ({
      reason: phrase('it is there'),
      remedy: phrase('Allow it.'),
      isInstalled,
    });
    const launch = { command: process.execPath, args: [], env: {}, cwd: process.cwd() };
    const none = {
      roots: [],
      base: '',
      folder: '',
      bridge: '',
      keeps: [],
      aside: '',
      note: () => {},
      attempts: new SandboxAttempts(),
    };
    // Its engine reads texts up to a NUL.
    const hidden = { ...launch, env: { NOTE: '1\0--x' } };
    const engine: Engine = {
      temp: () => ({ shared: ['/tmp'] }),
      helpers: () => [],
      launch: async () => assert.fail('it was launched'),
    };
    await assert.rejects(
      confine(hidden, { name: 'one', rules: {}, ...none, folder: temporaryFolder(), aside: temporaryFolder() }, engine),
      {
        code: 'INVALID_SETTINGS',
        message: /"one" could not start: NOTE contains a NUL character/,
      },
    );
    const start = (isInstalled: boolean) =>
      confine(launch, { name: 'one', rules: {}, ...none }, missing(isInstalled)).then(
        () => 'started',
        error => (error instanceof HostError ? `${error.server}: ${error.code}` : String(error)),
      );
    assert.equal(await start(false), 'one: NO_SANDBOX');
    assert.equal(await start(true), 'one: SANDBOX_RULES');
  });

  it('a server confined only by the setting runs as before, with a log line; others are still confined @servers.server-confined-setting', async () => {
    const missing = await findBubblewrap(['/no/such/bwrap']);
    assert.ok('reason' in missing);
    const notes: string[] = [];
    const kindOf = async (setting: 'all' | 'workspaceServers', sandbox?: boolean, isDemanded = false) => {
      const entry = stdioServer.parse({ command: 'node', args: [], ...(sandbox && { sandbox }) });
      const definition = { id: 'one', name: 'one', entry, source: { scope: 'workspace' }, fromWorkspace: true };
      const own = { setting: () => setting, isDemanded: () => isDemanded };
      const port = { ...freely.sandbox, ...own, storage: '/nowhere', bridge: BRIDGE };
      const place = { base: '/nowhere' };
      const roots = { list: () => [], onDidChange: () => ({ dispose() {} }) };
      const asDefinition = { ...definition, place } as unknown as ServerDefinition;
      return (await sandboxFor(asDefinition, { sandbox: port, roots }, text => notes.push(text), {
        whyNot: async () => missing,
      }))
        ? 'confined'
        : 'free';
    };
    assert.equal(await kindOf('workspaceServers'), 'free');
    assert.match(notes[0] ?? '', /it is not confined, although "mcpHost\.sandbox" says so: /);
    if (process.platform !== 'linux') return; // nothing is confined there at all
    assert.match(notes[0] ?? '', /bubblewrap, is not installed.*sudo apt install bubblewrap/);
    // What starts then says that it can't be confined, and does not run otherwise.
    assert.equal(await kindOf('workspaceServers', true), 'confined');
    assert.equal(await kindOf('all'), 'confined');
    assert.equal(await kindOf('workspaceServers', undefined, true), 'confined');
  });

  it('names how bubblewrap is installed, or that the system forbids it', async function () {
    const missing = await findBubblewrap(['/no/such/bwrap']);
    assert.ok('reason' in missing && !missing.isInstalled);
    assert.match(english(missing.remedy), /Install the package "bubblewrap"/);
    if (process.platform === 'win32') this.skip(); // no such shell there
    const folder = mkdtempSync('/var/tmp/mcp-host-bwrap-');
    try {
      const forbidden = join(folder, 'bwrap');
      writeFileSync(forbidden, '#!/bin/sh\necho "bwrap: No permissions to create a new namespace" >&2\nexit 1\n', {
        mode: 0o755,
      });
      const found = await findBubblewrap([forbidden]);
      assert.ok('reason' in found && found.isInstalled);
      assert.match(english(found.reason), /No permissions to create a new namespace/);
      assert.match(english(found.remedy), /Allow user namespaces/);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

/** Every process below one, as the system has them now. */
function descendants(pid: number): number[] {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number);
  return children.flatMap(child => [child, ...descendants(child)]);
}

/** A server with one tool, which gives back what an expression of Node is then. */
function ownServer(expression: string): { command: string; args: string[] } {
  const script = `
    const { execFileSync } = require('child_process');
    const answer = (id, result) => console.log(JSON.stringify({ jsonrpc: '2.0', id, result }));
    const text = (id, text, isError) => answer(id, { content: [{ type: 'text', text }], isError });
    require('readline').createInterface({ input: process.stdin }).on('line', async line => {
      const { id, method, params } = JSON.parse(line);
      if (method === 'initialize') answer(id, { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'own', version: '1' } });
      else if (method === 'tools/list') answer(id, { tools: [{ name: 'run', inputSchema: { type: 'object' } }] });
      else if (method === 'tools/call') try { text(id, ${expression}, false) } catch (error) { text(id, error.message, true) }
      else if (id !== undefined) console.log(JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32601, message: 'no' } }));
    });`;
  return { command: process.execPath, args: ['-e', script, fixturePath('hostile')] };
}

/** A registry of npm with one package, whose server has a tool that asks the registry again. */
async function startRegistry(top: string): Promise<Server> {
  const folder = join(top, 'pack', 'package');
  mkdirSync(folder, { recursive: true });
  const manifest = { name: 'fetched-server', version: '1.0.0', bin: { 'fetched-server': 'index.js' } };
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest));
  writeFileSync(
    join(folder, 'index.js'),
    `#!/usr/bin/env node
    const http = require('http');
    const answer = (id, result) => console.log(JSON.stringify({ jsonrpc: '2.0', id, result }));
    require('readline').createInterface({ input: process.stdin }).on('line', line => {
      const { id, method, params } = JSON.parse(line);
      if (method === 'initialize') answer(id, { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'f', version: '1' } });
      else if (method === 'tools/list') answer(id, { tools: [{ name: 'reach', inputSchema: { type: 'object' } }] });
      else if (method === 'tools/call') {
        const { hostname, port } = new URL(process.env.HTTP_PROXY);
        http.get({ hostname, port, path: process.env.REGISTRY, agent: false }, r => answer(id, { content: [{ type: 'text', text: String(r.statusCode) }] }));
      } else if (id !== undefined) console.log(JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32601, message: 'no' } }));
    });`,
    { mode: 0o755 },
  );
  execFileSync('tar', ['-czf', join(top, 'package.tgz'), '-C', dirname(folder), 'package']);
  const server = createServer((request, response) => {
    if (request.url === '/package.tgz') return void response.end(readFileSync(join(top, 'package.tgz')));
    if (request.url !== '/fetched-server') return void response.writeHead(404).end('{}');
    const dist = { tarball: `http://${request.headers.host}/package.tgz` };
    response.setHeader('Content-Type', 'application/json');
    response.end(
      JSON.stringify({
        name: manifest.name,
        'dist-tags': { latest: '1.0.0' },
        versions: { '1.0.0': { ...manifest, dist } },
      }),
    );
  });
  server.listen(0, '127.0.0.1');
  await new Promise(resolve => server.once('listening', resolve));
  return server;
}
