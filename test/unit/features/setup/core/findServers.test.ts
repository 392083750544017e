import assert from 'node:assert/strict';
import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { english } from '../../../../../src/base/phrase';
import { findServers, importHosts, places, readPlace } from '../../../../../src/features/setup/core/findServers';
import { inRepository, temporaryFolder } from '../../../../setup/paths';

const paths = (platform: NodeJS.Platform, home: string, env = {}) =>
  places({ platform, home, env, folders: [] }).map(({ path }) => path);

describe('files of other hosts', () => {
  it('are of hosts that are each named once', () => {
    const names = importHosts();
    assert.ok(names.includes('VS Code') && names.includes('Windsurf'), names.join());
    assert.equal(new Set(names).size, names.length);
  });

  it('are in their own place on each system', () => {
    const linux = paths('linux', '/home/me');
    for (const path of [
      '/home/me/.config/Code/User/mcp.json',
      '/home/me/.config/Code/User/profiles',
      '/home/me/.config/Code - Insiders/User/mcp.json',
      '/home/me/.config/VSCodium/User/mcp.json',
      '/home/me/.config/Claude/claude_desktop_config.json',
      '/home/me/.claude.json',
      '/home/me/.copilot/mcp-config.json',
      '/home/me/.cursor/mcp.json',
      '/home/me/.codeium/windsurf/mcp_config.json',
      '/home/me/.config/zed/settings.json',
      '/home/me/.config/Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json',
      '/home/me/.continue/config.yaml',
    ])
      assert.ok(linux.includes(path), path);
    const mac = paths('darwin', '/Users/me');
    for (const path of [
      '/Users/me/Library/Application Support/Code/User/mcp.json',
      '/Users/me/Library/Application Support/Claude/claude_desktop_config.json',
      '/Users/me/.config/zed/settings.json',
    ])
      assert.ok(mac.includes(path), path);
    const windows = paths('win32', 'C:\\Users\\me', { APPDATA: 'D:\\Roaming' });
    for (const path of [
      'D:\\Roaming\\Code\\User\\mcp.json',
      'D:\\Roaming\\Claude\\claude_desktop_config.json',
      'D:\\Roaming\\Zed\\settings.json',
      'C:\\Users\\me\\.cursor\\mcp.json',
    ])
      assert.ok(windows.includes(path), path);
    assert.ok(paths('win32', 'C:\\Users\\me').includes('C:\\Users\\me\\AppData\\Roaming\\Code\\User\\mcp.json'));
    assert.ok(paths('linux', '/home/me', { XDG_CONFIG_HOME: '/x' }).includes('/x/Code/User/mcp.json'));
    assert.ok(paths('linux', '/home/me', { CLAUDE_CONFIG_DIR: '/c' }).includes('/c/.claude.json'));
  });

  it('are read up to a limit that all projects of a file share', async () => {
    const server = { command: 'x' };
    const projects = Object.fromEntries(
      Array.from({ length: 2_000 }, (_, n) => [`/p${n}`, { mcpServers: { a: server, b: server } }]),
    );
    const path = join(temporaryFolder(), '.mcp.json');
    writeFileSync(path, JSON.stringify({ mcpServers: { own: server }, projects }));
    const found = await readPlace({ host: 'Claude Code', path, dialect: 'claudeCode', inWorkspace: true }, path);
    assert.equal(found.flatMap(({ servers }) => servers).length, 500);
    assert.equal(found[0]?.left, 3_501);
  });

  describe('on a machine with all other hosts', () => {
    let home: string;
    let folder: string;
    const put = (sample: string, ...path: string[]) => {
      const target = join(...path);
      mkdirSync(dirname(target), { recursive: true });
      cpSync(inRepository('test/setup-samples', sample), target);
    };
    const find = () => findServers(places({ platform: 'linux', home, env: {}, folders: [folder] }));
    beforeEach(() => {
      home = temporaryFolder();
      folder = join(home, 'project');
      put('vscode/mcp.json', folder, '.vscode/mcp.json');
      put('claude/claude_desktop_config.json', home, '.config/Claude/claude_desktop_config.json');
      put('claude/claude.json', home, '.claude.json');
      put('copilot/mcp-config.json', home, '.copilot/mcp-config.json');
      put('cursor/mcp.json', home, '.cursor/mcp.json');
      put('windsurf/mcp_config.json', home, '.codeium/windsurf/mcp_config.json');
      put('zed/settings.json', home, '.config/zed/settings.json');
      const cline = 'User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json';
      put('cline/cline_mcp_settings.json', home, '.config/Code', cline);
      put('continue/config.yaml', home, '.continue/config.yaml');
      put('continue/playwright.yaml', home, '.continue/mcpServers/playwright.yaml');
      put('vscode/mcp.json', home, '.config/Code/User/profiles/abc123/mcp.json');
    });

    it('all files are found, those of the workspace first', async () => {
      const { found, unreadable } = await find();
      assert.deepEqual(unreadable, []);
      const listed = found.map(
        ({ place, project, servers }) => `${place.host}${project ? ` ${project}` : ''}: ${servers.length}`,
      );
      assert.deepEqual(listed, [
        'VS Code: 3',
        'VS Code: 3',
        'Claude Desktop: 2',
        'Claude Code: 2',
        'Claude Code /work/app: 1',
        // Without the bridge, which would lead back to us.
        'Copilot CLI: 2',
        'Cursor: 2',
        'Windsurf: 2',
        'Zed: 3',
        'Cline: 3',
        'Continue: 2',
        'Continue: 1',
      ]);
      assert.deepEqual(found.map(({ place }) => place.inWorkspace).filter(Boolean), [true]);
    });

    it('an unreadable file is reported, and does not affect others', async () => {
      writeFileSync(join(home, '.cursor/mcp.json'), '{ "mcpServers": { "a": { "command": "secret-thing" ');
      writeFileSync(join(home, '.config/zed/settings.json'), '');
      writeFileSync(join(home, '.continue/config.yaml'), 'a: "unclosed\nb: [');
      const { found, unreadable } = await find();
      assert.deepEqual(
        unreadable.map(({ path }) => path),
        [`${home}/.cursor/mcp.json`, `${home}/.continue/config.yaml`],
      );
      for (const { reason } of unreadable) {
        assert.match(english(reason), / in line \d+$/);
        assert.doesNotMatch(english(reason), /secret/);
      }
      assert.equal(found.length, 9);
    });

    it('a byte order mark is accepted', async () => {
      writeFileSync(join(home, '.cursor/mcp.json'), '\ufeff{ "mcpServers": { "a": { "command": "x" } } }');
      assert.deepEqual((await find()).unreadable, []);
    });
  });
});
