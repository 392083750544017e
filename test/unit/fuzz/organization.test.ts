import assert from 'node:assert/strict';
import fc from 'fast-check';
import { english } from '../../../src/base/phrase';
import { LaunchTexts } from '../../../src/features/organization/core/launchTexts';
import { parseManagedFile } from '../../../src/features/organization/core/managedFile';
import { parseServerRule, refusalBy } from '../../../src/features/organization/core/serverRules';
import { allowsUrl, deniesUrl, parseUrlRule } from '../../../src/features/organization/core/urlRule';
import type { ProgramEntry, ServerEntry } from '../../../src/host/settings';
import { lineOf, type Words, wrappers } from './commands';
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

/** Ways to run a package of npm, or of PyPI. */
const npm: readonly ((name: string) => Words)[] = [
  name => ['npx', '-y', name],
  name => ['npx', '--yes', `${name}@1.0.0`, '--root', '/'],
  name => ['npx', '-y', `x@npm:${name}@1.0.0`],
  name => ['npx', '-p', `x@npm:${name}`, 'x'],
  name => ['npx', '--unheard-of', name],
  name => ['npx', '-y', `https://registry.example/${name}/-/${name.replace(/^.*\//, '')}-1.0.0.tgz`],
  name => ['npx', '-y', `/tmp/node_modules/${name}`],
  name => ['npm', 'exec', `--package=${name}`, '--', 'x'],
  name => ['pnpm', `--package=${name}`, 'dlx', 'x'],
  name => ['bunx', name.toUpperCase()],
  name => ['deno', 'run', '-A', `npm:${name}@1/sub`],
  name => ['deno', '-A', `npm:/${name}`],
  name => ['deno', 'run', `https://esm.example/${name}@1.0.0?bundle`],
  name => ['node', `C:\\x\\node_modules\\${name.replace('/', '\\')}\\index.js`],
  name => ['node', '--import', `./node_modules/${name}/register.js`, '/opt/server.js'],
  name => ['node', `/x/node_modules/.pnpm/${name.replace('/', '+')}@1.0.0/node_modules/y/index.js`],
];
const unscopedNpm: typeof npm = [
  name => ['npx', '-y', `https://example.com/${name}-1.0.0-beta.1.tgz`],
  name => ['npx', '-y', `./${name}-1.0.0.tgz`],
  name => ['npx', '-y', `github:owner/${name}#main`],
  name => ['npx', '-y', `git+ssh://git@example.com/owner/${name}.git`],
  name => [`/x/node_modules/.bin/${name}`],
  name => [`${name}.cmd`, '--stdio'],
];
const pypi: typeof npm = [
  name => ['uvx', name],
  name => ['uvx', '--from', `${name}[all]==1.0.0`, 'x'],
  name => ['uv', 'tool', 'run', '--from', `git+https://example.com/owner/${name}`, 'x'],
  name => ['uvx', '--with', `y,${name}>=1`, 'x'],
  name => ['pipx', 'run', '--spec', name.replaceAll('-', '_'), 'x'],
  name => ['uvx', '--from', `https://example.com/${name.replaceAll('-', '_')}-1.0.0-py3-none-any.whl`, 'x'],
  name => ['python3', '-m', name.replaceAll('-', '_')],
  name => ['python3.12', '-um', `${name.replaceAll('-', '_')}.server`],
  name => ['python', `/venv/lib/python3.12/site-packages/${name.replaceAll('-', '_')}/main.py`],
];
const denied = fc.oneof(
  ...(
    [
      [['npx', '-y'], pick('evil-pkg', '@evil/pkg'), npm],
      [['npx', '-y'], pick('evil-pkg'), unscopedNpm],
      [['uvx'], pick('evil-pkg'), pypi],
    ] as const
  ).map(([runner, names, ways]) =>
    fc.record({ name: names, way: pick(...ways) }).map(({ name, way }) => ({
      rule: [...runner, name],
      line: way(name),
      other: way(name.replace('evil', 'good')),
    })),
  ),
);
const around = fc.array(wrappers, { maxLength: 3 });

/** Ways to write an address of a host. */
const places = [
  [
    'https://10.0.0.5/*',
    ['https://[::ffff:10.0.0.5]/', 'https://0x0a.5:8443/mcp', 'https://167772165/', 'https://[64:ff9b::a00:5]/x'],
  ],
  [
    'https://corp.example',
    ['https://CORP.example.:8080/mcp?x=1', 'https://me@corp.example/', 'https://corp.example//'],
  ],
  ['*://*.ngrok.app/*', ['http://a.ngrok.app:8080/', 'https://b.a.ngrok.app/mcp']],
  ['http://localhost/mcp', ['http://127.0.0.1:3000/mcp/', 'http://[::1]/mcp/sub', 'http://a.localhost./MCP']],
] as const;

const deniesCommand = (rule: Words, [command = '', ...args]: Words) =>
  new LaunchTexts({ type: 'stdio', command, args, env: {} } as unknown as ProgramEntry).mayRun(rule);

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
    if (rule.every(text => /^[\w./:@*?-]+$/.test(text))) assert.ok(deniesCommand(rule, ['sh', '-c', lineOf(rule)]));
  });

  holds(
    'a denied package is denied however a line names and wraps it, and no other',
    'deniedPackages',
    fc.tuple(denied, around),
    ([{ rule, line, other }, wrap]) => {
      const wrapped = (words: Words) => wrap.reduce((inner, wrapper) => wrapper(inner), words);
      assert.ok(deniesCommand(rule, wrapped(line)), lineOf(wrapped(line)));
      assert.ok(!deniesCommand(rule, wrapped(other)), lineOf(wrapped(other)));
    },
  );

  holds(
    'a denied address is denied however it is written, also to a program that is to connect to it',
    'deniedAddresses',
    fc.tuple(pick(...places.flatMap(([rule, urls]) => urls.map(url => [rule, url] as const))), around),
    ([[text, url], wrap]) => {
      const rule = parseServerRule({ serverUrl: text });
      assert.ok(!('values' in rule));
      const sets = [{ source: '/etc/x', allowed: undefined, denied: [rule] }];
      const [command = '', ...args] = wrap.reduce((inner, wrapper) => wrapper(inner), [
        'npx',
        'mcp-remote',
        url,
      ] as Words);
      for (const entry of [
        { type: 'http', url },
        { type: 'stdio', command, args, env: {} },
      ])
        assert.match(
          english(refusalBy(sets, { name: 'x', entry: entry as unknown as ServerEntry }) ?? ''),
          /denies/,
          url,
        );
    },
  );

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
