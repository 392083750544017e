import assert from 'node:assert/strict';
import { english } from '../../../../../src/base/phrase';
import { parseManagedFile } from '../../../../../src/features/organization/core/managedFile';
import { fixedBy, fixedSettings } from '../../../../../src/features/organization/core/organizationRules';
import { rulesLines } from '../../../../../src/features/organization/core/rulesText';

const FILE = '/etc/mcp-host/managed-settings.json';

const rulesOf = (...values: object[]) => ({
  files: values.map(value => {
    const settings = parseManagedFile(JSON.stringify(value), FILE, 'own');
    assert.ok('rules' in settings, JSON.stringify(settings));
    return { kind: 'own' as const, path: FILE, settings };
  }),
  access: 'all' as const,
});
const said = (value: object) => rulesLines(rulesOf(value), FILE, []).map(english).join('\n');

/** Each key of the file that fixes something: the setting that it fixes, what then counts, and how people are told. */
const KEYS: readonly (readonly [object, string, object, RegExp])[] = [
  [{ sandbox: 'all' }, 'mcpHost.sandbox', { sandbox: 'all' }, /Confined at least: all/],
  [
    { sandbox: 'workspaceServers' },
    'mcpHost.sandbox',
    { sandbox: 'workspaceServers' },
    /Confined at least: workspaceServers/,
  ],
  [{ pins: 'enforce' }, 'mcpHost.pins', { enforcesPins: true }, /Changed tools are blocked until they are accepted/],
  [{ alwaysAllow: false }, 'mcpHost.approvals.skipReadOnly', { forbids: ['alwaysAllow'] }, /Each call is asked about/],
  [{ sampling: false }, 'mcpHost.sampling.policy', { forbids: ['sampling'] }, /no answers of language models/],
  [{ codeMode: false }, 'mcpHost.chat.codeMode', { forbids: ['codeMode'] }, /Models write no scripts/],
  [{ shareWithAgents: false }, 'mcpHost.shareWithAgents', { forbids: ['shareWithAgents'] }, /not shared with agents/],
  [
    { openTelemetry: { endpoint: 'https://otel.example' } },
    'mcpHost.openTelemetry',
    { openTelemetry: { endpoint: 'https://otel.example', headers: {}, content: false } },
    /are reported to https:\/\/otel\.example/,
  ],
  [
    { registry: 'https://registry.example' },
    'mcpHost.registry.url',
    { registry: 'https://registry.example' },
    /Registry that is searched: https:\/\/registry\.example/,
  ],
];
const NOTHING = { sandbox: 'off', enforcesPins: false, forbids: [] };

describe('settings that a managed file fixes', () => {
  for (const [value, name, fixed, shown] of KEYS) {
    it(`are ${name} by ${JSON.stringify(value)}, and nothing else`, () => {
      assert.deepEqual(fixedBy(rulesOf(value)), { ...NOTHING, ...fixed });
      assert.deepEqual(fixedSettings(fixedBy(rulesOf(value))), [name]);
      assert.match(said(value), shown);
    });
  }

  it('are none without a file, or with values that only allow', () => {
    assert.deepEqual(fixedSettings(fixedBy(rulesOf())), []);
    assert.deepEqual(fixedSettings(fixedBy(rulesOf({ alwaysAllow: true, alsoRead: [] }))), []);
  });

  it('combine in the strictest direction', () => {
    const both = fixedBy(
      rulesOf({ sandbox: 'workspaceServers', alwaysAllow: true }, { sandbox: 'all', pins: 'enforce' }),
    );
    assert.deepEqual(both, { ...NOTHING, sandbox: 'all', enforcesPins: true });
    assert.equal(fixedBy(rulesOf({ alwaysAllow: false }, { alwaysAllow: true })).forbids.join(), 'alwaysAllow');
  });

  it('leave servers that everybody has, and the copy of the audit log, to no setting', () => {
    const value = { managedServers: { company: { command: 'company-mcp' } }, auditLog: '/var/log/mcp-host.jsonl' };
    const { managedServers: servers, auditLog } = value;
    assert.deepEqual(structuredClone(fixedBy(rulesOf(value))), { ...NOTHING, servers, auditLog });
    assert.deepEqual(fixedSettings(fixedBy(rulesOf(value))), []);
    assert.match(
      said(value),
      /Servers that everybody has: company\n.*The audit log is copied to \/var\/log\/mcp-host\.jsonl/,
    );
  });

  it('are limits of the network for confined programs, with the sources of packages among them', () => {
    const value = {
      allowedHosts: ['*.corp.example'],
      packageSources: { npm: 'https://npm.example:8443/x', image: 'r.example/y' },
    };
    const limits = { hosts: ['*.corp.example'], sources: ['npm.example:8443', 'r.example'] };
    assert.deepEqual(fixedBy(rulesOf(value)), { ...NOTHING, limits });
    assert.match(said(value), /Allowed hosts, and no others: \*\.corp\.example\n.*nowhere else: \{"npm":/);
    const none = { ...NOTHING, limits: { hosts: undefined, sources: [] } };
    assert.deepEqual(fixedBy(rulesOf({ packageSources: {} })), none);
  });

  it('refuse everything if a server could not start, a path is not whole, or a value is neither true nor false', () => {
    const problems = [
      { managedServers: { company: { args: ['x'] } } },
      { managedServers: ['company'] },
      { managedServers: null },
      { auditLog: 'audit.jsonl' },
      { allowedHosts: 'corp.example' },
      { allowedHosts: ['https://corp.example'] },
      { allowedHosts: ['${env:HOST}'] },
      { packageSources: null },
      { packageSources: { npm: 'corp.example' } },
      { packageSources: { cargo: 'https://corp.example' } },
      { packageSources: { image: 'https://corp.example' } },
      { sampling: 'no' },
      { sampling: null },
    ].map(value => parseManagedFile(JSON.stringify(value), FILE, 'own'));
    assert.ok(
      problems.every(problem => 'values' in problem),
      JSON.stringify(problems),
    );
  });
});
