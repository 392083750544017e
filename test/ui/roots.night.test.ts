import { openWorkbench, type Workbench } from '../drivers/workbench';
import { fixturePath } from '../servers/spawn';

describe('the roots of a server', () => {
  let w: Workbench;
  before(async () => {
    const jobs = { command: process.execPath, args: [fixturePath('hostile'), '--roots'] };
    w = await openWorkbench({ workspace: 'editor', settings: { 'mcpHost.servers': { jobs } } });
    await w.wb.viewContainer('MCP');
    await w.wb.tree('Servers').row('jobs').filter({ hasText: '3 tools' }).waitFor();
  });
  after(() => w?.close());

  it('are chosen with check boxes @roots.chosen-check-boxes', async () => {
    const tree = w.wb.tree('Servers');
    await tree.expand('jobs');
    await tree.row('Roots').filter({ hasText: '1' }).waitFor();
    await w.wb.command('MCP Host: Change Roots…');
    await w.wb.quickInput.locator('.quick-input-title', { hasText: 'Roots of jobs' }).waitFor();
    await w.picture('roots-pick');
    await w.wb.quickInput.locator('.monaco-list-row', { hasText: 'editor' }).waitFor();
    await w.wb.dismiss();
  });

  it('are changed in the user settings, which are not left open', async () => {
    const tree = w.wb.tree('Servers');
    await w.wb.command('MCP Host: Change Roots…');
    await w.wb.quickInput.locator('.monaco-list-row', { hasText: 'editor' }).waitFor();
    await w.wb.quickInput.getByRole('button', { name: 'None' }).click();
    await w.wb.quickInput.getByRole('button', { name: 'OK', exact: true }).click();
    await tree.row('Roots').filter({ hasText: 'none' }).waitFor();
    await w.page.locator('.tab', { hasText: 'settings.json' }).waitFor({ state: 'detached' });
    await w.picture('roots-changed');
  });
});
