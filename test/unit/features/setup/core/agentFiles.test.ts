import assert from 'node:assert/strict';
import { join } from 'node:path';
import { parse } from 'jsonc-parser';
import { english } from '../../../../../src/base/phrase';
import {
  agentFiles,
  agentRefusals,
  hasBridge,
  insertedBetween,
  trustFileOf,
  withBridge,
  withoutBridge,
} from '../../../../../src/features/setup/core/agentFiles';

const bridge = { command: 'node', args: ['C:\\Users\\a "b"\\.mcp-host\\bridge.js'] };

describe('the entry for agents', () => {
  it('is neither added to nor looked for in a file that is nested too deeply to be read', () => {
    const text = `{"other": ${'['.repeat(10_000)}${']'.repeat(10_000)}}`;
    assert.equal(withBridge(text, 'mcpServers', bridge), undefined);
    assert.equal(hasBridge(text, 'mcpServers'), false);
    const [file] = agentFiles({ platform: 'linux', home: '/home/me', env: {}, folders: [] }).filter(
      ({ agent }) => agent === 'Gemini CLI',
    );
    assert.deepEqual(agentRefusals({ file: file!, text, trust: text, folders: [] }), []);
  });

  it('is added to JSON without touching the rest, comments included', () => {
    const text = '{\n\t// mine\n\t"other": 1,\n\t"mcpServers": {\n\t\t"a": { "command": "a" }, // last\n\t},\n}\n';
    const changed = withBridge(text, 'mcpServers', bridge) ?? assert.fail();
    assert.ok(
      text.split('\n').every(line => changed.includes(line.trimEnd().replace(/,? ?(\/\/.*)?$/, ''))),
      changed,
    );
    assert.match(changed, /\/\/ mine/);
    assert.match(changed, /\/\/ last/);
    assert.deepEqual(parse(changed, [], { allowTrailingComma: true }).mcpServers, {
      a: { command: 'a' },
      'mcp-host': bridge,
    });
  });

  it("creates a missing file in each agent's format", () => {
    const made = (format: Parameters<typeof withBridge>[1]) => parse(withBridge('', format, bridge) ?? '');
    assert.deepEqual(made('mcpServers'), { mcpServers: { 'mcp-host': bridge } });
    assert.deepEqual(made('copilot'), { mcpServers: { 'mcp-host': { type: 'local', ...bridge, tools: ['*'] } } });
    assert.deepEqual(made('opencode'), {
      mcp: { 'mcp-host': { type: 'local', command: ['node', ...bridge.args], enabled: true } },
    });
  });

  it('is appended to TOML, with every earlier byte kept', () => {
    const text = 'model = "x"\n[mcp_servers.other]\ncommand = "a"';
    const changed = withBridge(text, 'codex', { ...bridge, env: { A: 'b' } }) ?? assert.fail();
    assert.equal(
      changed,
      `${text}\n\n[mcp_servers.mcp-host]\ncommand = "node"\nargs = ["C:\\\\Users\\\\a \\"b\\"\\\\.mcp-host\\\\bridge.js"]\nenv = { A = "b" }\n`,
    );
    assert.equal(withBridge(changed, 'codex', bridge), changed);
    assert.equal(withBridge('[ mcp_servers."mcp-host" ]\n', 'codex', bridge), '[ mcp_servers."mcp-host" ]\n');
  });

  it('is not added twice', () => {
    for (const format of ['mcpServers', 'copilot', 'opencode', 'codex'] as const) {
      const once = withBridge('', format, bridge) ?? assert.fail();
      assert.equal(withBridge(once, format, bridge), once, format);
    }
  });

  it('is not written into a broken file, or over something else', () => {
    for (const text of ['{', '[]', '"text"', '{ "mcpServers": [] }', '{ "mcpServers": "x" }', '{} {}'])
      assert.equal(withBridge(text, 'mcpServers', bridge), undefined, text);
  });

  it('goes where each agent looks', () => {
    const paths = (platform: NodeJS.Platform, env: Record<string, string>) =>
      agentFiles({ platform, home: platform === 'win32' ? 'C:\\h' : '/h', env, folders: ['/w'] }).map(
        ({ path }) => path,
      );
    assert.deepEqual(paths('linux', { CLAUDE_CONFIG_DIR: '/c', CODEX_HOME: '/x', XDG_CONFIG_HOME: '/g' }), [
      '/c/.claude.json',
      '/x/config.toml',
      '/h/.copilot/mcp-config.json',
      '/h/.cursor/mcp.json',
      '/h/.gemini/settings.json',
      '/g/opencode/opencode.json',
      '/w/.mcp.json',
    ]);
    assert.equal(paths('win32', {})[1], 'C:\\h\\.codex\\config.toml');
  });
});

