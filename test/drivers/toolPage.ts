// Runs tools as a person does: from the palette, on their pages.
import type { FrameLocator } from 'playwright-core';
import { waitFor } from '../servers/spawn';
import { shownText } from './dom';
import type { Workbench } from './workbench';

interface Chosen {
  /** What the row of the tool says, where several match; `true`: nothing but its title. */
  readonly row?: string | RegExp | true;
  readonly args?: object;
  /** Leaves other editors open. */
  readonly keepsOthers?: boolean;
}

/** Opens the page of a tool. */
export async function openTool(
  w: Workbench,
  tool: string,
  { row = tool, keepsOthers }: Chosen = {},
): Promise<FrameLocator> {
  if (!keepsOthers) await w.host.command('workbench.action.closeAllEditors');
  await w.wb.command('MCP Host: Run Tool…', w.wb.quickInput.getByPlaceholder('Select a tool to run'));
  if (row === true) await w.wb.searchAndPickLabel(tool);
  else await w.wb.searchAndPick(tool, row);
  // The newest of them, by its name: an app that opens may come to stand before or behind it.
  await w.wb.webview(-1).locator('h2').first().waitFor();
  const newest = w.page.locator('iframe.webview.ready').filter({ visible: true }).last();
  const own = w.page.locator(`iframe.webview[name="${await newest.getAttribute('name')}"]`);
  return own.contentFrame().locator('iframe#active-frame').contentFrame();
}

/** Runs a tool on its page. */
export async function runTool(w: Workbench, tool: string, chosen: Chosen = {}): Promise<FrameLocator> {
  const page = await openTool(w, tool, chosen);
  if (chosen.args) await enterJson(page, chosen.args);
  await page.getByRole('button', { name: 'Run (Ctrl+Enter)' }).click();
  return page;
}

/** Runs a tool whose result an app shows, and leaves only that. */
export async function runForApp(w: Workbench, tool: string, chosen: Chosen = {}): Promise<void> {
  const page = await runTool(w, tool, chosen);
  await page.locator('.outcome', { hasText: 'OK' }).waitFor();
  await closeToolPages(w);
}

export const closeToolPages = (w: Workbench): Promise<void> =>
  w.host.eval(async vscode => {
    const tabs = vscode.window.tabGroups.all.flatMap(group => group.tabs);
    const pages = tabs.filter(({ input }) => /mcpHost\.tool$/.test((input as { viewType?: string })?.viewType ?? ''));
    await vscode.window.tabGroups.close(pages);
  });

export const enterJson = (page: FrameLocator, value: object): Promise<void> =>
  page.getByRole('textbox', { name: 'As JSON' }).fill(JSON.stringify(value));

/** The result on the page that is shown, once it is this one. */
export async function resultOf(w: Workbench, wanted: string | RegExp): Promise<string> {
  const result = w.wb.webview().locator('.result', { hasText: wanted });
  await waitFor(() => result.isVisible(), { what: `the result ${wanted}` });
  return shownText(result);
}
