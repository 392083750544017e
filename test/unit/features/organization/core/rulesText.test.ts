import assert from 'node:assert/strict';
import { english } from '../../../../../src/base/phrase';
import { parseManagedFile } from '../../../../../src/features/organization/core/managedFile';
import { requestLines, rulesLines } from '../../../../../src/features/organization/core/rulesText';
import { parseServers } from '../../../../../src/host/settings';
import { itsServer } from '../../../../setup/itsServer';

const FILE = '/etc/mcp-host/managed-settings.json';
const { entry } = itsServer.definition;
const npx = { ...entry!, type: 'stdio' as const, command: 'npx', args: ['-y', 'pkg@1.2.3'], env: { TOKEN: 'hunter2' } };
const text = (lines: readonly Parameters<typeof english>[0][]) => lines.map(english).join('\n');

describe('the text about rules of an organization', () => {
  const rulesOf = (value: object) =>
    ({
      files: [{ kind: 'own', path: FILE, settings: parseManagedFile(JSON.stringify(value), FILE, 'own') }],
      access: 'all',
    }) as const;

  it('names each file with its rules, and what they refuse here', () => {
    const rules = rulesOf({
      deniedMcpServers: [{ serverName: 'one' }],
      pins: 'enforce',
      alwaysAllow: false,
      sandbox: 'all',
    });
    const servers = [
      { name: 'one', entry: npx },
      { name: 'two', entry: npx },
    ];
    const shown = text(rulesLines(rules, FILE, servers));
    assert.match(shown, /^\/etc\/mcp-host\/managed-settings\.json\n {2}Denied: \{"serverName":"one"\}\n/);
    assert.match(shown, / {2}Confined at least: all\n {2}Changed tools are blocked.*\n {2}Each call is asked about/);
    assert.match(shown, /\n {2}one: refused, because your organization denies it by the rule .*\n {2}two: may start$/);
  });

  it('says where requests are reported, and with what', () => {
    const openTelemetry = { endpoint: 'https://otel.example' };
    const shown = (value: object) => text(rulesLines(rulesOf({ openTelemetry: value }), FILE, []));
    assert.match(
      shown(openTelemetry),
      / {2}Requests to servers, without arguments and results, .* https:\/\/otel\.example\n/,
    );
    assert.match(
      shown({ ...openTelemetry, content: true }),
      / {2}Requests to servers, with arguments and results, are/,
    );
  });

  it('tells policies of the editor from settings of the person, and names the registry that counts', () => {
    const shown = (more: object) => text(rulesLines({ files: [], access: 'registry', ...more }, FILE, []));
    assert.match(shown({}), /\nPolicy "chat\.mcp\.access" of the editor: registry\n/);
    assert.match(shown({ isOwnAccess: true }), /\nYour setting "chat\.mcp\.access" of the editor: registry\n/);
    const registry = { address: 'https://registry.example', listed: [] };
    assert.match(shown({ registry }), /\nOnly servers that https:\/\/registry\.example lists may run\n/);
  });

  it('says that there is no file, or why one does not count', () => {
    assert.match(
      text(rulesLines({ files: [], access: 'none' }, FILE, [])),
      /There is no file \/etc.*\n\nPolicy .*: none/,
    );
    assert.match(
      text(rulesLines(rulesOf({ pins: 5 }), FILE, [])),
      / {2}This file is not accepted, so it refuses every server: "pins"/,
    );
  });

  it('asks for approval with package, version, command, tools and reach, without values of variables', () => {
    const request = {
      name: 'one',
      entry: npx,
      reason: 'it is not listed',
      tools: ['read', 'write'],
      confined: undefined,
    };
    const shown = text(requestLines(request));
    assert.equal(
      shown,
      [
        'Please allow the MCP server "one".',
        '',
        'Package: npm pkg 1.2.3',
        'Command: npx -y pkg@1.2.3',
        'Variables: TOKEN',
        'Tools: read, write',
        'It is not confined: it can do whatever the person can.',
        'Refused, because it is not listed',
        '',
        'A rule that allows it:',
        '{"serverCommand":["npx","-y","pkg@1.2.3"]}',
      ].join('\n'),
    );
  });

  it('asks for approval with the program that prints headers, too', () => {
    const entry = parseServers({
      one: { url: 'https://mcp.example/mcp', headersHelper: { command: 'npx', args: ['-y', 'pkg@1.2.3'] } },
    }).servers[0]!.entry!;
    const shown = text(requestLines({ name: 'one', entry, reason: 'no', tools: ['read'], confined: undefined }));
    assert.match(shown, /\nPackage: npm pkg 1\.2\.3\nAddress: https:\S+\nCommand: npx -y pkg@1\.2\.3\n/);
    assert.match(shown, /allows it:\n\{"serverUrl":"https:\S+"\}\n\{"serverCommand":\["npx","-y","pkg@1\.2\.3"\]\}$/);
  });
});
