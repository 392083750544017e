import assert from 'node:assert/strict';
import { parse } from 'jsonc-parser';
import { agentFiles, withBridge } from '../../../../../src/features/setup/core/agentFiles';

const bridge = { command: 'node', args: ['C:\\Users\\a "b"\\.mcp-host\\bridge.js'] };

describe('the entry for agents', () => {
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
      '/g/opencode/opencode.json',
      '/w/.mcp.json',
    ]);
    assert.equal(paths('win32', {})[1], 'C:\\h\\.codex\\config.toml');
  });
});