type Format = Parameters<typeof withBridge>[1];

/** Files as people and agents write them. */
const FILES: Record<string, readonly [Format, string]> = {
  'with two spaces': [
    'mcpServers',
    '{\n  "a": 1,\n  "mcpServers": {\n    "x": {\n      "command": "x"\n    }\n  },\n  "b": []\n}\n',
  ],
  'with tabs and comments': [
    'mcpServers',
    '// mine\n{\n\t"mcpServers": {\n\t\t// first\n\t\t"x": { "command": "x" } // last\n\t\t/* end */\n\t}\n}',
  ],
  'with a comma at the end, and a comment': ['mcpServers', '{\n  "mcpServers": {\n    "x": {}, // last\n  },\n}\n'],
  'with CRLF and a mark of the byte order': [
    'mcpServers',
    '\uFEFF{\r\n    "mcpServers": {\r\n        "x": {}\r\n    }\r\n}\r\n',
  ],
  'in one line': ['mcpServers', '{"numStartups":3,"mcpServers":{"x":{"command":"x"}},"z":[1,2]}'],
  'in one line with spaces': ['mcpServers', '{ "mcpServers": { "x": { "command": "x" } } }\n'],
  'without servers': ['mcpServers', '{\n  "numStartups": 3,\n  "tips": {\n    "a": 1\n  }\n}'],
  'with an empty list': ['mcpServers', '{\n  "mcpServers": {}\n}\n'],
  'with an empty list that has a comment': [
    'mcpServers',
    '{\n  "mcpServers": { // none yet\n    /* really\n none */ }\n}\n',
  ],
  'with an empty list over lines': ['mcpServers', '{\n  "mcpServers": {\n  }\n}\n'],
  'with a comment that has braces': ['mcpServers', '{ // } {\n  "mcpServers": { /* { */ "x": {} /* } */ }\n}'],
  empty: ['mcpServers', ''],
  'of nothing but an object': ['mcpServers', '{}'],
  'of opencode': ['opencode', '{\n  "$schema": "https://opencode.ai/config.json"\n}\n'],
  'in TOML': ['codex', '# mine\r\nmodel = "x"\r\n\r\n[mcp_servers.x]\r\ncommand = "x"'],
  'in TOML that ends with a line': ['codex', '[a]\nb = """\n[mcp_servers.mcp-host]\n"""\n'],
};

describe('an entry that is taken out of the file of an agent', () => {
  for (const [name, [format, before]] of Object.entries(FILES)) {
    it(`leaves it as it was, to the byte: ${name}`, () => {
      const after = withBridge(before, format, bridge) ?? assert.fail();
      const inserted = insertedBetween(before, after);
      assert.ok(hasBridge(after, format), after);
      assert.equal(after.length, before.length + inserted.length);
      assert.equal(withoutBridge(after, format, { inserted, isNew: false }), before, after);
    });

    it(`leaves what was changed elsewhere since: ${name}`, () => {
      const after = withBridge(before, format, bridge) ?? assert.fail();
      const changed = (text: string) => (format === 'codex' ? `# later\n${text}` : text.replace('{', '{ "later": 1,'));
      const written = { inserted: insertedBetween(before, after), isNew: before === '' };
      const now = withoutBridge(changed(after), format, written);
      if (before === '' || before === '{}') assert.match(now ?? '', /"later": 1/);
      else assert.equal(now, changed(before));
    });
  }

  it('is cut out where the agent has written the file anew, with what was made to hold it', () => {
    const before = '{"a":1}';
    const written = { inserted: insertedBetween(before, withBridge(before, 'mcpServers', bridge) ?? ''), isNew: false };
    const rewritten = JSON.stringify({ a: 2, mcpServers: { 'mcp-host': bridge } }, undefined, 2);
    assert.deepEqual(JSON.parse(withoutBridge(rewritten, 'mcpServers', written) ?? ''), { a: 2 });
    const others = JSON.stringify({ a: 2, mcpServers: { 'mcp-host': bridge, x: {} } }, undefined, 2);
    assert.deepEqual(JSON.parse(withoutBridge(others, 'mcpServers', written) ?? ''), { a: 2, mcpServers: { x: {} } });
  });

  it('is cut out where nobody knows what was written', () => {
    const text = '{\n  "mcpServers": {\n    "x": {}, // x\n    "mcp-host": {\n      "command": "node"\n    }\n  }\n}\n';
    const now = withoutBridge(text, 'mcpServers', undefined) ?? '';
    assert.deepEqual(parse(now), { mcpServers: { x: {} } });
    assert.match(now, /\/\/ x/);
  });

  it('is cut out of TOML with its own tables, and comments of the next one stay', () => {
    const text =
      'a = 1\n[mcp_servers.mcp-host]\ncommand = "node"\nenabled = true\n\n[mcp_servers.mcp-host.env]\nA = "b"\n\n# of x\n[mcp_servers.x]\nb = 1\n';
    assert.equal(withoutBridge(text, 'codex', undefined), 'a = 1\n# of x\n[mcp_servers.x]\nb = 1\n');
    const inOne = '[mcp_servers]\nmcp-host = { command = "node" }\nx = { command = "x" }\n';
    assert.equal(withoutBridge(inOne, 'codex', undefined), '[mcp_servers]\nx = { command = "x" }\n');
  });

  it('takes the file with it that was made for it', () => {
    for (const format of ['mcpServers', 'opencode', 'codex'] as const) {
      const after = withBridge('', format, bridge) ?? assert.fail();
      assert.equal(withoutBridge(after, format, { inserted: after, isNew: true }), null, format);
    }
    const reformatted = JSON.stringify({ mcpServers: { 'mcp-host': bridge } });
    const written = { inserted: withBridge('', 'mcpServers', bridge) ?? '', isNew: true };
    assert.equal(withoutBridge(reformatted, 'mcpServers', written), null);
  });

  it('is not there twice, or at all', () => {
    assert.equal(withoutBridge('{ "mcpServers": {} }', 'mcpServers', undefined), undefined);
    assert.equal(withoutBridge('{ broken', 'mcpServers', undefined), undefined);
    assert.equal(withBridge('mcp_servers = { x = { command = "x" } }\n', 'codex', bridge), undefined);
  });
});

