import * as assert from 'node:assert/strict';
import { eventually } from '../drivers/dom';
import { openWorkbench, type Workbench } from '../drivers/workbench';
import { fixturePath } from '../servers/spawn';

/** Polls the Servers view until a row matches, and returns all rows. */
async function rowsWith(w: Workbench, label: string, description: RegExp) {
  let rows = await w.wb.tree('Servers').read();
  await eventually(async () => {
    rows = await w.wb.tree('Servers').read();
    const isThere = rows.some(row => row.label === label && description.test(row.description));
    assert.ok(isThere, `no row ${label} ${description} in ${JSON.stringify(rows, null, 1)}`);
  });
  return rows;
}

describe('the Servers view', () => {
  let w: Workbench;
  before(async () => {
    w = await openWorkbench();
    await w.wb.viewContainer('MCP');
  });
  after(() => w?.close());

  it('shows each server with its counts first; its version and protocol are in the hover', async () => {
    await eventually(async () => {
      const rows = await rowsWith(w, 'everything', /^19 tools · 4 prompts · 7 resources · 2 templates$/);
      assert.equal(rows.find(({ label }) => label === 'everything')?.icon, 'pass-filled');
    });
    await rowsWith(w, 'notebook', /^\d+ tools · \d+ prompts/);
    const tree = w.wb.tree('Servers');
    for (const [server, facts] of [
      ['everything', /Everything\sReference\sServer\s2\.0\.0[\s\S]*MCP\s2025-11-25\sover\sstdio/],
      ['notebook', /MCP\s2026-07-28\sover\sstdio/],
    ] as const) {
      await w.wb.hover(tree.row(server).locator('.label-name'), facts);
    }
  });

  it('shows what a server offers below it @servers.shows-server-offers', async () => {
    const tree = w.wb.tree('Servers');
    for (const row of ['notebook', 'Tools', 'Prompts']) await tree.expand(row);
    for (const row of ['Add a note', 'Review a note']) await tree.row(row).waitFor();
    await eventually(async () => {
      const tools = (await tree.read()).filter(({ level }) => level === 3).map(({ label }) => label);
      assert.ok(tools.length >= 9, tools.join());
    });
    await w.picture('servers-tree');
  });

  it('shows in the hover of a server what its definitions cost', async () => {
    const row = w.wb.tree('Servers').row('notebook').locator('.label-name').first();
    await w.wb.hover(row, /Tool\sdefinitions:\sabout\s[\d,]+\stokens/);
    await w.page.screenshot({ path: `${process.env.TEST_ARTIFACTS}/server-hover-tokens.png` });
  });

  it('shows in the hover of a tool what it does and takes @servers.shows-hover-tool', async () => {
    const tree = w.wb.tree('Servers');
    for (const row of ['notebook', 'Tools']) await tree.expand(row);
    await w.wb.hover(tree.row('Add a note').locator('.label-name'), /add_note[\s\S]*Writes\sa\snew\snote/);
    await w.page.screenshot({ path: `${process.env.TEST_ARTIFACTS}/tool-hover.png` });
  });

  it('has the number of ready servers in the status bar, which opens the view when clicked', async () => {
    const status = w.wb.status('mcp-host.mcp-host.mcpHost.status');
    await status.and(w.page.locator('[aria-label*="2 ready"]')).waitFor();
    await w.host.command('workbench.view.explorer');
    await w.wb.openFromStatus('mcp-host.mcp-host.mcpHost.status');
    await w.wb.pick('Open the Servers View');
    await w.wb.tree('Servers').row('notebook').waitFor();
  });

  it('shows the log of a server by an inline action', async () => {
    await w.wb.tree('Servers').action('notebook', 'Show Server Log');
    await w.page.locator('.output-view .view-line', { hasText: 'ready: ' }).first().waitFor();
    await w.picture('log');
    await w.wb.tree('Servers').collapse('notebook');
  });

  it('stops a server from its menu, and starts it by an inline action', async () => {
    await w.wb.chooseInContextMenu(w.wb.tree('Servers').row('everything'), 'Stop Server');
    await rowsWith(w, 'everything', /^stopped$/);
    await w.wb.tree('Servers').action('everything', 'Start Server');
    await rowsWith(w, 'everything', /19 tools/);
  });

  it('opens the settings entry of a server at its place', async () => {
    await w.wb.chooseInContextMenu(w.wb.tree('Servers').row('notebook'), 'Open Server Settings');
    await w.wb.tab('settings.json').waitFor();
    await w.host.until(vscode => {
      const { document, selection } = vscode.window.activeTextEditor ?? {};
      return document?.fileName.endsWith('settings.json') && document.getText(selection) === '"notebook"';
    });
  });
});

