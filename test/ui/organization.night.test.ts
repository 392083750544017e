import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { useTheme } from '../drivers/accessibility';
import { eventually, inPage } from '../drivers/dom';
import { openWorkbench, type Workbench } from '../drivers/workbench';
import { fixturePath } from '../servers/spawn';

const hostile = { command: process.execPath, args: [fixturePath('hostile')] };

describe("the organization's rules", () => {
  let w: Workbench;
  before(async () => {
    // The lists of the editor are rules like those of a file, which a test must not put into a folder of the machine.
    w = await openWorkbench({
      settings: {
        'chat.mcp.deniedServers': [{ serverName: 'files' }, { serverUrl: 'https://*.evil.example/*' }],
        'mcpHost.servers': { files: hostile, notes: hostile },
      },
    });
    await w.wb.viewContainer('MCP');
  });
  after(() => w?.close());

  it('are named in the row of a server that they refuse, with what can be done', async () => {
    const tree = w.wb.tree('Servers');
    const row = tree.row('files');
    await row
      .filter({ hasText: 'your organization denies it by the rule {"serverName":"files"} in chat.mcp.deniedServers' })
      .waitFor();
    await tree.row('notes').filter({ hasText: 'tools' }).waitFor();
    const copy = tree.row('Copy Request for Approval');
    await tree.open('files', copy);
    await tree.row('Show Organization Rules').waitFor();
    await w.picture('organization-refused');
    await copy.click();
    const copied = w.wb.notifications.filter({ hasText: 'The request for "files" was copied' });
    await copied.waitFor();
    await w.picture('organization-request');
    const text = await w.host.eval(vscode => vscode.env.clipboard.readText());
    assert.match(text, /^Please allow the MCP server "files"\.\n/);
    assert.match(text, /\nCommand: .*node.*\nTools: not known, as it has not run yet\n/);
    assert.match(text, /\nRefused, because your organization denies it by the rule/);
  });

  it('are shown as a page, from the row of what they refuse', async () => {
    await w.wb.command('Notifications: Clear All Notifications');
    await w.wb.tree('Servers').row('Show Organization Rules').click();
    const page = w.page.locator('.editor-instance .view-lines');
    await eventually(async () => {
      const text = (await page.innerText()).replaceAll('\u00a0', ' ');
      assert.match(text, /Denied: \{"serverName":"files"\}, \{"serverUrl":"https:\/\/\*\.evil\.example\/\*"\}/);
      assert.match(text, /files: refused, because/);
      assert.match(text, /notes: may start/);
    });
    for (const theme of ['Default Light Modern', 'Dark Modern'] as const) {
      await useTheme(w, theme, false);
      await w.picture(`organization-rules-${theme === 'Dark Modern' ? 'dark' : 'light'}`);
    }
    await w.host.command('workbench.action.closeSidebar');
    await w.page.setViewportSize({ width: 350, height: 900 });
    // Long lines are wrapped, none is cut off.
    const isWhole = inPage<boolean>(
      "lines => [...lines.querySelectorAll('.view-line > span')].every(line => line.getBoundingClientRect().right < 340)",
    );
    await eventually(async () => assert.ok(await page.evaluate(isWhole)));
    await w.picture('organization-rules-narrow');
  });
});

describe("the organization's file on this machine", () => {
  let w: Workbench;
  before(async function () {
    // Docker forbids it by default; nothing else shows a program another file in the place of one of the machine.
    if (spawnSync('bwrap', ['--dev-bind', '/', '/', 'true']).status !== 0) this.skip();
    w = await openWorkbench({
      managed: {
        pins: 'enforce',
        managedServers: { company: hostile },
        deniedMcpServers: [{ serverName: 'files' }],
        allowedHosts: ['*.corp.example'],
        packageSources: { npm: 'https://npm.corp.example/' },
        refusal: { text: 'Ask the platform team.', link: 'https://intranet.example/mcp' },
      },
      workspace: 'fresh',
      settings: {
        'mcpHost.servers': {
          files: hostile,
          afar: { url: 'https://mcp.example.com/mcp' },
          python: { command: 'uvx', args: ['mcp-server-time'] },
        },
      },
    });
    await w.wb.viewContainer('MCP');
  });
  after(() => w?.close());

  it('adds servers for everybody, which only it changes', async () => {
    const tree = w.wb.tree('Servers');
    await tree.row('company').filter({ hasText: 'tools' }).waitFor();
    await tree.row('files').filter({ hasText: 'denies it by the rule' }).waitFor();
    await tree.row('afar').filter({ hasText: 'allows only the hosts in' }).waitFor();
    await tree.row('python').filter({ hasText: 'which has none of "pypi"' }).waitFor();
    await w.picture('organization-managed');
    await w.wb.chooseInContextMenu(tree.row('company'), 'Disable Server');
    const only = 'Only your organization can change it: /etc/mcp-host/managed-settings.json';
    await w.wb.notification(only);
    for (const action of ['Remove Server…', 'Rename Server…']) {
      await w.wb.command('Notifications: Clear All Notifications');
      await w.wb.chooseInContextMenu(tree.row('company'), action);
      await w.wb.notification(only);
    }
    await w.wb.hover(tree.row('company'), '/etc/mcp-host/managed-settings.json, by your organization');
  });

  it('is named where a person changes what it fixes', async () => {
    await w.host.eval(vscode => vscode.workspace.getConfiguration('mcpHost').update('pins', 'off', true));
    const told = await w.wb.notification(
      'Your organization fixes "mcpHost.pins": what you set there counts only where it is stricter.',
    );
    await w.picture('organization-fixed');
    await told.getByRole('button', { name: 'Show Organization Rules' }).click();
    const page = w.page.locator('.editor-instance .view-lines');
    await eventually(async () => {
      const text = (await page.innerText()).replaceAll('\u00a0', ' ');
      assert.match(text, /\/etc\/mcp-host\/managed-settings\.json/);
      assert.match(text, /Changed tools are blocked until they are accepted\./);
      assert.match(text, /Shown with each refusal: Ask the platform team\. https:\/\/intranet\.example\/mcp/);
    });
  });
});
