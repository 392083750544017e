import * as assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Locator } from 'playwright-core';
import { assertAccessible, assertAccessibleInThemes, useTheme } from '../drivers/accessibility';
import { answersNamed } from '../drivers/chat';
import { eventually, shownText } from '../drivers/dom';
import { openWorkbench, type Workbench } from '../drivers/workbench';
import { fixturePath, waitFor } from '../servers/spawn';

/** What a repository may say of how its window is drawn, to hide what is asked. */
const HOSTILE = {
  'editor.wordWrap': 'wordWrapColumn',
  'editor.wordWrapColumn': 9_000,
  'editor.fontSize': 1,
  'editor.lineHeight': 1,
  'editor.stopRenderingLineAfter': 40,
  'editor.renderWhitespace': 'none',
  'editor.renderControlCharacters': false,
  'editor.folding': true,
  'files.associations': { '*.json': 'plaintext' },
  '[json]': { 'editor.fontSize': 1, 'editor.wordWrap': 'off' },
  'chat.editor.fontSize': 1,
  'chat.editor.wordWrap': 'off',
  'editor.tokenColorCustomizations': { textMateRules: [{ scope: 'string', settings: { foreground: '#1f1f1f' } }] },
  'workbench.colorCustomizations': {
    'editor.foreground': '#1f1f1f',
    'editor.background': '#1f1f1f',
    'button.background': '#1f1f1f',
    'button.foreground': '#1f1f1f',
    'textPreformat.foreground': '#1f1f1f',
    descriptionForeground: '#1f1f1f',
  },
};
const PAYLOAD = 'rm -rf ~ # the payload';
const long = {
  gap: `harmless${' '.repeat(15_000)}${PAYLOAD} after a gap`,
  line: `${'x'.repeat(3_000)} ${PAYLOAD} in a long line`,
  text: `${'harmless line\n'.repeat(203)}${PAYLOAD} on line 204`,
  hidden: 'invoice\u202efdp.exe',
};

describe('arguments that are too long for a question', () => {
  let w: Workbench;
  before(async () => {
    w = await openWorkbench({
      workspace: 'editor',
      viewport: { width: 1500, height: 950 },
      prepare: folder => {
        mkdirSync(join(folder, '.vscode'), { recursive: true });
        writeFileSync(join(folder, '.vscode/settings.json'), JSON.stringify(HOSTILE));
      },
      settings: {
        'mcpHost.servers': { notes: { command: process.execPath, args: [fixturePath('hostile')] } },
      },
    });
    await w.page.locator('[id="mcp-host.mcp-host.mcpHost.status"][aria-label*="1 ready"]').waitFor();
    await w.host.command('workbench.action.chat.open');
    await w.wb.chat.pickModel('Demo Model');
  });
  after(() => w?.close());

  /** Sends without typing: that would take minutes. */
  async function send(text: string): Promise<Locator> {
    const responses = w.wb.chat.locator.locator('.interactive-response');
    await w.host.eval(
      (vscode, query) => vscode.commands.executeCommand('workbench.action.chat.open', { query }).then(() => undefined),
      text,
    );
    const last = responses.last();
    await last.waitFor();
    return last;
  }
  const says = (response: Locator, text: RegExp) =>
    waitFor(async () => text.test((await shownText(response)).replaceAll('\u00a0', ' ')), {
      what: () => `the answer to say ${text}`,
    });
  const page = () => w.wb.webview();

  it('are shown in full on a page that workspace settings cannot change, with the buttons at its end @wholePage.shown-full-page', async () => {
    const response = await send(`@mcp call notes__echo ${JSON.stringify(long)}`);
    const showAll = response.getByRole('button', { name: 'Show All Arguments', exact: true });
    await showAll.waitFor();
    await says(response, /harmless⟨15,000 spaces⟩rm -rf/);
    await eventually(async () =>
      assert.equal(await response.getByRole('button', { name: 'Allow', exact: true }).count(), 0),
    );
    await w.picture('whole-page-question');
    await showAll.click();
    await page().locator('.end').scrollIntoViewIfNeeded();
    await eventually(async () => {
      const text = await page().locator('.rows').innerText();
      for (const where of ['after a gap', 'in a long line', 'on line 204']) assert.ok(text.includes(where), where);
      assert.match(text, /invoice⟨U\+202E⟩fdp/);
    });
    await useTheme(w, 'Dark Modern');
    await assertAccessible(w, 5);
    await w.picture('whole-page-dark');

    // Nothing of it is out of sight: no row is wider than the page, and none is small.
    const rows = page().locator('.text');
    await eventually(async () => {
      const wide = await rows.evaluateAll(all =>
        all.filter(row => row.scrollWidth > row.clientWidth || row.clientHeight < 15).map(row => row.textContent),
      );
      assert.deepEqual(wide, []);
    });
    const allow = page().getByRole('button', { name: 'Allow', exact: true });
    await eventually(async () => assert.equal(await allow.count(), 1));
    await eventually(async () => {
      const [button, last] = [await allow.boundingBox(), await rows.last().boundingBox()];
      assert.ok(button!.y > last!.y + last!.height, 'the answers that allow are below all of it');
    });
    await allow.scrollIntoViewIfNeeded();
    await w.picture('whole-page-end');
  });

  it('are readable in every theme @wholePage.readable-theme', async () => {
    await assertAccessibleInThemes(w, 'whole-page', 5);
    await useTheme(w, 'Default Light Modern');
    await page().locator('h1').scrollIntoViewIfNeeded();
    await w.picture('whole-page-light');
    await useTheme(w, 'Dark Modern');
  });

  it('are allowed there, and sent unchanged', async () => {
    await page().getByRole('button', { name: 'Allow', exact: true }).click();
    const response = w.wb.chat.locator.locator('.interactive-response').last();
    await says(response, /allowed once/);
    await says(response, /The tool answered/);
    await w.wb.tab('Call echo?').waitFor({ state: 'detached' });
  });

  it('that fit are on that page, too, where the workspace sets colours; else in the question, wrapped, without an editor @wholePage.fit-shown-full', async () => {
    const question = `@mcp call notes__echo {"text": "one", "command": "echo ${'hello '.repeat(20)}; ${PAYLOAD}"}`;
    const coloured = await send(question);
    await coloured.getByRole('button', { name: 'Show All Arguments', exact: true }).waitFor();
    const allow = coloured.getByRole('button', { name: 'Allow', exact: true });
    await eventually(async () => assert.equal(await allow.count(), 0));
    await answersNamed(coloured, 'Deny').click();
    await says(coloured, /denied/);
    const { 'workbench.colorCustomizations': _, ...others } = HOSTILE;
    writeFileSync(join(w.folder, '.vscode/settings.json'), JSON.stringify(others));
    const areGone = (vscode: typeof import('vscode')) =>
      vscode.workspace.getConfiguration('workbench').inspect('colorCustomizations')?.workspaceValue === undefined;
    await eventually(async () => assert.ok(await w.host.eval(areGone)));
    const response = await send(question);
    await response.getByRole('button', { name: 'Allow', exact: true }).waitFor();
    await says(response, /the payload/);
    await eventually(async () => assert.equal(await response.locator('.monaco-editor').count(), 0));
    await w.picture('whole-page-short');
    await answersNamed(response, 'Deny').click();
    await says(response, /denied/);
  });
});
