import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { EditorAccess } from '../../../../../src/features/organization/core/editorPolicies';
import { Organization } from '../../../../../src/features/organization/core/organization';
import * as admission from '../../../../../src/features/organization/core/organizationRules';
import type { LaunchPurpose } from '../../../../../src/host/definition';
import { type HttpFixture, processIsAlive, startHttpFixture, waitFor } from '../../../../servers/spawn';
import { freely } from '../../../../setup/freely';
import { temporaryFolder } from '../../../../setup/paths';
import { hostile, TestHost } from '../../../host/testHost';

const DENIES_ONE = { deniedMcpServers: [{ serverName: 'one' }] };

describe('an organization', () => {
  let folder: string;
  let path: string;
  let access: EditorAccess;
  let organization: Organization;
  let test: TestHost;

  beforeEach(() => {
    folder = temporaryFolder();
    path = join(folder, 'mcp-host', 'managed-settings.json');
    access = 'all';
    const others = {
      copilot: join(folder, 'copilot.json'),
      claudeCode: join(folder, 'claude.json'),
      claudeCodeServers: '',
    };
    organization = new Organization({
      places: { files: { own: path, ...others }, owner: process.getuid?.() },
      watchMs: 20,
      editor: () => ({ access }),
      list: async () => [],
      admission: () => admission,
    });
    test = new TestHost({ launch: freely.launch.with({ organization }) });
  });
  afterEach(async () => {
    organization.dispose();
    await test.close();
  });

  function write(value: unknown): void {
    mkdirSync(dirname(path), { recursive: true, mode: 0o755 });
    writeFileSync(path, typeof value === 'string' ? value : JSON.stringify(value), { mode: 0o644 });
  }
  const refused = async (id: string) => (await test.reaches(id, 'failed')).error;
  const enforced = () => organization.enforce(test.host.servers);

  it('keeps a denied server from starting, names the rule and the file, and leaves others alone', async () => {
    write({ ...DENIES_ONE, refusal: { text: 'Ask the platform team.', link: 'https://intranet.example/mcp' } });
    test.configure({ one: hostile(), two: hostile() });
    const { code, message } = await refused('one');
    assert.equal(code, 'NOT_ALLOWED');
    assert.equal(
      message,
      `MCP server "one" could not start: your organization denies it by the rule {"serverName":"one"} in ${path}. Ask the platform team. https://intranet.example/mcp`,
    );
    await test.loads('two');
    // Nor does a person who asks for it start it.
    await test.server('one').restart('a test');
    assert.equal(test.server('one').state.kind, 'failed');
  });

  it('has the say about everything that is started for a server @organization.started-server', async () => {
    write(DENIES_ONE);
    test.configure({ one: { ...hostile(), start: 'never' } });
    for (const purpose of ['server', 'debug', 'test', 'trial'] as const) {
      await test.server('one').start('a test', purpose);
      assert.equal((await refused('one')).code, 'NOT_ALLOWED', purpose);
    }
    const { definition } = test.server('one');
    for (const purpose of ['build', 'conformance'] satisfies LaunchPurpose[])
      assert.ok('needs' in (await freely.launch.with({ organization }).admit(definition, purpose)), purpose);
  });

  it('keeps everything from starting when its file is broken', async () => {
    write('{');
    test.configure({ one: hostile() });
    assert.match((await refused('one')).message, /are not accepted, so they refuse every server: it is not valid JSON/);
  });

  it('keeps everything from starting when its file is nested deeper than any rules', async () => {
    write(`{"refusal": ${'['.repeat(3_000)}${']'.repeat(3_000)}}`);
    test.configure({ one: hostile() });
    assert.match((await refused('one')).message, /are not accepted, so they refuse every server: it is not valid JSON/);
  });

  it('keeps everything from starting while its file, or the folder around it, is a link that leads nowhere', async function () {
    if (process.platform === 'win32') return this.skip();
    const elsewhere = join(folder, 'elsewhere');
    const links: (() => void)[] = [
      () => symlinkSync(elsewhere, dirname(path)),
      () => {
        mkdirSync(dirname(path));
        symlinkSync(join(elsewhere, 'rules.json'), path);
      },
      () => writeFileSync(dirname(path), ''),
    ];
    for (const link of links) {
      rmSync(dirname(path), { recursive: true, force: true });
      link();
      test.configure({});
      test.configure({ one: hostile() });
      assert.match((await refused('one')).message, /are not accepted, so they refuse every server: it can't be read/);
    }
    rmSync(dirname(path));
    mkdirSync(elsewhere);
    symlinkSync(elsewhere, dirname(path));
    await organization.enforce(test.host.servers);
    await test.reaches('one', 'ready');
  });

  it('has the rules of the latest reading, also if one that began earlier takes longer', async () => {
    const asked = Promise.withResolvers<void>();
    const answered = Promise.withResolvers<void>();
    const lists = [
      async () => {
        asked.resolve();
        await answered.promise;
      },
    ];
    const slow = new Organization({
      places: { files: { own: path, copilot: '', claudeCode: '', claudeCodeServers: '' }, owner: process.getuid?.() },
      watchMs: 600_000,
      editor: () => ({ access: 'registry', registry: 'https://registry.example' }),
      list: async () => {
        await lists.pop()?.();
        return [];
      },
      admission: () => admission,
    });
    write({});
    const before = slow.read();
    await asked.promise;
    write({ ...DENIES_ONE, alwaysAllow: false });
    const now = await slow.read();
    answered.resolve();
    assert.equal(await before, now);
    assert.deepEqual(slow.fixed, { alwaysAllow: false });
    slow.dispose();
  });

  it('ends everything that runs when its file becomes huge, contradictory, or writable by others', async function () {
    if (process.platform === 'win32') return this.skip();
    organization.onDidChange(enforced);
    test.configure({ one: hostile(), two: hostile() });
    for (const [value, mode, why] of [
      [
        `{ "refusal": { "text": "${'a'.repeat(1_100_000)}" } }`,
        0o644,
        /are not accepted, so they refuse every server: .*larger/,
      ],
      [
        '{ "deniedMcpServers": [], "deniedMcpServers": [{ "serverName": "one" }] }',
        0o644,
        /are not accepted, so they refuse every server: .*twice/,
      ],
      ['{}', 0o646, /are not accepted, so they refuse every server: .*can be written by others/],
    ] as const) {
      await Promise.all(['one', 'two'].map(id => test.loads(id)));
      const pids = ['one', 'two'].map(id => test.pid(id));
      write(value);
      chmodSync(path, mode);
      for (const id of ['one', 'two']) assert.match((await refused(id)).message, why);
      for (const pid of pids) await waitFor(() => !processIsAlive(pid), { what: 'the process to be gone' });
      rmSync(path);
      await Promise.all(['one', 'two'].map(id => test.reaches(id, 'ready')));
    }
  });

  it('denies what its file both allows and denies, and starts the rest of what it allows', async () => {
    write({ ...DENIES_ONE, allowedMcpServers: [{ serverName: 'one' }, { serverName: 'two' }] });
    test.configure({ one: hostile(), two: hostile() });
    assert.match((await refused('one')).message, /denies it by the rule \{"serverName":"one"\}/);
    await test.loads('two');
  });

  it('ends a running server when its rules change, and starts it again when they allow it @organization.ends-running-server', async () => {
    organization.onDidChange(enforced);
    test.configure({ one: hostile(), two: hostile() });
    await test.loads('one');
    await test.loads('two');
    const [one, two] = [test.pid('one'), test.pid('two')];
    write(DENIES_ONE);
    assert.match((await refused('one')).message, /denies it/);
    await waitFor(() => !processIsAlive(one), { what: 'the process to be gone' });
    rmSync(path);
    await test.reaches('one', 'ready');
    assert.equal(test.pid('two'), two);
  });

  it('ends running servers when the policy of the editor changes', async () => {
    test.configure({ one: hostile() });
    await test.loads('one');
    access = 'none';
    await enforced();
    assert.match((await refused('one')).message, /"chat.mcp.access" of the editor allows no MCP servers/);
    access = 'all';
    await enforced();
    await test.reaches('one', 'ready');
  });

  it('says where requests are reported as soon as its file is read, and until it is gone', async () => {
    const openTelemetry = { endpoint: 'https://otel.example', headers: { a: '${env:TOKEN}' }, content: true };
    write({ openTelemetry });
    const read: unknown[] = [];
    organization.onDidRead(() => read.push(organization.fixed.openTelemetry));
    test.configure({ one: hostile() });
    await test.loads('one');
    assert.deepEqual(read.at(-1), openTelemetry);
    rmSync(path);
    await enforced();
    assert.equal(organization.fixed.openTelemetry, undefined);
  });

  it('demands a sandbox, whatever settings and entries say', async () => {
    write({ sandbox: 'all' });
    assert.equal(organization.sandboxOf('off'), 'off');
    test.configure({ one: { ...hostile(), start: 'never', sandbox: false } });
    const { definition } = test.server('one');
    const admitted = await freely.launch.with({ organization }).admit(definition, 'server');
    assert.ok(!('needs' in admitted) && admitted.entry.type === 'stdio');
    assert.equal(admitted.entry.sandbox, undefined);
    assert.equal(organization.sandboxOf('off'), 'all');
    assert.ok(organization.confines(definition));
  });

  describe('of remote servers', () => {
    let http: HttpFixture;
    before(async () => {
      http = await startHttpFixture();
    });
    after(() => http.stop());

    it('has the say about their addresses, and about each redirect @organization.addresses-redirect', async () => {
      const origin = new URL(http.url('/')).origin;
      const to = encodeURIComponent(http.url('/mcp'));
      write({ allowedMcpServers: [{ serverUrl: `${origin}/redirect*` }, { serverUrl: `${origin}/html` }] });
      test.configure({ other: { url: http.url('/mcp') }, moved: { url: http.url(`/redirect?status=307&to=${to}`) } });
      assert.match((await refused('other')).message, /allows only servers that .* lists/);
      const { code, message } = await refused('moved');
      assert.equal(code, 'NOT_ALLOWED');
      assert.match(message, /it redirects to http:\/\/127\.0\.0\.1:\d+\/mcp, which your organization does not allow/);
      write({ allowedMcpServers: [{ serverUrl: `${origin}/*` }] });
      await enforced();
      await test.reaches('other', 'ready');
      await test.reaches('moved', 'ready');
    });
  });
});