const files = agentFiles({ platform: 'linux', home: '/h', env: {}, folders: ['/w'] });
const fileOf = (agent: string) => files.find(file => file.agent === agent) ?? assert.fail(agent);
const refusals = (agent: string, text: object, trust?: object) =>
  agentRefusals({
    file: fileOf(agent),
    text: JSON.stringify(text),
    trust: trust && JSON.stringify(trust),
    folders: ['/w/project'],
  }).map(english);

describe('the trust of an agent', () => {
  const on = { security: { folderTrust: { enabled: true } } };

  it('names the folder in which Gemini CLI starts no servers', () => {
    for (const trust of [undefined, {}, { '/other': 'TRUST_FOLDER' }, { '/w/project': 'DO_NOT_TRUST' }]) {
      const [said, ...more] = refusals('Gemini CLI', on, trust);
      assert.match(said ?? '', /starts no servers in \/w\/project.*\/permissions/);
      assert.deepEqual(more, []);
    }
    assert.deepEqual(refusals('Gemini CLI', {}, { '/w/project': 'DO_NOT_TRUST' }).length, 1);
  });

  it('is silent where Gemini CLI trusts the folder, one above it, or all', () => {
    for (const trust of [{ '/w/project': 'TRUST_FOLDER' }, { '/w': 'TRUST_FOLDER' }, { '/w/other': 'TRUST_PARENT' }])
      assert.deepEqual(refusals('Gemini CLI', on, trust), []);
    assert.deepEqual(refusals('Gemini CLI', {}), []);
    const off = { security: { folderTrust: { enabled: false } } };
    assert.deepEqual(refusals('Gemini CLI', off, { '/w/project': 'DO_NOT_TRUST' }), []);
    assert.equal(trustFileOf(fileOf('Gemini CLI')), join('/h', '.gemini', 'trustedFolders.json'));
  });

  it('names the lists that leave the server out', () => {
    assert.match(refusals('Gemini CLI', { mcp: { excluded: ['mcp-host'] } }).join(), /"mcp.excluded".*off/);
    assert.match(refusals('Gemini CLI', { mcp: { allowed: ['x'] } }).join(), /"mcp.allowed".*Add "mcp-host"/);
    assert.deepEqual(refusals('Gemini CLI', { mcp: { allowed: ['mcp-host'], excluded: 'no list' } }), []);
  });

  it('says that Claude Code asks about the file of a folder; others have none, or broken files', () => {
    assert.match(refusals('.mcp.json', {}).join(), /Claude Code reads this file only in folders that it trusts/);
    assert.deepEqual(refusals('Cursor', {}), []);
    const broken = { file: fileOf('Gemini CLI'), text: '{ "mcp": [', trust: 'no', folders: ['/w'] };
    assert.deepEqual(agentRefusals(broken), []);
  });
});
