import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { processIsAlive, waitFor } from '../../../servers/spawn';
import { freely } from '../../../setup/freely';
import { temporaryFolder } from '../../../setup/paths';
import { hostile, TestHost } from '../testHost';

describe('a server over stdio', () => {
  let test: TestHost;
  beforeEach(() => {
    test = new TestHost();
  });
  afterEach(() => test.close());

  it('connects, and reports its identity and lists @stdioServers.connects-reports-identity', async () => {
    test.configure({ one: hostile() });
    const { info } = await test.reaches('one', 'ready');
    assert.equal(info.implementation?.title, 'Hostile fixture');
    assert.equal(info.era, 'legacy');
    assert.equal(info.protocolVersion, '2025-11-25');
    const { catalog } = await test.loads('one');
    assert.ok(catalog.tools.length > 0 && catalog.prompts.length > 0);
    assert.ok(catalog.resources.length > 0 && catalog.resourceTemplates.length > 0);
  });

  it('of the modern era connects without a handshake @stdioServers.modern-era-connects', async () => {
    test.configure({ modern: { ...hostile(), args: [hostile().args[0]!.replace('hostile.js', 'content.js')] } });
    const { info } = await test.reaches('modern', 'ready');
    assert.equal(info.era, 'modern');
    assert.equal(info.protocolVersion, '2026-07-28');
  });

  it('that dies of the era probe is restarted without it @stdioServers.dies-era-probe', async () => {
    test.configure({ shy: hostile('--die-on-probe') });
    const { info } = await test.reaches('shy', 'ready');
    assert.equal(info.era, 'legacy');
  });

  it('with an older protocol version is understood @stdioServers.older-protocol-version', async () => {
    test.configure({ old: hostile('--old-protocol=2024-11-05') });
    assert.equal((await test.reaches('old', 'ready')).info.protocolVersion, '2024-11-05');
  });

  it('that writes its messages in pieces is understood @stdioServers.writes-messages-pieces', async () => {
    test.configure({ halves: hostile('--half-lines') });
    await test.loads('halves');
  });

  it('with other output on stdout still works, with a log line', async () => {
    test.configure({ noisy: hostile('--garbage') });
    await test.loads('noisy');
    assert.ok(test.logs.some(({ source, level }) => source === 'stdout' && level === 'warning'));
  });

  it('may write to stderr, which is logged as information @stdioServers.write-stderr-logged', async () => {
    test.configure({ one: hostile('--stderr=3') });
    const lines = () =>
      test.logs.filter(({ source, data }) => source === 'stderr' && /^stderr line/.test(String(data)));
    await waitFor(() => lines().length === 3, { what: 'the lines' });
    await test.loads('one');
    assert.ok(lines().every(({ level }) => level === 'info'));
  });

  it('that exits immediately fails with its exit code and last output', async () => {
    test.configure({ broken: hostile('--exit-at-start=3'), fine: hostile() });
    const { error } = await test.reaches('broken', 'failed');
    assert.equal(error.code, 'EXITED');
    assert.match(
      error.message,
      /MCP server "broken" could not start: Error: missing API_KEY \(its process exited with code 3\)\. Check its/,
    );
    assert.ok(error.stderrTail.length >= 3, error.stderrTail.join());
    await test.loads('fine');
    const talks = "console.log('no API_KEY is set'); process.exitCode = 1";
    test.configure({ onStdout: { command: process.execPath, args: ['-e', talks] } });
    const { message } = (await test.reaches('onStdout', 'failed')).error;
    assert.match(message, /no API_KEY is set \(its process exited with code 1\)/);
  });

  it('with a missing command fails with the command and a remedy', async () => {
    test.configure({
      gone: { command: 'no-such-command-anywhere' },
      npx: { command: 'uvx', args: ['x'], env: { PATH: '/nowhere' } },
    });
    const { error } = await test.reaches('gone', 'failed');
    assert.equal(error.code, 'COMMAND_NOT_FOUND');
    assert.match(
      error.message,
      /"gone" could not start: command not found: no-such-command-anywhere\. Check "command"/,
    );
    assert.match((await test.reaches('npx', 'failed')).error.message, /Install uv/);
  });

  for (const era of [undefined, 'modern', 'legacy']) {
    for (const command of ['no-such-command-anywhere', resolve('/no/such/folder/program')]) {
      it(`with a missing command is tried once, without a shell: ${command}; era known: ${era}`, async () => {
        test.configure({ gone: { command } });
        const server = test.server('gone');
        await server.stop('test');
        await test.memory.write(`era/${server.definition.fingerprint}`, era && { era, sse: false, at: Date.now() });
        test.logs.length = 0;
        void server.start('test');
        const { error } = await test.reaches('gone', 'failed');
        assert.equal(error.code, 'COMMAND_NOT_FOUND');
        assert.match(error.message, /command not found: .+\. Check (the path in )?"command"/);
        assert.deepEqual(error.stderrTail, []);
        assert.equal(test.logs.filter(({ source }) => source === 'stderr').length, 0);
        assert.equal(test.logs.filter(({ data }) => /^starting: /.test(String(data))).length, 1);
        assert.equal(server.vitals.lastExit, undefined);
      });
    }
  }

  it('with a missing folder is distinguished from a missing command', async () => {
    const cwd = resolve('/no/such/folder');
    test.configure({ lost: { ...hostile(), cwd } });
    const { error } = await test.reaches('lost', 'failed');
    assert.ok(error.message.includes(`working folder not found: ${cwd}`), error.message);
  });

  it('that never answers fails after startMs, and its process is gone @stdioServers.answers-fails-startms', async () => {
    test.configure({ mute: { ...hostile('--silent', '--stderr=2'), timeouts: { startMs: 600 } } });
    const { error } = await test.reaches('mute', 'failed');
    assert.equal(error.code, 'TIMEOUT');
    assert.match(error.message, /"mute" could not start: no answer within 0.6 s\. .*"startMs"/);
  });

  it('that prints only garbage fails in bounded time', async () => {
    test.configure({ junk: { ...hostile('--garbage-only'), timeouts: { startMs: 600 } } });
    assert.equal((await test.reaches('junk', 'failed')).error.code, 'TIMEOUT');
  });

  it('that does not answer a list fails only that list', async () => {
    test.configure({ half: { ...hostile('--hang-at=prompts/list'), timeouts: { requestMs: 3_000 } } });
    const { catalog } = await test.loads('half');
    assert.equal(catalog.list('tools').status, 'ready');
    assert.equal(catalog.list('prompts').status, 'failed');
    assert.match(catalog.list('prompts').error!.message, /"half" could not list its prompts: no answer within 3 s\./);
  });

  it('that answers a list with an error fails only that list, with its code', async () => {
    test.configure({ half: hostile('--error-at=tools/list') });
    const { catalog } = await test.loads('half');
    assert.equal(catalog.list('tools').error?.rpcCode, -32603);
    assert.equal(catalog.list('resources').status, 'ready');
  });

  it('is paged through to the end @stdioServers.paged-through-end', async () => {
    test.configure({ many: hostile('--tools=250', '--page-size=20') });
    assert.equal((await test.loads('many')).catalog.tools.length, 250);
  });

  it('that announces a thousand changes is listed again a few times only @stdioServers.announces-thousand', async () => {
    test.configure({ stormy: hostile('--list-changed-storm=1000') });
    const { catalog } = test.server('stormy');
    let loads = 0;
    const status = () => catalog.list('tools').status;
    const counted = catalog.onDidChange(kind => kind === 'tools' && status() === 'loading' && loads++);
    await waitFor(() => loads > 1 && status() === 'ready', { what: 'the list to be loaded again' });
    counted.dispose();
    // With the first one.
    assert.ok(loads <= 5, `${loads} loads`);
  });

  it('gets the roots, and their changes @stdioServers.gets-roots-changes', async () => {
    test.configure({ rooted: hostile('--roots') });
    await waitFor(() => test.logged(/file:\/\/\/root"/), { what: 'the roots in the log' });
    test.roots.items = [{ uri: 'file:///other', name: 'other' }];
    test.roots.changed.fire();
    await waitFor(() => test.logged(/file:\/\/\/other"/), { what: 'the changed roots in the log' });
  });

  it('gets its environment: env, envFile, PATH of the shell, no variables of the editor @stdioServers.gets-environment-env', async () => {
    process.env.VSCODE_TEST_LEAK = 'leak';
    await test.close();
    test = new TestHost({
      shellPath: async () => `/from/shell:${process.env.PATH}`,
      launch: freely.launch.with({}, async () => 'FROM_FILE=file\nBOTH=file'),
    });
    const script = 'console.error(JSON.stringify(process.env)); process.exit(1)';
    test.configure({
      env: {
        command: process.execPath,
        args: ['-e', script],
        env: { BOTH: 'settings', HOME: null },
        envFile: '/x.env',
        cwd: tmpdir(),
      },
    });
    const { error } = await test.reaches('env', 'failed');
    delete process.env.VSCODE_TEST_LEAK;
    const env = JSON.parse(error.stderrTail.at(-1)!);
    assert.equal(env.FROM_FILE, 'file');
    assert.equal(env.BOTH, 'settings');
    assert.equal(env.HOME, undefined);
    assert.match(env.PATH, /^\/from\/shell:/);
    assert.equal(env.VSCODE_TEST_LEAK, undefined);
  });

  it('with an unreadable envFile fails with its path', async () => {
    const envFile = resolve('/no/such.env');
    test.configure({ env: { ...hostile(), envFile } });
    const { error } = await test.reaches('env', 'failed');
    assert.ok(error.message.includes(`"envFile" ${envFile} could not be read. Create the file`), error.message);
  });

  it('with an envFile of too many variables fails before it is asked about', async () => {
    const envFile = join(temporaryFolder(), '.env');
    writeFileSync(envFile, 'A=1\n'.concat(...Array.from({ length: 3_000 }, (_, index) => `V${index}=x\n`)));
    test.configure({ env: { ...hostile(), envFile } });
    const { error } = await test.reaches('env', 'failed');
    assert.match(error.message, /could not be read: it has more than 2,?000 variables/);
  });

  it('is gone when stopped, also during its start, with its children, and when it ignores signals @stdioServers.gone-stopped-during', async function () {
    this.timeout(60_000);
    test.configure({
      plain: hostile(),
      deaf: hostile('--ignore-stdin-end', '--ignore-sigterm'),
      family: hostile('--grandchild', '--ignore-stdin-end'),
      starting: hostile('--silent'),
    });
    await Promise.all(['plain', 'deaf', 'family'].map(id => test.loads(id)));
    const pids = ['plain', 'deaf', 'family'].map(id => test.pid(id));
    const said = () => test.logs.find(({ server, data }) => server === 'family' && /grandchild/.test(String(data)));
    const grandchild = Number(/\d+/.exec(String((await waitFor(said, { what: 'the grandchild' })).data))?.[0]);
    assert.ok(processIsAlive(grandchild));
    await test.close();
    assert.deepEqual(pids.filter(processIsAlive), []);
    await waitFor(() => !processIsAlive(grandchild), {
      timeoutMs: 10_000,
      what: 'the grandchild, which was killed, to be gone',
    });
  });

  it('that dies takes its grandchild with it @stdioServers.dies-takes-grandchild', async () => {
    test.configure({ family: hostile('--grandchild') });
    await test.loads('family');
    const said = () => test.logs.find(({ data }) => /grandchild/.test(String(data)))?.data;
    const grandchild = Number(/\d+/.exec(String(await waitFor(said, { what: 'the grandchild' })))?.[0]);
    process.kill(test.pid('family'), 'SIGKILL');
    await test.reaches('family', 'reconnecting');
    await waitFor(() => !processIsAlive(grandchild), { what: 'the grandchild to end' });
  });
});
