import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import {
  type Dialect,
  readContent,
  readPasted,
  readServers,
} from '../../../../../src/features/setup/core/hostDialects';
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
    assert.deepEqual(where.notes, [{ kind: 'unknownVariable', what: '${workspaceFolderBasename}' }]);
    assert.deepEqual(where.entry.args, ['$${workspaceFolderBasename}/server.js']);
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
      oauth: { clientId: 'abc' },
    });
  });

  it('Cursor: its variables and its sign-in client are imported', () => {
    const servers = sample('cursor/mcp.json', 'cursor');
    assert.deepEqual(servers.get('notion')!.entry.oauth, {
      clientId: '${env:NOTION_CLIENT}',
      clientSecret: 's3cR3tS3cr3tS3cr3tAb12',
      scopes: ['read'],
    });
    assert.deepEqual(servers.get('tools')!.entry.args, [
      '${workspaceFolder}/tools/mcp_server.py',
      '--log${/}tools.log',
    ]);
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
    assert.equal(readServers({ mcpServers: many }, 'cursor').length, 200);
  });
});

describe('readPasted', () => {
  const names = (text: string) => readPasted(text).map(({ name }) => name);

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

  it('reads a text once, and skips one that is too large', function () {
    this.timeout(60_000);
    // Half a minute with a search from every line break, and it grows with the square.
    assert.deepEqual(names(`\`\`\`${'\n'.repeat(500_000)}`), []);
    const server = '{ "a": { "command": "npx" } }';
    assert.deepEqual([names(server), names(server + ' '.repeat(1024 * 1024))], [['a'], []]);
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