describe('the Servers view when something is wrong', () => {
  let w: Workbench;
  before(async () => {
    w = await openWorkbench({ workspace: 'editor' });
    await w.wb.viewContainer('MCP');
  });
  after(() => w?.close());

  it('offers the demo server when nothing is configured', async () => {
    const welcome = w.page.locator('.welcome-view-content').first();
    await welcome.getByText('No MCP servers are configured').waitFor();
    await welcome.getByRole('button', { name: 'Add Demo Server' }).waitFor();
    await w.picture('welcome');
  });

  it('shows why a server failed, in its row, its hover and below it', async () => {
    await w.host.eval(
      (vscode, node, hostile) =>
        vscode.workspace.getConfiguration('mcpHost').update(
          'servers',
          {
            weather: { command: node, args: [hostile, '--exit-at-start=1'] },
            'not installed': { command: 'no-such-command' },
            good: { command: node, args: [hostile] },
          },
          vscode.ConfigurationTarget.Global,
        ),
      process.execPath,
      fixturePath('hostile'),
    );
    await rowsWith(w, 'weather', /Error: missing API_KEY \(its process exited with code 1\)/);
    await rowsWith(w, 'good', /tools/);
    const tree = w.wb.tree('Servers');
    await tree.expand('not installed');
    await eventually(async () => {
      const below = (await tree.read()).filter(({ level }) => level === 2).map(({ label }) => label);
      assert.equal(below[0], 'command not found: no-such-command');
      assert.match(below[1]!, /^Check "command"/);
    });
    await w.picture('servers-failed');
    await tree.locator
      .locator('.label-name', { hasText: /^Check "command"/ })
      .first()
      .click();
    await w.host.until(vscode => vscode.window.activeTextEditor?.document.uri.path.endsWith('/settings.json'));
    await w.host.command('workbench.action.closeAllEditors');
    await w.wb.hover(tree.row('weather').locator('.label-name'), /set\sit\sin\sthe\senvironment/);
    await w.page.screenshot({ path: `${process.env.TEST_ARTIFACTS}/failed-hover.png` });
  });

  it('adds the demo server by one click', async () => {
    await w.host.eval(vscode =>
      vscode.workspace.getConfiguration('mcpHost').update('servers', undefined, vscode.ConfigurationTarget.Global),
    );
    await w.page.locator('.welcome-view-content').first().getByRole('button', { name: 'Add Demo Server' }).click();
    await rowsWith(w, 'notebook', /^\d+ tools/);
  });
});

describe('an untrusted workspace', () => {
  let w: Workbench;
  before(async () => {
    const settings = { 'security.workspace.trust.enabled': true, 'security.workspace.trust.startupPrompt': 'never' };
    w = await openWorkbench({ settings, leaveConsent: true });
    await w.wb.viewContainer('MCP');
  });
  after(() => w?.close());

  it('starts nothing from its settings, and the view names the reason', async () => {
    const welcome = w.page.locator('.welcome-view-content').first();
    await welcome.getByText('This workspace is not trusted').waitFor();
    await welcome.getByRole('button', { name: 'Manage Workspace Trust' }).waitFor();
    await eventually(async () =>
      assert.equal(await w.wb.status('mcp-host.mcp-host.mcpHost.status').filter({ visible: true }).count(), 0),
    );
    await w.picture('untrusted');
  });
});
