import { openTool, resultOf, runTool } from '../drivers/toolPage';
import { openWorkbench, type Workbench } from '../drivers/workbench';

describe('tools from the palette', () => {
  let w: Workbench;
  before(async () => {
    w = await openWorkbench();
    await w.wb.viewContainer('MCP');
    await w.page.locator('.label-description', { hasText: '19 tools' }).waitFor();
  });
  after(() => w?.close());

  it('offer the values of an enum', async () => {
    const page = await openTool(w, 'get-structured-content');
    await page.getByRole('combobox').selectOption('Chicago');
    await w.picture('tool-form-enum');
    await page.getByRole('combobox').press('Enter');
    await resultOf(w, 'temperature');
  });

  it('open their result as a document, with its picture beside', async () => {
    const page = await runTool(w, 'get-tiny-image');
    await page.locator('.outcome', { hasText: 'OK' }).waitFor();
    await page.getByRole('button', { name: 'Open as Document' }).click();
    await w.wb.tab('get-tiny-image result.txt').waitFor();
    await w.wb.webview().locator('img').waitFor();
    await w.picture('tool-image');
  });
});
