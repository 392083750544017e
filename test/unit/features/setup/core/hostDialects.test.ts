import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { MCPConfigRegistry } from '@gleanwork/mcp-config-schema';
import { stringify as tomlText } from 'smol-toml';
import { stringify as yamlText } from 'yaml';
import { readContent, readPasted, readServers } from '../../../../../src/features/setup/core/hostDialects';
import type { Dialect } from '../../../../../src/features/setup/core/hostVariables';
import type { ServerDraft } from '../../../../../src/features/setup/core/serverDraft';
import { parseInputs } from '../../../../../src/host/settings/inputs';
import { parseServers } from '../../../../../src/host/settings/parseServers';
import { inRepository } from '../../../../setup/paths';

function sample(file: string, dialect: Dialect): Map<string, ServerDraft> {
  const path = inRepository('test/setup-samples', file);
  const drafts = readServers(readContent(readFileSync(path, 'utf8'), path), dialect);
  for (const { name, entry, inputs } of drafts) {
    // Whatever is read must be an entry that settings take without a word.
    assert.deepEqual(parseServers({ [name]: entry }).servers[0]?.problems, [], name);
    assert.deepEqual(parseInputs(inputs).problems, []);
  }
  return new Map(drafts.map(draft => [draft.name, draft]));
}

