import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { english, phrase } from '../../../../../src/base/phrase';
import type { EditorPolicies } from '../../../../../src/features/organization/core/editorPolicies';
import type { FileKind } from '../../../../../src/features/organization/core/managedFile';
import { type ManagedPlaces, managedPlaces } from '../../../../../src/features/organization/core/managedPlaces';
import {
  type ListRegistry,
  ownOf,
  readRules,
  refusalOf,
  refusalOfBuild,
  remedyOf,
} from '../../../../../src/features/organization/core/organizationRules';
import { parseServers } from '../../../../../src/host/settings';
import { itsServer } from '../../../../setup/itsServer';
import { temporaryFolder } from '../../../../setup/paths';

const isWindows = process.platform === 'win32';

describe('the managed files of an organization', () => {
  let folder: string;
  let places: ManagedPlaces;

  beforeEach(() => {
    folder = temporaryFolder();
    const file = (kind: FileKind) => join(folder, kind, 'managed-settings.json');
    const files = {
      own: file('own'),
      copilot: file('copilot'),
      claudeCode: file('claudeCode'),
      claudeCodeServers: join(folder, 'claudeCode', 'managed-mcp.json'),
    };
    places = { files, owner: process.getuid?.() };
  });

  function write(value: unknown, kind: FileKind = 'own', mode = 0o644): string {
    const path = places.files[kind];
    mkdirSync(dirname(path), { recursive: true, mode: 0o755 });
    writeFileSync(path, typeof value === 'string' ? value : JSON.stringify(value));
    chmodSync(path, mode);
    return path;
  }
  /** Whether the fixture server may start. */
  async function said(
    editor: EditorPolicies = { access: 'all' },
    listed: Awaited<ReturnType<ListRegistry>> = [],
  ): Promise<string> {
    const { name, entry } = itsServer.definition;
    const refused = refusalOf(await readRules(places, editor, async () => listed), { name, entry: entry! });
    return refused ? english(refused) : 'may start';
  }

  it('refuse nothing where there are none', async () => {
    assert.equal(await said(), 'may start');
    mkdirSync(join(folder, 'own'));
    assert.equal(await said(), 'may start');
  });

  it('are at places that nobody but an administrator can change', () => {
    assert.equal(managedPlaces('linux').files.own, '/etc/mcp-host/managed-settings.json');
    assert.equal(managedPlaces('darwin').files.own, '/Library/Application Support/MCP Host/managed-settings.json');
    assert.equal(managedPlaces('win32').files.own, 'C:\\Program Files\\MCP Host\\managed-settings.json');
    assert.equal(managedPlaces('linux').owner, 0);
  });

  it('let remote servers be only at the hosts that are allowed', async () => {
    write({ allowedHosts: ['*.corp.example', 'mcp.example:8443'] });
    const rules = await readRules(places, undefined, async () => []);
    const saidOf = (url: string) => {
      const entry = parseServers({ one: { url } }).servers[0]?.entry;
      const refused = refusalOf(rules, { name: 'one', entry: entry! });
      return refused ? english(refused) : 'may start';
    };
    for (const url of ['https://mcp.corp.example/mcp', 'http://a.b.corp.example:80/', 'https://MCP.example:8443/x'])
      assert.equal(saidOf(url), 'may start', url);
    for (const url of [
      ...['https://corp.example.evil.example/', 'https://mcp.example/', 'https://mcp.corp.example:8443/'],
      ...['https://evil.example/?x=.corp.example', 'http://127.0.0.1/'],
    ])
      assert.match(saidOf(url), /^your organization allows only the hosts in .*, and .* is none of them$/, url);
    assert.equal(await said(), 'may start');
  });

  it('let only the servers that are listed have exceptions from the checks of a sign-in @organizationRules.let-servers-listed', async () => {
    write({ signInExceptions: ['https://mcp.slack.com/*'] });
    const rules = await readRules(places, undefined, async () => []);
    const saidOf = (url: string, oauth?: object) => {
      const entry = parseServers({ one: { url, ...(oauth && { oauth }) } }).servers[0]?.entry;
      const refused = refusalOf(rules, { name: 'one', entry: entry! });
      return refused ? english(refused) : 'may start';
    };
    const byHand = { authorizationUrl: 'https://a.example', tokenUrl: 'https://b.example', clientId: 'me' };
    for (const oauth of [{ issuer: 'https://slack.com' }, { pkce: 'assumed' }, byHand, { resource: false }]) {
      assert.equal(saidOf('https://mcp.slack.com/mcp', oauth), 'may start');
      assert.match(
        saidOf('https://mcp.slack.com.evil.example/mcp', oauth),
        /your organization lists in .* is none of them$/,
      );
    }
    assert.match(saidOf('https://a.example', byHand), /with "authorizationUrl", "tokenUrl", is none of them$/);
    assert.equal(saidOf('https://a.example', { clientId: 'me', scopes: ['read'] }), 'may start');
    assert.equal(saidOf('https://a.example'), 'may start');
  });

  it('refuse everything when they are broken, huge, contradictory, not understood or no files @organizationRules.refuse-broken-huge', async () => {
    const cases: [unknown, RegExp][] = [
      ['', /not valid JSON/],
      ['{"allowedMcpServers": [}', /not valid JSON/],
      ['{} // comment', /not valid JSON/],
      ['[]', /not valid JSON/],
      ['['.repeat(500_000), /not valid JSON/],
      [`{"deniedMcpServers": [], "x": "${'x'.repeat(1024 * 1024)}"}`, /larger than 1 MB/],
      ['{"allowedMcpServers": [], "allowedMcpServers": [{"serverName": "one"}]}', /says "allowedMcpServers" twice/],
      ['{"allowedMcpServers": [{"serverName": "a", "serverName": "b"}]}', /says "serverName" twice/],
      [{ allowedMcpServer: [] }, /"allowedMcpServer" is not known to this version; did you mean "allowedMcpServers"\?/],
      [{ allowedMcpServers: {} }, /is not a list/],
      [
        { deniedMcpServers: [{ serverName: 'x' }, { serverUrl: 'https://a*.example/' }] },
        /rule 2 of "deniedMcpServers"/,
      ],
      [{ sandbox: 'off' }, /"sandbox" is none of these/],
      [{ pins: 'off' }, /"pins" is none of these/],
      [{ alwaysAllow: 'no' }, /"alwaysAllow" is none of these/],
      [{ alsoRead: ['cursor'] }, /"alsoRead" is none of these/],
      [{ openTelemetry: { endpoint: 'otel.example' } }, /"openTelemetry.endpoint" is an address/],
      [{ openTelemetry: {} }, /"openTelemetry.endpoint" is an address/],
      [
        { openTelemetry: { endpoint: 'https://otel.example', headers: { a: '${input:a}' } } },
        /"openTelemetry.headers" takes only these variables: \$\{env:NAME\}/,
      ],
      [{ registry: 'registry.example' }, /"registry" is none of these/],
      [{ registry: 'file:///etc' }, /"registry" is none of these/],
      [{ registry: 'https://user@registry.example' }, /"registry" is none of these/],
      [{ registry: false }, /"registry" is none of these/],
      [{ refusal: { link: 'command:x' } }, /"refusal" is none of these/],
    ];
    for (const [value, why] of cases) {
      const path = write(value);
      const told = await said();
      assert.match(told, /^the rules of your organization in .* are not accepted, so they refuse every server: /);
      assert.ok(told.includes(path));
      assert.match(told, why, String(value).slice(0, 100));
    }
    rmSync(places.files.own);
    mkdirSync(places.files.own);
    assert.match(await said(), /not a regular file/);
  });

  it('refuse everything when others may write them or their folder, or own them @organizationRules.refuse-write-folder', async function () {
    if (isWindows) return this.skip();
    const path = write({}, 'own', 0o664);
    assert.match(await said(), /can be written by others/);
    chmodSync(path, 0o646);
    assert.match(await said(), /can be written by others/);
    chmodSync(path, 0o644);
    assert.equal(await said(), 'may start');
    chmodSync(dirname(path), 0o777);
    assert.match(await said(), /can be written by others/);
    chmodSync(dirname(path), 0o755);
    places = { ...places, owner: 4_321 };
    assert.match(await said(), /does not belong to the administrator/);
  });

  it('count together with those of other products that ours names', async () => {
    const denial = { deniedMcpServers: [{ serverName: itsServer.definition.name }], permissions: { anything: true } };
    const path = write(denial, 'copilot');
    write({});
    assert.equal(await said(), 'may start');
    write({ alsoRead: ['copilot', 'claudeCode'] });
    assert.ok((await said()).includes(`in ${path}`));
    write('{', 'claudeCode');
    assert.match(await said(), /claudeCode.* are not accepted/);
  });

  it('count together with the policy of the editor', async () => {
    assert.match(await said({ access: 'none' }), /policy "chat.mcp.access" of the editor allows no MCP servers/);
    assert.match(await said({ access: 'none', isOwn: true }), /^your setting "chat.mcp.access" allows no MCP servers/);
  });

  it('count together with the lists of the editor, and refuse everything when these are not understood', async () => {
    const deniedMcpServers = [{ serverName: itsServer.definition.name }];
    assert.match(
      await said({ access: 'all', lists: { deniedMcpServers } }),
      /^your organization denies it by the rule \{[^{}]*\} in chat\.mcp\.deniedServers$/,
    );
    assert.equal(
      await said({ access: 'all', lists: { allowedMcpServers: [] } }),
      'your organization allows only servers that chat.mcp.allowedServers lists, and it is not one of them',
    );
    // With both, the one that does not concern it is not named.
    assert.match(
      await said({ access: 'all', lists: { allowedMcpServers: deniedMcpServers, deniedMcpServers } }),
      /^your organization denies it by the rule \{[^{}]*\} in chat\.mcp\.deniedServers$/,
    );
    assert.match(
      await said({ access: 'all', lists: { allowedMcpServers: [], deniedMcpServers } }),
      /in chat\.mcp\.deniedServers; also, your organization allows only servers that chat\.mcp\.allowedServers lists/,
    );
    assert.match(
      await said({ access: 'all', lists: { allowedMcpServers: [], deniedMcpServers: 'files' } }),
      /^the rules of your organization in chat\.mcp\.deniedServers are not accepted/,
    );
    assert.match(
      await said({ access: 'all', lists: { allowedMcpServers: 'files' } }),
      /are not accepted, so they refuse every server/,
    );
  });

  it('allow only what the registry lists, if the policy of the editor says so @organizationRules.allow-registry-lists', async () => {
    const { entry } = itsServer.definition;
    assert.ok(entry?.type === 'stdio');
    const { command, args } = entry;
    const registry = 'https://registry.example';
    assert.match(await said({ access: 'registry' }, [{ command, args }]), /names one$/);
    assert.equal(await said({ access: 'registry', registry }, [{ command, args }]), 'may start');
    assert.match(
      await said({ access: 'registry', registry }, [{ command, args: [...args, '--more'] }]),
      /https:\/\/registry\.example lists none with this command/,
    );
    assert.match(await said({ access: 'registry', registry }, phrase('it hangs')), /could not be asked: it hangs/);
    // That of our file comes first: the editor's may be the person's own setting.
    write({ registry });
    assert.equal(await said({ access: 'registry' }, [{ command, args }]), 'may start');
    assert.match(
      await said({ access: 'registry', registry: 'https://mine.example' }, []),
      /https:\/\/registry\.example lists none/,
    );
    // A denial is a denial.
    write({ registry, deniedMcpServers: [{ serverName: itsServer.definition.name }] });
    assert.match(await said({ access: 'registry' }, [{ command, args }]), /denies/);
  });

  it('allow only the servers that Claude Code deploys, if our file names its files', async () => {
    const { name, entry } = itsServer.definition;
    assert.ok(entry?.type === 'stdio');
    const { command, args } = entry;
    const deployed = (mcpServers: unknown) => write({ mcpServers }, 'claudeCodeServers');
    const path = deployed({});
    assert.equal(await said(), 'may start');
    write({ alsoRead: ['claudeCode'] });
    assert.ok((await said()).includes(`only servers that ${path} lists`));
    deployed({ [name]: { command: 'other', args } });
    assert.match(await said(), /lists, and it is not one of them/);
    deployed({ whatever: { type: 'stdio', command, args, env: {} }, far: { type: 'http', url: 'https://x.example/' } });
    assert.equal(await said(), 'may start');
    for (const wrong of [
      undefined,
      [],
      { a: {} },
      { a: { command, args: 'x' } },
      { a: { url: 'https://*/' } },
      { a: 5 },
    ]) {
      deployed(wrong);
      assert.match(await said(), /managed-mcp\.json are not accepted/, JSON.stringify(wrong));
    }
  });

  it('say what else is fixed, and what goes with a refusal', async () => {
    const refusal = { text: 'Ask the platform team.', link: 'https://intranet.example/mcp' };
    write({ sandbox: 'workspaceServers', pins: 'enforce', alwaysAllow: false, refusal });
    const rules = await readRules(places, { access: 'all' }, async () => []);
    assert.deepEqual(ownOf(rules), { sandbox: 'workspaceServers', pins: 'enforce', alwaysAllow: false, refusal });
    assert.equal(remedyOf(rules), 'Ask the platform team. https://intranet.example/mcp');
  });

  it('count for the program that a server is built with', async () => {
    const { name, entry } = itsServer.definition;
    assert.ok(entry?.type === 'stdio');
    const built = { name, entry: { ...entry, dev: { ...entry.dev, build: 'npx -y pkg' } } } as Parameters<
      typeof refusalOfBuild
    >[1];
    write({ deniedMcpServers: [{ serverCommand: ['npx', 'pkg'] }] });
    const rules = await readRules(places, { access: 'all' }, async () => []);
    assert.equal(refusalOf(rules, built), undefined);
    assert.match(english(refusalOfBuild(rules, built)!), /denies/);
  });

  it('count for the program that prints the headers of a server as for any other @organizationRules.count-program-prints', async () => {
    const refused = async (rule: object, headersHelper: unknown) => {
      write(rule);
      const [{ entry } = {}] = parseServers({ one: { url: 'https://mcp.example/mcp', headersHelper } }).servers;
      const reason = refusalOf(await readRules(places, { access: 'all' }, async () => []), {
        name: 'one',
        entry: entry!,
      });
      return reason && english(reason);
    };
    const denied = { deniedMcpServers: [{ serverCommand: ['npx', 'pkg'] }] };
    const why = /^its "headersHelper" may not run: your organization denies it by the rule .*pkg/;
    assert.match((await refused(denied, 'npx -y pkg@1.2.3 --json'))!, why);
    assert.match((await refused(denied, 'npx -y pkg | jq .'))!, why);
    assert.match((await refused(denied, { command: 'env', args: ['npx', 'pkg'] }))!, why);
    assert.match(
      (await refused(denied, 'echo "$(anything)"'))!,
      /^its "headersHelper" may not run: .* it cannot be told/,
    );
    assert.equal(await refused(denied, '/opt/bin/get-headers --json'), undefined);
    const allowed = (...more: object[]) => ({ allowedMcpServers: [{ serverUrl: 'https://mcp.example/*' }, ...more] });
    assert.equal(await refused(allowed(), undefined), undefined);
    assert.match(
      (await refused(allowed(), '/opt/bin/get-headers'))!,
      /^its "headersHelper" may not run: .* allows only/,
    );
    const listed = allowed({ serverCommand: ['/opt/bin/get-headers'] });
    assert.equal(await refused(listed, '/opt/bin/get-headers'), undefined);
    const more = { command: '/opt/bin/get-headers', env: { PATH: '/tmp' } };
    assert.match((await refused(listed, more))!, /but not with the variable PATH/);
  });
});
