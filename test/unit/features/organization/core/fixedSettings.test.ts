import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { english } from '../../../../../src/base/phrase';
import {
  fixedSettings,
  MANAGED_KEYS,
  parseManagedFile,
} from '../../../../../src/features/organization/core/managedFile';
import { limitsOf, ownOf } from '../../../../../src/features/organization/core/organizationRules';
import { rulesLines } from '../../../../../src/features/organization/core/rulesText';
import { root } from '../../../../setup/paths';

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

/** A file with one key, the setting that it fixes, and its line for people. */
const KEYS: readonly (readonly [object, string, RegExp])[] = [
  [{ sandbox: 'all' }, 'mcpHost.sandbox', /Confined at least: all/],
  [{ sandbox: 'workspaceServers' }, 'mcpHost.sandbox', /Confined at least: workspaceServers/],
  [{ pins: 'enforce' }, 'mcpHost.pins', /Changed tools are blocked until they are accepted/],
  [{ alwaysAllow: false }, 'mcpHost.approvals.skipReadOnly', /Each call is asked about/],
  [{ sampling: false }, 'mcpHost.sampling.policy', /no answers of language models/],
  [{ codeMode: false }, 'mcpHost.chat.codeMode', /Models write no scripts/],
  [{ shareWithAgents: false }, 'mcpHost.shareWithAgents', /not shared with agents/],
  [
    { identityProvider: { issuer: 'https://login.corp.example', clientId: 'editor' } },
    'mcpHost.signIn.identityProvider',
    /Identity provider for all servers: https:\/\/login\.corp\.example/,
  ],
  [
    { clientMetadataUrl: 'https://corp.example/oauth-client.json' },
    'mcpHost.signIn.clientMetadataUrl',
    /known to authorization servers by https:\/\/corp\.example\/oauth-client\.json/,
  ],
  [
    { openTelemetry: { endpoint: 'https://otel.example', headers: {}, content: false } },
    'mcpHost.openTelemetry',
    /are reported to https:\/\/otel\.example/,
  ],
  [
    { registry: 'https://registry.example' },
    'mcpHost.registry.url',
    /Registry that is searched: https:\/\/registry\.example/,
  ],
];

describe('settings that a managed file fixes', () => {
  for (const [value, name, shown] of KEYS) {
    it(`are ${name} by ${JSON.stringify(value)}, and nothing else`, () => {
      const own = ownOf(rulesOf(value));
      assert.deepEqual(fixedSettings(own), [name]);
      assert.deepEqual(own, value);
      assert.match(said(value), shown);
    });
  }

  it('have a row for each key in the documentation', () => {
    const rows = readFileSync(join(root, 'docs/organizations.md'), 'utf8').split('\n');
    for (const name of Object.keys(MANAGED_KEYS))
      assert.ok(
        rows.some(row => row.startsWith(`| \`${name}\` |`)),
        name,
      );
  });

  it('are none without a file, or with values that only allow', () => {
    assert.deepEqual(fixedSettings(ownOf(rulesOf())), []);
    assert.deepEqual(fixedSettings(ownOf(rulesOf({ alwaysAllow: true, alsoRead: [] }))), []);
  });

  it('leave servers that everybody has, and the copy of the audit log, to no setting', () => {
    const value = { managedServers: { company: { command: 'company-mcp' } }, auditLog: '/var/log/mcp-host.jsonl' };
    assert.deepEqual(structuredClone(ownOf(rulesOf(value))), value);
    assert.deepEqual(fixedSettings(ownOf(rulesOf(value))), []);
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
    assert.deepEqual(limitsOf(ownOf(rulesOf(value))), limits);
    assert.match(said(value), /Allowed hosts, and no others: \*\.corp\.example\n.*nowhere else: \{"npm":/);
    assert.deepEqual(limitsOf(ownOf(rulesOf({ packageSources: {} }))), { hosts: undefined, sources: [] });
    assert.equal(limitsOf(ownOf(rulesOf({}))), undefined);
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
      { identityProvider: { clientId: 'editor' } },
      { identityProvider: { issuer: 'login', clientId: 'editor' } },
      { clientMetadataUrl: 'http://corp.example/oauth-client.json' },
      { clientMetadataUrl: 'https://corp.example' },
      { signInExceptions: false },
      { signInExceptions: ['https://a*.example/'] },
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