describe('servers of other hosts:', () => {
  it('VS Code: comments and trailing commas are accepted, inputs imported, missing ones created', () => {
    const servers = sample('vscode/mcp.json', 'vscode');
    assert.deepEqual([...servers.keys()], ['perplexity', 'github', 'where']);
    const perplexity = servers.get('perplexity')!;
    assert.deepEqual(perplexity.entry, {
      command: 'npx',
      args: ['-y', 'server-perplexity-ask', '--region', '${input:region}'],
      env: { PERPLEXITY_API_KEY: '${input:perplexity-key}', HOME_DIR: '${userHome}' },
      envFile: '${workspaceFolder}/.env',
    });
    assert.deepEqual(perplexity.inputs, [
      { type: 'pickString', id: 'region', description: 'Region', options: ['eu', 'us'] },
      { type: 'promptString', id: 'perplexity-key', description: 'Perplexity API Key', password: true },
    ]);
    const made = { type: 'promptString', id: 'not-defined', description: 'not-defined', password: true };
    assert.deepEqual(servers.get('github')!.inputs, [made]);
    const where = servers.get('where')!;
    assert.deepEqual(where.notes, []);
    assert.deepEqual(where.entry.args, ['${workspaceFolderBasename}/server.js']);
  });

  it('Claude Desktop: apparent variables are plain text', () => {
    const servers = sample('claude/claude_desktop_config.json', 'claudeDesktop');
    assert.deepEqual(servers.get('filesystem')!.entry.args, [
      '-y',
      '@modelcontextprotocol/server-filesystem',
      '/Users/me/Desktop',
      '$${HOME}/Documents',
    ]);
    assert.equal(servers.get('github')!.entry.command, 'docker');
  });

  it('Claude Code: ${NAME} is an environment variable, with its default', () => {
    const servers = sample('claude/claude.json', 'claudeCode');
    assert.deepEqual(servers.get('db')!.entry, {
      command: '${env:BIN:-/usr/bin}/db-server',
      args: ['--dsn', '${env:DB_DSN}'],
    });
    assert.deepEqual(servers.get('db')!.notes, []);
    assert.deepEqual(servers.get('sentry')!.entry, {
      type: 'http',
      url: 'https://mcp.sentry.dev/mcp',
      oauth: { clientId: 'abc', redirectUri: 'http://localhost:8080/callback' },
    });
  });

  it('Cursor: its variables, its .env file and its sign-in client are imported', () => {
    const servers = sample('cursor/mcp.json', 'cursor');
    assert.deepEqual(servers.get('notion')!.entry.oauth, {
      clientId: '${env:NOTION_CLIENT}',
      clientSecret: 's3cR3tS3cr3tS3cr3tAb12',
      scopes: ['read'],
    });
    assert.deepEqual(servers.get('tools')!.entry, {
      command: 'python',
      args: ['${workspaceFolder}/tools/mcp_server.py', '--log${/}tools.log'],
      env: { API_KEY: '${env:API_KEY}' },
      envFile: '${workspaceFolder}/.env',
    });
  });

  it('Windsurf: "serverUrl" and disabled servers are imported', () => {
    const servers = sample('windsurf/mcp_config.json', 'windsurf');
    assert.deepEqual(servers.get('figma')!.entry, {
      type: 'http',
      url: 'https://figma.example.com/sse',
      headers: { API_KEY: 'Bearer ${env:FIGMA_TOKEN}' },
    });
    assert.equal(servers.get('off')!.entry.enabled, false);
  });

  it('Zed: JSON with comments and both command forms are read; servers of extensions are left out', () => {
    const servers = sample('zed/settings.json', 'zed');
    assert.deepEqual([...servers.keys()], ['local', 'older', 'remote']);
    assert.deepEqual(servers.get('older')!.entry, { command: '/opt/older/server', args: ['--stdio'], env: { A: 'b' } });
    assert.deepEqual(servers.get('local')!.entry.args, ['run', '/srv/mcp/main.py', '$${NOT_A_VARIABLE}']);
  });

  it('Cline: seconds become milliseconds, and approvals are dropped', () => {
    const servers = sample('cline/cline_mcp_settings.json', 'cline');
    const weather = servers.get('weather')!;
    assert.deepEqual(weather.entry.timeouts, { toolCallMs: 60_000 });
    assert.deepEqual(weather.notes, [{ kind: 'leftOut', what: 'autoApprove' }]);
    assert.ok(!('enabled' in weather.entry));
    assert.deepEqual(servers.get('linear')!.entry, { type: 'http', url: 'https://mcp.linear.app/mcp', enabled: false });
    assert.deepEqual(servers.get('linear')!.notes, []);
    assert.equal(servers.get('old')!.entry.type, 'sse');
  });

  it('Continue: lists in YAML and older JSON are read; secrets become inputs', () => {
    const servers = sample('continue/config.yaml', 'continue');
    assert.deepEqual(servers.get('SQLite MCP')!.entry.args, ['-y', 'mcp-sqlite', '/path/to/your/database.db']);
    const search = servers.get('Search')!;
    assert.deepEqual(search.entry, {
      type: 'http',
      url: 'https://search.example.com/mcp',
      headers: { Authorization: 'Bearer ${input:SEARCH_TOKEN}' },
    });
    assert.deepEqual(search.inputs, [
      { type: 'promptString', id: 'SEARCH_TOKEN', description: 'SEARCH_TOKEN', password: true },
    ]);
    assert.deepEqual([...sample('continue/config.json', 'continue').keys()], ['sqlite', 'example']);
    assert.deepEqual([...sample('continue/playwright.yaml', 'continue').keys()], ['Browser search']);
  });

  it('invalid names are made valid for settings', () => {
    const entry = { command: 'x' };
    const named = readServers(
      { mcpServers: { 'io.github/some\\server': entry, ' a \u202e b ': entry, '': entry } },
      'cursor',
    );
    assert.deepEqual(
      named.map(({ name }) => name),
      ['io.github-some-server', 'a b', 'server'],
    );
  });

  it('other content of a file is ignored', () => {
    for (const content of [
      undefined,
      null,
      5,
      'x',
      [],
      {},
      { mcpServers: 7 },
      { mcpServers: { a: 1, b: {}, c: { command: '' } } },
    ])
      assert.deepEqual(readServers(content, 'cursor'), []);
    const many = Object.fromEntries(Array.from({ length: 5000 }, (_, n) => [`s${n}`, { command: 'x' }]));
    assert.equal(readServers({ mcpServers: many }, 'cursor').length, 500);
  });
});

