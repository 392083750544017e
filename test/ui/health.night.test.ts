import * as assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FrameLocator } from 'playwright-core';
import { assertAccessible, assertReadable, THEMES, useTheme } from '../drivers/accessibility';
import { openQuickFixes } from '../drivers/activeEditor';
import { allowServers } from '../drivers/consent';
import { eventually } from '../drivers/dom';
import { picturesOfPage } from '../drivers/pagePictures';
import { runTool } from '../drivers/toolPage';
import { openWorkbench, type Workbench } from '../drivers/workbench';
import { fixturePath, waitFor } from '../servers/spawn';

const hostile = (...flags: string[]) => ({ command: process.execPath, args: [fixturePath('hostile'), ...flags] });

describe('the health page of a server', () => {
  let w: Workbench;
  let page: FrameLocator;
  const complaints: string[] = [];
  const card = (id: string) => page.locator(`.card[data-id=${id}]`);
  before(async () => {
    w = await openWorkbench({
      workspace: 'editor',
      // In the workspace: in the browser the editor draws no squiggles in the user's settings, those of others neither.
      prepare: folder => {
        const servers = { broken: hostile('--exit-at-start=3') };
        writeFileSync(
          join(folder, '.vscode', 'settings.json'),
          JSON.stringify({ 'mcpHost.servers': servers }, null, 2),
        );
      },
      settings: {
        'mcpHost.servers': {
          idle: { ...hostile(), start: 'never' },
          well: hostile(),
          fetched: { command: 'npx', args: ['-y', '@acme/notes'], start: 'never' },
          pinned: { command: 'npx', args: ['-y', '@acme/notes@1.2.3'], start: 'never' },
        },
        'mcpHost.flowMarks': { fetched: ['untrusted', 'sends'] },
        // Soon, and with time to answer on a busy machine: who misses three is lost.
        'mcpHost.limits': { pingIntervalMs: 3_000 },
      },
    });
    await allowServers(w);
    w.page.on('console', message => {
      if (/Content Security Policy|health-view/.test(message.text())) complaints.push(message.text());
    });
    await w.wb.viewContainer('MCP');
    await w.wb.tree('Servers').row('broken').filter({ hasText: 'exited with code 3' }).waitFor();
    await w.wb.tree('Servers').row('well').filter({ hasText: '3 tools' }).waitFor();
  });
  after(() => w?.close());

  /** Runs a tool of the server that is well, through the palette. */
  async function run(tool: string, args: object): Promise<void> {
    await runTool(w, tool, { args });
    await w.wb.webview().locator('.outcome', { hasText: 'OK' }).waitFor();
  }

  /** Opens the settings of the workspace at the server that has failed. */
  async function openSettings(): Promise<void> {
    await w.host.eval(async vscode => {
      const [folder] = vscode.workspace.workspaceFolders ?? [];
      const uri = folder && vscode.Uri.joinPath(folder.uri, '.vscode', 'settings.json');
      if (!uri) return;
      const editor = await vscode.window.showTextDocument(uri);
      const at = editor.document.positionAt(editor.document.getText().indexOf('"broken"') + 3);
      editor.selection = new vscode.Selection(at, at);
    });
  }

  it('opens from its row with live cards for latency, process and traffic', async () => {
    await run('echo', { text: 'hello' });
    await run('wait', { ms: 40, times: 2 });
    await w.wb.chooseInContextMenu(w.wb.tree('Servers').row('well'), 'Show Server Health');
    await w.wb.tab('MCP Server Health').waitFor();
    page = w.wb.webview();
    await page.getByRole('heading', { name: 'ready' }).waitFor();
    await card('process').filter({ hasText: '% of one core' }).waitFor();
    await card('definitions')
      .filter({ hasText: /[\d,]+ tokens/ })
      .waitFor();
    await page
      .getByRole('img', { name: /The last \d+\. Median of all: .* ms/ })
      .first()
      .waitFor();
    const innerText = () => card('uptime').locator('.value').innerText();
    const uptime = await innerText();
    await waitFor(async () => (await innerText()) !== uptime, { what: 'the uptime to move' });
    await eventually(async () => assert.equal(await page.locator('.failure').isVisible(), false));
    await w.picture('health-well');
    await assertAccessible(w);
  });

  it('has a table of tools that can be sorted by keyboard', async () => {
    const table = page.getByRole('table', { name: 'Called tools' });
    const names = () => table.locator('tbody td:first-child').allInnerTexts();
    const areSorted = async (wanted: string[]) =>
      waitFor(async () => String(await names()) === String(wanted), { what: `the order ${wanted}` });
    await areSorted(['echo', 'wait']);
    const column = table.getByRole('button', { name: 'Tool', exact: true });
    const isSorted = (how: string) =>
      eventually(async () =>
        assert.equal(await table.getByRole('columnheader', { name: 'Tool' }).getAttribute('aria-sort'), how),
      );
    await column.focus();
    await column.press('Enter');
    await isSorted('ascending');
    await column.press('Enter');
    await isSorted('descending');
    await areSorted(['wait', 'echo']);
    // Numbers come anew every two seconds: the order and the focus stay.
    const uptime = await card('uptime').innerText();
    const moved = async () => (await card('uptime').innerText()) !== uptime;
    await waitFor(moved, { what: 'the next numbers' });
    await eventually(async () =>
      assert.equal(
        await column.evaluate(
          button => button === (button as { ownerDocument: { activeElement: unknown } }).ownerDocument.activeElement,
        ),
        true,
      ),
    );
    await eventually(async () => assert.deepEqual(await names(), ['wait', 'echo']));
  });

  it('shows for a failed server the reason with its last output', async () => {
    await page.getByRole('combobox', { name: 'Server' }).selectOption('broken');
    await page.getByRole('heading', { name: 'failed' }).waitFor();
    await page.locator('.failure').filter({ hasText: 'exited with code 3' }).waitFor();
    await page.getByRole('region', { name: 'Last lines of stderr' }).filter({ hasText: 'missing API_KEY' }).waitFor();
    await card('exit').filter({ hasText: 'exit code 3' }).waitFor();
    await w.picture('health-failed');
    await assertAccessible(w);
  });

  it('offers only Start for a server that never ran', async () => {
    await page.getByRole('combobox', { name: 'Server' }).selectOption('idle');
    await page.getByRole('heading', { name: 'stopped' }).waitFor();
    await page.getByText('has not been started in this window').waitFor();
    await eventually(async () => assert.equal(await page.locator('.card').count(), 0));
    await w.picture('health-stopped');
    await assertAccessible(w);
    await page.getByRole('button', { name: 'Start' }).press('Enter');
    await page.getByRole('heading', { name: 'ready' }).waitFor();
    await card('pings').filter({ hasText: 'p95' }).waitFor();
    await page.getByRole('button', { name: 'Stop' }).waitFor();
  });

  it('shows what a server fetches at its start, and what data may pass through it', async () => {
    const choose = (name: string) => page.getByRole('combobox', { name: 'Server' }).selectOption(name);
    await choose('fetched');
    const fetched = 'Fetched at each start, without a fixed version: @acme/notes';
    await page.getByText(`${fetched} · Data flow: reads untrusted content, can send data out`).waitFor();
    await w.picture('health-fetched');
    await choose('pinned');
    await page.getByText('Fetched at the start: @acme/notes 1.2.3').waitFor();
    await page.getByText('Data flow').waitFor({ state: 'detached' });
    await choose('idle');
    await page.getByRole('heading', { name: 'ready' }).waitFor();
  });

  it('copies a bug report, and explains what is in it', async () => {
    await page.getByRole('button', { name: 'Copy Diagnostics' }).click();
    await w.wb.notification(/Copied the diagnostics/);
    const report = await w.host.eval(vscode => vscode.env.clipboard.readText());
    assert.match(report, /## Server `idle`/);
    assert.doesNotMatch(report, /## Server `well`/);
    assert.match(report, /"args": \[\s*"•••"/);
  });

  it("leads from a failed server's problem in settings.json to its remedies", async () => {
    await openSettings();
    const squiggle = w.page.locator('.squiggly-error').first();
    await squiggle.waitFor();
    const menu = await openQuickFixes(w);
    for (const title of ['Start "broken" again', 'Show the log of "broken"', 'Show the health of "broken"'])
      await menu.getByText(title).waitFor();
    await w.picture('settings-failed-fixes');
    await menu.getByText('Show the health of "broken"').click();
    await page.getByRole('heading', { name: 'failed' }).waitFor();
    await openSettings();
    // The squiggle lies below the text.
    const named = w.page.locator('.part.editor .view-line span', { hasText: /^"broken"$/ }).first();
    await w.wb.hover(named, ' (its process exited with code 3)');
    await w.page.screenshot({ path: `${process.env.TEST_ARTIFACTS}/settings-failed-hover.png` });
    await w.host.command('mcpHost.showHealth');
    await page.getByRole('heading', { name: 'failed' }).waitFor();
  });

  it('passes axe in any theme', async () => {
    const select = page.getByRole('combobox', { name: 'Server' });
    for (const theme of THEMES) {
      await useTheme(w, theme);
      for (const [server, state] of [
        ['broken', 'failed'],
        ['well', 'ready'],
      ] as const) {
        await select.selectOption(server);
        await page.getByRole('heading', { name: state }).waitFor();
        await (theme === THEMES[0] ? assertAccessible(w) : assertReadable(w));
        await picturesOfPage(w, `health-${state}-${theme.toLowerCase().replaceAll(' ', '-')}`);
      }
    }
    assert.deepEqual(complaints, []);
  });
});
