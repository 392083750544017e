import * as assert from 'node:assert/strict';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { check, clickInRow, eventually, shownText } from '../drivers/dom';
import { openWorkbench, type Workbench } from '../drivers/workbench';
import { fixturePath } from '../servers/spawn';

/** A workspace that comes with a profile. */
function proposeProfile(folder: string): void {
  const file = path.join(folder, '.vscode/settings.json');
  const settings = JSON.parse(fs.readFileSync(file, 'utf8')) as object;
  const team = { description: 'What the team uses', tools: ['everything/get-*', 'everything/echo'] };
  fs.writeFileSync(file, JSON.stringify({ ...settings, 'mcpHost.profiles': { team } }, null, 2));
}

describe('choosing the tools for chat', () => {
  let w: Workbench;
  before(async () => {
    w = await openWorkbench({ viewport: { width: 1500, height: 950 }, prepare: proposeProfile });
    await w.wb.viewContainer('MCP');
    for (const server of ['notebook', 'everything'])
      await w.wb.tree('Servers').row(server).filter({ hasText: 'tools' }).waitFor();
  });
  after(() => w?.close());

  const row = (text: string, more = '') =>
    w.wb.quickInput.locator('.monaco-list-row', { hasText: text }).filter({ hasText: more }).first();
  const box = (text: string) => row(text).locator('.monaco-checkbox');
  const title = (text: RegExp) => w.wb.quickInput.locator('.quick-input-title', { hasText: text }).waitFor();

  const open = () => w.wb.command('MCP Host: Choose Tools for @mcp…');

  it('begins with the servers and how many of their tools are offered, and shows those of one', async () => {
    await open();
    await title(/29 of 29 offered, about [\d,]+ tokens/);
    await row('everything', '19 of 19 tools').waitFor();
    // The Servers view counts that one, too.
    await row('notebook', '10 of 10 tools · 1 for apps only').waitFor();
    await w.picture('tool-choice');
    await w.wb.pick('everything');
    await title(/Tools of everything for @mcp: 19 of 19 offered/);
    await check(box('Echo Tool'), false);
    await title(/18 of 19 offered/);
    // The editor counts boxes, which are all of tools.
    await w.wb.quickInput.getByText('18 Selected').waitFor();
    await w.picture('tool-choice-server');
    await w.wb.quickInput.getByRole('button', { name: 'OK', exact: true }).click();
    await row('everything', '18 of 19 tools').waitFor();
    await title(/: 28 of 29 offered/);
    await w.picture('tool-choice-some');
    await w.wb.dismiss();
    await open();
    await row('everything', '18 of 19 tools').waitFor();
  });

  it('turns a tool on and off that is found by typing, and all of a server by its buttons', async () => {
    await w.wb.search('Echo Tool', row('Echo Tool', 'not offered'));
    await w.wb.accept();
    await title(/29 of 29 offered/);
    await w.wb.search('', row('notebook', '10 of 10 tools'));
    await clickInRow(row('notebook'), 'Offer None');
    await row('notebook', '0 of 10 tools').waitFor();
    await title(/19 of 29 offered/);
    await clickInRow(row('notebook'), 'Offer All');
    await title(/29 of 29 offered/);
    await w.wb.dismiss();
  });

  it('changes nothing where the person goes back', async () => {
    await open();
    await w.wb.pick('everything');
    await title(/19 of 19 offered/);
    await check(box('Echo Tool'), false);
    await title(/18 of 19 offered/);
    await w.wb.quickInput.getByRole('button', { name: 'Back' }).click();
    await title(/29 of 29 offered/);
    await w.wb.dismiss();
  });

  it('saves the checked tools as a profile', async () => {
    await open();
    await title(/29 of 29 offered/);
    // It may rest on a row, whose hover would lie over the button.
    await w.page.mouse.move(0, 0);
    await w.wb.quickInput.getByRole('button', { name: 'Save as Profile…' }).click();
    await title(/Save as Profile/);
    await w.wb.input('mine');
    await w.wb.notification('The profile "mine" was saved.');
    const saved = await w.host.eval(
      vscode => vscode.workspace.getConfiguration('mcpHost').inspect('profiles')?.globalValue,
    );
    assert.deepEqual(saved, { mine: { servers: ['notebook', 'everything'] } });
    await w.host.command('notifications.clearAll');
  });

  const status = (name: string) => w.wb.status(`mcp-host.mcp-host.mcpHost.${name}`);
  const openFrom = (name: string) => w.wb.openFromStatus(`mcp-host.mcp-host.mcpHost.${name}`);
  const useTheme = async (id: string, className: string) => {
    await w.host.eval(
      (vscode, theme) => vscode.workspace.getConfiguration().update('workbench.colorTheme', theme, true),
      id,
    );
    await w.page.locator(`.monaco-workbench.${className}`).waitFor();
  };

  it('switches profiles from the status bar, which shows the active one', async () => {
    await w.host.eval(vscode => {
      const review = { description: 'Reading notes', servers: ['notebook'], stopOthers: true, model: 'Demo*' };
      return vscode.workspace.getConfiguration('mcpHost').update('profiles', { review }, true);
    });
    // What a workspace proposes is not used by itself.
    await eventually(async () => assert.equal(await status('profile').count(), 0));
    await openFrom('status');
    await w.wb.pick('Switch Profile…');
    const rows = await w.wb.quickRowsWith('review', 'team', 'Edit Profiles in Settings…');
    assert.match(rows.join('\n'), /^review, 10 of 29 tools · user settings, Reading notes · stops the others/m);
    assert.match(rows.join('\n'), /^team, \d+ of 29 tools · workspace settings, What the team uses/m);
    await w.picture('profile-menu');
    await w.wb.pick('team');
    await status('profile').filter({ hasText: 'team' }).waitFor();
    await open();
    await row('notebook', '0 of 10 tools · by the profile "team"').waitFor();
    await w.wb.search('Add a note', row('Add a note', 'not in the profile'));
    await w.wb.quickInput.locator('input[placeholder*="narrows what is offered"]').waitFor();
    await w.picture('profile-tool-choice');
    await w.wb.dismiss();
    await openFrom('profile');
    await w.wb.pick('review');
    await status('profile').filter({ hasText: 'review' }).waitFor();
    const hint = await w.wb.notification('It suggests the model Demo Model.');
    await hint.getByRole('button', { name: 'Open Chat as Suggested' }).waitFor();
    await w.wb.tree('Servers').row('everything').filter({ hasText: 'stopped' }).waitFor();
    await w.picture('profile-status');
    await useTheme('Default Light Modern', 'vs');
    await openFrom('profile');
    await w.wb.quickRowsWith('review', 'team', 'Leave the profile "review"');
    await w.picture('profile-menu-light');
    await w.wb.dismiss();
    await useTheme('Dark Modern', 'vs-dark');
    await w.host.command('notifications.clearAll');
  });

  it("remembers the workspace's profile, and what it has stopped", async () => {
    await w.reload();
    await status('profile').filter({ hasText: 'review' }).waitFor();
    await w.wb.tree('Servers').row('notebook').filter({ hasText: 'tools' }).waitFor();
    await w.wb.tree('Servers').row('everything').filter({ hasText: 'stopped' }).waitFor();
  });

  it('lists profiles in chat, and switches to one by its name', async () => {
    await w.host.command('workbench.action.chat.open');
    await w.wb.chat.pickModel('Demo Model');
    const listed = await w.wb.chat.ask('@mcp /profile ');
    await eventually(async () => {
      const text = await shownText(listed);
      assert.match(text, /The profile "review" from user settings is in use\./);
      assert.match(text, /team .*workspace settings · What the team uses/);
    });
    await listed.getByRole('button', { name: 'team', exact: true }).waitFor();
    await w.picture('profile-chat-list');
    const switched = await w.wb.chat.ask('@mcp /profile team');
    await eventually(async () =>
      assert.match(await shownText(switched), /The profile "team" from workspace settings is in use\./),
    );
    await switched.getByRole('button', { name: 'Leave the Profile', exact: true }).waitFor();
    await status('profile').filter({ hasText: 'team' }).waitFor();
    await w.wb.tree('Servers').row('everything').filter({ hasText: 'tools' }).waitFor();
    const used = await w.wb.chat.ask('@mcp use tools');
    await eventually(async () => {
      const text = await shownText(used);
      assert.ok(text.includes('everything__echo') && !text.includes('notebook__'), text);
    });
    await useTheme('Default Light Modern', 'vs');
    await w.picture('profile-chat-light');
    await useTheme('Dark Modern', 'vs-dark');
    const tools = await w.wb.chat.ask('@mcp /tools ');
    await eventually(async () =>
      assert.match(await shownText(tools), /The profile "team" offers \d+ of these 29 tools\./),
    );
    await w.picture('profile-chat-tools');
    const left = await w.wb.chat.ask('@mcp /profile off');
    await eventually(async () => assert.match(await shownText(left), /The profile "team" was left\./));
    await status('profile').waitFor({ state: 'hidden' });
  });
});