describe('readPasted', () => {
  const names = (text: string) => readPasted(text).map(({ name }) => name);

  it('accepts a fenced block whose line breaks a box of one line has made spaces', () => {
    const names = (text: string) => readPasted(text).map(({ name }) => name);
    assert.deepEqual(names('```json { "github": { "url": "https://x.example/mcp" } } ```'), ['github']);
    assert.deepEqual(names('Add this:  ``` "a": { "command": "x" }, "b": { "command": "y" } ``` and restart.'), [
      'a',
      'b',
    ]);
    assert.deepEqual(names('Run ```npm i``` first. ```json { "mcpServers": { "c": { "command": "x" } } } ```'), ['c']);
  });

  it('accepts a whole file, a part of one, or a fenced block', () => {
    assert.deepEqual(names('{ "mcpServers": { "a": { "command": "npx", "args": ["x"] } } }'), ['a']);
    assert.deepEqual(names('"mcpServers": { "a": { "command": "npx" } },'), ['a']);
    assert.deepEqual(names('"a": { "command": "npx" }, "b": { "url": "https://b.example/mcp" }'), ['a', 'b']);
    assert.deepEqual(names('{ "command": "npx", "args": ["-y", "@scope/mcp-server-time@1.2"] }'), ['time']);
    assert.deepEqual(names('{ "url": "https://mcp.example.com/mcp" }'), ['example']);
    assert.deepEqual(names('Add this:\n```json\n{ "servers": { "c": { "command": "x" } } }\n```\nand restart.'), ['c']);
    assert.deepEqual(names('context_servers:\n'), []);
    assert.deepEqual(names('mcpServers:\n  - name: d\n    command: x\n'), ['d']);
    assert.deepEqual(names('"mcp": { "servers": { "e": { "command": "x" } } }'), ['e']);
    assert.deepEqual(names('"mcpHost.servers": { "f": { "command": "x" } }'), ['f']);
  });

  it('finds nothing in other text', () => {
    for (const text of ['', 'npm install x', '{', '[1, 2]', '{"a": {"b": 1}}', '# heading', 'a: &a [*a]'])
      assert.deepEqual(readPasted(text), [], text);
  });

  it('leaves out a server or an input that is too large to review, and takes the others', () => {
    const long = 'x'.repeat(200_000);
    const inputs = [{ type: 'promptString', id: 'token', description: long }];
    const servers = { huge: { command: 'x', env: { A: long } }, small: { command: 'y', env: { A: '${input:token}' } } };
    const [draft, ...others] = readPasted(JSON.stringify({ servers, inputs }));
    assert.deepEqual([draft?.name, others], ['small', []]);
    assert.ok(JSON.stringify(draft?.inputs).length < 1_000);
  });

  it('reads a text once, and skips one that is too large @hostDialects.reads-text-once', function () {
    this.timeout(60_000);
    // Half a minute with a search from every line break, and it grows with the square.
    assert.deepEqual(names(`\`\`\`${'\n'.repeat(500_000)}`), []);
    const server = '{ "a": { "command": "npx" } }';
    assert.deepEqual([names(server), names(server + ' '.repeat(1024 * 1024))], [['a'], []]);
  });

  it('does not try to read what is nested more deeply than any server @hostDialects.try-read-nested', () => {
    const shapes = [
      '['.repeat(100_000),
      '{"a":'.repeat(100_000),
      '- '.repeat(100_000),
      'a\n? '.concat('? '.repeat(600)),
    ];
    for (const shape of shapes) {
      assert.throws(() => readContent(shape, 'a.yaml'), /^PhraseError: this is nested too deeply$/);
      assert.deepEqual(names(shape), []);
    }
    assert.throws(() => readContent('['.repeat(501)), /nested too deeply/);
    assert.throws(() => readContent(`/*"*/${'['.repeat(100_000)}`), /^PhraseError: this is nested too deeply$/);
    const server = '{ "a": { "command": "npx", "args": ["[[[", "\\"{{{"] } }';
    assert.deepEqual(names(`${'"[" '.repeat(1_000)}\n\`\`\`\n${server}\n\`\`\``), ['a']);
  });

  it('reads ${NAME} as an environment variable, and VS Code inputs as inputs', () => {
    const [draft] = readPasted('{ "a": { "command": "x", "env": { "T": "${T}" } } }');
    assert.deepEqual(draft?.entry.env, { T: '${env:T}' });
    const [input] = readPasted('{ "servers": { "a": { "command": "x", "env": { "T": "${input:t}" } } } }');
    assert.equal(input?.inputs[0]?.id, 't');
  });

  it('reports the line of a syntax error without quoting the text', () => {
    assert.throws(() => readContent('{\n  "a": "ghp_secret" oops\n}'), /in line 2$/);
    assert.throws(
      () => readContent('a: "secret\nb: [', 'x.yaml'),
      (error: Error) => !error.message.includes('secret'),
    );
  });
});

