import { waitFor } from '../servers/spawn';
import { check } from '../setup/dom';
import { openWorkbench, type Workbench } from '../setup/workbench';

describe('choosing the tools for chat', () => {
  let w: Workbench;
  before(async () => {
    w = await openWorkbench();
    await w.wb.viewContainer('MCP');
    for (const server of ['notebook', 'everything'])
      await w.wb.tree('Servers').row(server).filter({ hasText: 'tools' }).waitFor();
  });
  after(() => w?.close());

  const row = (text: string, more = '') =>
    w.wb.quickInput.locator('.monaco-list-row', { hasText: text }).filter({ hasText: more }).first();
  const box = (text: string, more?: string) => row(text, more).locator('.monaco-checkbox');
  const isChecked = async (text: string, wanted: boolean, more?: string) =>
    waitFor(async () => (await box(text, more).isChecked()) === wanted, {
      what: `${text} to be ${wanted ? 'checked' : 'unchecked'}`,
    });
  const search = (text: string) => w.wb.quickInput.locator('.quick-input-box input').fill(text);
  const title = (text: RegExp) => w.wb.quickInput.locator('.quick-input-title', { hasText: text }).waitFor();

  it('has a box for each server, which is that of all its tools, and counts them and their tokens', async () => {
    await w.wb.command('MCP Host: Choose Tools for Chat…');
    await title(/29 of 29 offered, about [\d,]+ tokens/);
    await w.picture('tool-choice');
    // Also the tools of a server are found by its name.
    await search('everything');
    await check(box('everything', '19 tools'), false);
    await isChecked('Echo Tool', false);
    await title(/: 10 of 29 offered/);
    await check(box('Echo Tool'), true);
    await title(/11 of 29 offered/);
    await isChecked('everything', false, '19 tools');
    await w.picture('tool-choice-some');
  });

  it('shows one server at a time when asked, and keeps what was chosen of the others', async () => {
    await search('');
    const server = row('notebook', '10 tools');
    await server.hover();
    await server.getByRole('button', { name: 'Show Only This Server' }).click();
    await row('List notes').waitFor();
    await title(/11 of 29 offered/);
    await server.hover();
    await server.getByRole('button', { name: 'Show All Servers' }).click();
    await search('Echo Tool');
    await isChecked('Echo Tool', true);
    await w.wb.quickInput.getByRole('button', { name: 'OK', exact: true }).click();
    await w.wb.command('MCP Host: Choose Tools for Chat…');
    await title(/11 of 29 offered/);
    await search('Echo Tool');
    await isChecked('Echo Tool', true);
    await w.page.keyboard.press('Escape');
  });
});