describe('choosing among the many tools of several servers', () => {
  let w: Workbench;
  before(async () => {
    const many = (command: string) => ({ command: process.execPath, args: [fixturePath('hostile'), command] });
    const servers = { large: many('--tools=80'), small: many('--tools=3') };
    w = await openWorkbench({ workspace: 'editor', settings: { 'mcpHost.servers': servers } });
    await w.wb.viewContainer('MCP');
    for (const server of Object.keys(servers))
      await w.wb.tree('Servers').row(server).filter({ hasText: 'tools' }).waitFor();
  });
  after(() => w?.close());

  it('begins with the servers, and shows tools when something is typed', async () => {
    await w.wb.command('MCP Host: Choose Tools for @mcp…');
    const rows = w.wb.quickInput.locator('.monaco-list-row');
    await eventually(async () => assert.equal(await rows.count(), 2));
    await w.wb.search('tool-77', rows.filter({ hasText: /tool.77/i }).first());
    await w.wb.search('', rows.filter({ hasText: 'small' }).first());
    await eventually(async () => assert.equal(await rows.count(), 2));
    await w.wb.dismiss();
  });

  it('lists the servers in chat, and the tools of each on request', async () => {
    await w.host.command('workbench.action.chat.open');
    await w.wb.chat.pickModel('Demo Model');
    const folded = await w.wb.chat.ask('@mcp /tools ');
    await folded.getByRole('link', { name: 'large' }).waitFor();
    await eventually(async () =>
      assert.match(await shownText(folded), /^[\s\S]*The definitions of these tools are about[\s\S]*large\s+80 tools/),
    );
    await w.picture('chat-tools-folded');
    await folded.getByRole('link', { name: 'small' }).click();
    const listed = w.wb.chat.locator.locator('.interactive-response').last();
    await eventually(async () => assert.match(await shownText(listed), /small/));
    await eventually(async () => assert.doesNotMatch(await shownText(listed), /80 tools/));
  });
});