describe('what another package writes for each host', () => {
  const registry = new MCPConfigRegistry({ serverPackage: '@x/server' });
  const dialects: Readonly<Record<string, Dialect>> = {
    ...{ 'antigravity-cli': 'antigravity', antigravity: 'antigravity', 'claude-code': 'claudeCode', codex: 'codex' },
    ...{
      'claude-desktop': 'claudeDesktop',
      'cursor-agent': 'cursor',
      cursor: 'cursor',
      gemini: 'gemini',
      goose: 'goose',
    },
    ...{ jetbrains: 'unknown', junie: 'junie', opencode: 'opencode', vscode: 'vscode', windsurf: 'windsurf' },
  };
  const writers = {
    json: (value: unknown) => JSON.stringify(value),
    yaml: (value: unknown) => yamlText(value),
    toml: (value: unknown) => tomlText(value),
  };
  for (const { id, configFormat } of registry.getAllConfigs()) {
    // Those without a file are set up on web pages.
    const dialect = dialects[id];
    if (!dialect) continue;
    const written = (options: Parameters<ReturnType<typeof registry.createBuilder>['buildConfiguration']>[0]) =>
      writers[configFormat](registry.createBuilder(id).buildConfiguration(options));
    for (const how of ['imported', 'pasted'] as const) {
      const read = (text: string) => {
        const drafts =
          how === 'pasted' ? readPasted(text) : readServers(readContent(text, `x.${configFormat}`), dialect);
        return drafts.map(({ name, entry, notes }) => [name, entry, notes]);
      };
      it(`is read as it was meant: ${id}, a program, ${how}`, () =>
        assert.deepEqual(read(written({ transport: 'stdio', serverName: 'my', env: { A: 'b' } })), [
          ['my', { command: 'npx', args: ['-y', '@x/server'], env: { A: 'b' } }, []],
        ]));
      it(`is read as it was meant: ${id}, an address, ${how}`, () => {
        const headers = { Authorization: 'Bearer token' };
        const address = { transport: 'http', serverUrl: 'https://x.example/mcp', serverName: 'my', headers } as const;
        const [[name, entry] = []] = read(written(address));
        assert.equal(name, 'my');
        if (id === 'claude-desktop')
          assert.deepEqual((entry as { args: string[] }).args.slice(1, 3), ['mcp-remote', 'https://x.example/mcp']);
        else assert.deepEqual(entry, { type: 'http', url: 'https://x.example/mcp', headers });
      });
    }
  }
});

