import assert from 'node:assert/strict';
import fc from 'fast-check';
import { parseManagedFile } from '../../../src/features/organization/core/managedFile';
import { allowsUrl, deniesCommand, deniesUrl, parseUrlRule } from '../../../src/features/organization/core/serverRules';
import { announce, holds } from './fuzz';
import { hostile, pick } from './texts';

const word = fc.oneof(
  hostile,
  pick(
    'corp.example',
    '*.corp.example',
    'CORP.example.',
    'evil.example',
    '@',
    ':443',
    '/',
    '..',
    '%2f',
    '*',
    '?',
    '#',
    'bücher',
    '\\',
    '[::1]',
    'localhost:*',
  ),
);
const address = fc
  .tuple(pick('https://', 'http://', 'HTTPS:', '*://', ''), fc.array(word, { maxLength: 6 }))
  .map(([scheme, words]) => scheme + words.join(''));
const ours = parseUrlRule('https://*.corp.example/mcp/*');
const quoted = (words: readonly string[]) => words.map(text => `'${text.replaceAll("'", "'\\''")}'`).join(' ');

describe('fuzz: rules of an organization', () => {
  before(announce);

  holds(
    'an allowed address is on a host of the rule, and would be denied by it',
    'urlRules',
    fc.tuple(address, address),
    ([text, url]) => {
      if (!URL.canParse(url)) return;
      const { hostname, username, pathname } = new URL(url);
      assert.ok(!('values' in ours));
      if (allowsUrl(ours, new URL(url)))
        assert.ok(
          hostname.replace(/\.$/, '').endsWith('.corp.example') && username === '' && pathname.startsWith('/mcp/'),
        );
      const rule = parseUrlRule(text);
      if (!('values' in rule) && allowsUrl(rule, new URL(url))) assert.ok(deniesUrl(rule, new URL(url)));
    },
  );

  const line = fc.tuple(pick('npx', 'uvx', 'node', '/opt/x', 'docker'), fc.array(word, { maxLength: 4 }));
  holds('a denied command is denied within shells and wrappers', 'deniedCommands', line, ([command, args]) => {
    const rule = [command, ...args];
    assert.ok(deniesCommand(rule, rule));
    assert.ok(deniesCommand(rule, ['env', 'A=b', ...rule]));
    if (rule.every(text => /^[\w./:@*?-]+$/.test(text))) assert.ok(deniesCommand(rule, ['sh', '-c', quoted(rule)]));
  });

  const file = fc.oneof(
    fc.json(),
    hostile,
    fc
      .array(fc.record({ serverUrl: address }), { maxLength: 3 })
      .map(rules => JSON.stringify({ allowedMcpServers: rules })),
  );
  holds('any text is a managed file or says why it is none', 'managedFiles', file, text => {
    const parsed = parseManagedFile(text, '/etc/x', 'own');
    assert.ok('values' in parsed || Array.isArray(parsed.rules.denied));
  });
});