describe('variables of other hosts', () => {
  const arg = (dialect: Dialect, text: string) =>
    readServers({ mcpServers: { a: { command: 'x', args: [text] } } }, dialect)[0]!.entry.args;
  const table: readonly (readonly [Dialect, given: string, ours: string])[] = [
    ['gemini', '$TOKEN ${TOKEN} $5', '${env:TOKEN} ${env:TOKEN} $5'],
    ['opencode', '{env:TOKEN} $TOKEN', '${env:TOKEN} $TOKEN'],
    [
      'cursor',
      '${env:TOKEN} ${workspaceFolderBasename} ${userHome}${/} $TOKEN',
      '${env:TOKEN} ${workspaceFolderBasename} ${userHome}${/} $TOKEN',
    ],
    ['windsurf', '${env:TOKEN} {env:TOKEN}', '${env:TOKEN} {env:TOKEN}'],
    ['claudeCode', '${TOKEN:-none}', '${env:TOKEN:-none}'],
    ['codex', '${TOKEN} $TOKEN', '$${TOKEN} $TOKEN'],
    ['goose', '${env:TOKEN}', '$${env:TOKEN}'],
  ];
  for (const [dialect, given, ours] of table)
    it(`mean the same here: ${given} of ${dialect}`, () => assert.deepEqual(arg(dialect, given), [ours]));
});

describe('sign-ins and tokens of other hosts', () => {
  const entryOf = (server: object, dialect: Dialect) => readServers({ mcpServers: { a: server } }, dialect)[0]!.entry;
  it('are taken over from Claude Code: scopes as one text, and the port that it listens on', () => {
    const oauth = { clientId: 'me', scopes: 'read write', callbackPort: 8123 };
    assert.deepEqual(entryOf({ url: 'https://x.example/mcp', oauth }, 'claudeCode').oauth, {
      clientId: 'me',
      scopes: ['read', 'write'],
      redirectUri: 'http://localhost:8123/callback',
    });
  });

  it('are taken over from Claude Code: a program that prints headers, with variables for its shell', () => {
    const helperOf = (headersHelper: unknown, dialect: Dialect = 'claudeCode') =>
      entryOf({ type: 'http', url: 'https://x.example/mcp', headersHelper }, dialect).headersHelper;
    assert.equal(helperOf('/opt/bin/get-headers.sh'), '/opt/bin/get-headers.sh');
    assert.equal(helperOf('${HOME}/bin/get "$(id)" ${T:-a}'), '$${HOME}/bin/get "$(id)" $${T:-a}');
    assert.equal(helperOf('${workspaceFolder}/get', 'unknown'), '${workspaceFolder}/get');
    assert.deepEqual(helperOf({ command: 'get', env: { T: '${TOKEN}' } }), {
      command: 'get',
      env: { T: '${env:TOKEN}' },
    });
    assert.equal(helperOf(7), undefined);
  });

  it('are taken over from the editor: a sign-in at the identity provider of the organization', () => {
    const server = { url: 'https://x.example/mcp', oauth: { clientId: 'me', enterpriseManaged: true } };
    assert.deepEqual(entryOf(server, 'vscode').oauth, { clientId: 'me', grant: 'jwt_bearer' });
  });

  it('are taken over from Codex: variables of the environment for a token and for headers', () => {
    const server = { url: 'https://x.example/mcp', bearer_token_env_var: 'TOKEN', env_http_headers: { 'X-A': 'OF_A' } };
    assert.deepEqual(entryOf(server, 'codex').headers, { Authorization: 'Bearer ${env:TOKEN}', 'X-A': '${env:OF_A}' });
  });
});

it('a part of a README that names an input needs no wrapper', () => {
  const server = { url: 'https://x.example/mcp', headers: { Authorization: 'Bearer ${input:token}' } };
  const [draft] = readPasted(JSON.stringify({ github: server }));
  assert.deepEqual([draft?.name, draft?.inputs[0]?.id], ['github', 'token']);
});

it('a mistake in TOML is told with its line, and without its text', () => {
  assert.throws(() => readContent('a = 1\nb = "ghp_secret\n', 'x.toml'), /^\w*Error: this is not TOML in line 2$/);
});
