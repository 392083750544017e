import * as assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Locator } from 'playwright-core';
import { useTheme } from '../drivers/accessibility';
import { replaceInEditor } from '../drivers/activeEditor';
import { eventually, persist } from '../drivers/dom';
import { answerNotification } from '../drivers/notifications';
import { openWorkbench, type Workbench } from '../drivers/workbench';
import { artifacts, inRepository } from '../setup/paths';
import { OWN_SERVER, tool } from '../unit/features/dev/ownServer';

/** The steps of the tutorial in the docs, each by its first words. */
const tutorial = readFileSync(inRepository('docs', 'authors.md'), 'utf8').match(/^\d+\. \*\*.+?\*\*/gm) ?? [];

/** A server that somebody is working on: a tool of it has no description. */
function addOwnServer(folder: string): void {
  mkdirSync(join(folder, 'own'));
  writeFileSync(join(folder, 'own', 'server.mjs'), OWN_SERVER);
  const read = { annotations: { readOnlyHint: true } };
  const tools = [
    { ...tool('say_level', 'Says which messages it logs.'), ...read },
    { ...tool('two', ''), ...read },
  ];
  writeFileSync(join(folder, 'own', 'tools.json'), JSON.stringify(tools));
  const file = join(folder, '.vscode', 'settings.json');
  const settings = JSON.parse(readFileSync(file, 'utf8')) as { 'mcpHost.servers': Record<string, object> };
  const dev = { debug: 'node', watch: '*.json' };
  const own = { command: process.execPath, args: ['server.mjs'], cwd: '${workspaceFolder}/own', dev };
  settings['mcpHost.servers'] = { ...settings['mcpHost.servers'], own };
  writeFileSync(file, JSON.stringify(settings, null, 2));
}

describe('features for server authors', () => {
  let w: Workbench;
  const walked: string[] = [];
  before(async () => {
    w = await openWorkbench({
      settings: { 'testing.automaticallyOpenPeekView': 'failureInVisibleDocument' },
      debugs: true,
      prepare: folder => {
        mkdirSync(join(folder, '.notebook'));
        writeFileSync(join(folder, '.notebook', 'plan.md'), 'Ship it on Friday.');
        const step = { call: 'list_notes', expect: { matches: [{ path: '$.x', equals: 1 }] } };
        const file = { server: 'notebook', tests: [{ name: 'notes', steps: [step] }] };
        writeFileSync(join(folder, 'typed.mcptest.json'), JSON.stringify(file, null, 2));
        addOwnServer(folder);
      },
    });
    await w.wb.viewContainer('MCP');
    await w.wb.tree('Servers').row('notebook').filter({ hasText: 'tools' }).waitFor();
  });
  after(() => w?.close());

  /** The row of a test or a file in the Test Explorer, once it is in this state. */
  const row = (name: string, state: string): Locator =>
    w.page.locator('.test-explorer').getByRole('treeitem', { name: new RegExp(`^${name} \\(${state}`) });
  const save = () => w.host.until(vscode => vscode.window.activeTextEditor?.document.save());
  const step = (title: string) => {
    walked.push(`${walked.length + 1}. **${title}**`);
  };
  const showFile = (name: string) =>
    w.host.until(async (vscode, wanted) => {
      const [file] = await vscode.workspace.findFiles(wanted);
      return file && vscode.window.showTextDocument(file).then(() => true);
    }, name);
  /** In the gutter, beside the line of a test. */
  const gutter = (state: 'passed' | 'failed') =>
    w.page.locator(`.part.editor .glyph-margin-widgets [class*="codicon-testing-${state}-icon"]`).first();

  it('tests are recorded from a call, and opened in their file', async () => {
    step('Call a tool.');
    await w.wb.command('MCP Host: Run Tool…');
    await w.wb.searchAndPick('count_words');
    const page = w.wb.webview();
    await page.getByRole('textbox', { name: /^name\b/ }).fill('plan');
    await page.getByRole('button', { name: 'Run (Ctrl+Enter)' }).click();
    await page.locator('.outcome', { hasText: 'OK' }).waitFor();
    step('Record it.');
    await page.getByRole('button', { name: 'Record as Test…' }).click();
    await w.wb.pick('A new test file…');
    await w.wb.tab('notebook.mcptest.yaml').waitFor();
    await w.host.until(vscode => vscode.window.activeTextEditor?.document.getText().includes('longest: plan'));
    await w.picture('tests-recorded');
    // As a person does: it becomes a file in its tab.
    await w.host.command('workbench.action.files.save');
    await w.host.until(vscode => vscode.window.activeTextEditor?.document.uri.scheme === 'file');
  });

  it('tests are rows in the Test Explorer, with run buttons at their lines', async () => {
    step('Run it.');
    await w.wb.viewContainer('Testing');
    const explorer = w.page.locator('.test-explorer');
    await persist(async () => {
      const child = explorer.getByRole('treeitem', { name: /^count_words / });
      const file = explorer.getByRole('treeitem', { name: /^notebook\.mcptest\.yaml / });
      if (!(await child.isVisible())) await file.locator('.monaco-tl-twistie').click({ timeout: 5_000 });
      await child.waitFor({ timeout: 5_000 });
    }, 'the rows of the tests');
    await persist(async () => {
      await w.host.command('testing.runCurrentFile');
      await row('count_words', 'Passed').waitFor({ timeout: 25_000 }); // one that takes longer would run beside the next
    }, 'the test to pass');
    await gutter('passed').waitFor();
    await w.picture('tests-passed');
  });

  it('tests fail with a diff of expected and actual result, at the line', async () => {
    step('See it fail.');
    await replaceInEditor(w.host, 'longest: plan', 'longest: ideas');
    await save();
    await w.host.command('testing.runCurrentFile');
    await row('count_words', 'Failed').waitFor();
    await gutter('failed').waitFor();
    await w.picture('tests-failed-gutter');
    const peek = w.page.locator('.test-output-peek').filter({ visible: true });
    await eventually(async () => {
      const text = (await peek.innerText()).replaceAll('\u00a0', ' ');
      assert.match(text, /"longest": "ideas"/);
      assert.match(text, /"longest": "plan"/);
    });
    await w.picture('tests-diff');
    await useTheme(w, 'Dark Modern', false);
    await w.picture('tests-diff-dark');
    await useTheme(w, 'Default Light Modern', false);
    await w.host.command('editor.closeTestPeek');
    await peek.waitFor({ state: 'hidden' });
    await replaceInEditor(w.host, 'longest: ideas', 'longest: plan');
    await save();
    await w.host.command('testing.runCurrentFile');
    await row('count_words', 'Passed').waitFor();
  });

  it('tests compare the interface of a server with a snapshot', async () => {
    step('Keep its interface.');
    await w.wb.viewContainer('MCP');
    await w.wb.chooseInContextMenu(w.wb.tree('Servers').row('notebook'), 'Check Server…');
    await w.wb.pick('Save Interface Snapshot…');
    await w.wb.quickInput.locator('.quick-input-title', { hasText: 'Save the Interface of notebook' }).waitFor();
    const name = 'mcp.snapshot.json';
    await eventually(async () =>
      assert.match(await w.wb.quickInput.locator('.quick-input-box input').inputValue(), new RegExp(`${name}$`)),
    );
    await w.wb.accept();
    await persist(async () => assert.match(readFileSync(join(w.folder, name), 'utf8'), /add_note/), 'the snapshot');
    await w.wb.chooseInContextMenu(w.wb.tree('Servers').row('notebook'), 'Check Server…');
    await w.wb.pick('Compare with Interface Snapshot');
    await w.wb.notification('offers is the same as in mcp.snapshot.json');
    const snapshot = readFileSync(join(w.folder, name), 'utf8');
    const gone = { description: 'It was there once.', inputSchema: { type: 'object' } };
    const parsed = JSON.parse(snapshot) as { tools: object };
    writeFileSync(join(w.folder, name), JSON.stringify({ ...parsed, tools: { ...parsed.tools, gone } }, null, 2));
    await w.wb.chooseInContextMenu(w.wb.tree('Servers').row('notebook'), 'Check Server…');
    await w.wb.pick('Compare with Interface Snapshot');
    await w.wb.notification('"notebook" has changed in a way that breaks callers. Breaking changes: 1');
    await w.wb.tab('mcp.snapshot.json ↔ now').waitFor();
    await w.picture('tests-snapshot');
    writeFileSync(join(w.folder, name), snapshot);
    await showFile('notebook.mcptest.yaml');
    await replaceInEditor(w.host, '- call: count_words', `- snapshot: ${name}\n      - call: count_words`);
    await save();
    await w.host.command('testing.runCurrentFile');
    // Its icon has another name once a test has failed.
    await w.host.command('workbench.view.testing.focus');
    await row('count_words', 'Passed').waitFor();
  });

  it('tests have the same results without the editor', async () => {
    step('Run it everywhere.');
    const args = [inRepository('dist', 'mcptest.js'), 'notebook.mcptest.yaml', '--settings', '.vscode/settings.json'];
    const stdout = await new Promise<string>(resolve =>
      execFile(process.execPath, args, { cwd: w.folder }, (_error, out, err) => resolve(out + err)),
    );
    assert.match(stdout, /\n1 passed, 0 failed, 0 skipped\n$/);
    assert.deepEqual(walked, tutorial, 'the steps of the tutorial');
  });

  it('test files get completion and hovers', async () => {
    await showFile('typed.mcptest.json');
    const expect = w.page.locator('.part.editor .view-line span', { hasText: /^"expect"$/ }).first();
    await w.wb.hover(expect, 'What is expected. Default: a result that is no error.');
    await replaceInEditor(w.host, '"$.x",', '"$.x", ""');
    await w.host.eval(vscode => {
      const editor = vscode.window.activeTextEditor!;
      const at = editor.document.positionAt(editor.document.getText().indexOf('"$.x", "') + '"$.x", "'.length);
      editor.selection = new vscode.Selection(at, at);
    });
    const suggestions = w.page.locator('.suggest-widget').filter({ visible: true });
    await persist(async () => {
      await w.host.command('editor.action.triggerSuggest');
      await suggestions.getByText('schema', { exact: true }).first().waitFor({ timeout: 5_000 });
    }, 'suggestions');
    await w.picture('tests-completion');
    await w.host.command('hideSuggestWidget');
  });

  it('the check of a server puts findings at the entry, each with reason and link', async () => {
    await w.host.command('notifications.clearAll');
    await w.wb.viewContainer('MCP');
    await w.wb.tree('Servers').row('own').filter({ hasText: '2 tools' }).waitFor();
    await w.wb.chooseInContextMenu(w.wb.tree('Servers').row('own'), 'Check Server…');
    await w.wb.pick('Find Problems in What It Lists');
    await answerNotification(w, /The check of "own" found \d+ problems/, 'Show Problems');
    const problem = 'tools/two: It has no description: a model can only guess what it is for.';
    await w.page.locator('.markers-panel').getByRole('treeitem').filter({ hasText: problem }).first().waitFor();
    await w.wb.tab('settings.json').waitFor();
    const key = w.page.locator('.part.editor .view-line span', { hasText: /^"own"$/ }).first();
    await key.waitFor();
    await w.page.locator('.part.editor .squiggly-warning').first().waitFor();
    await w.picture('lint-problems');
    await w.wb.hover(key, problem);
    await w.wb.hovers.locator('a.code-link[href$="/docs/checks.md#missing-description"]').first().waitFor();
    // The mouse stays, and the hover with it.
    await w.page.screenshot({ path: join(artifacts(), 'lint-hover.png') });
  });

  it('the debugger stops a server at the line, while its call waits', async () => {
    const line = OWN_SERVER.split('\n').findIndex(text => text.includes('JSON.stringify({ level, followed })'));
    await w.host.eval((vscode, at) => {
      const file = vscode.Uri.joinPath(vscode.workspace.workspaceFolders![0]!.uri, 'own', 'server.mjs');
      const place = new vscode.Location(file, new vscode.Position(at, 0));
      vscode.debug.addBreakpoints([new vscode.SourceBreakpoint(place)]);
    }, line);
    await w.wb.viewContainer('MCP');
    const row = w.wb.tree('Servers').row('own');
    await w.wb.chooseInContextMenu(row, 'Debug Server');
    await w.wb.viewContainer('MCP');
    await row.filter({ hasText: /debugging · 2 tools/ }).waitFor();
    await w.page.locator('.codelens-decoration', { hasText: /^ready.*2 tools/ }).waitFor();
    await w.picture('debugger-attached');
    await w.wb.command('MCP Host: Run Tool…');
    await w.wb.searchAndPick('say_level');
    await w.wb.webview().getByRole('button', { name: 'Run (Ctrl+Enter)' }).click();
    await w.wb.tab('server.mjs').waitFor();
    const stop = w.page.locator('.part.editor .debug-top-stack-frame-line').first();
    await stop.waitFor();
    await w.host.until((vscode, at) => {
      const editor = vscode.window.activeTextEditor;
      return editor?.document.fileName.endsWith('server.mjs') && editor.selection.active.line === at;
    }, line);
    await w.picture('debugger-stop');
    await w.host.command('workbench.action.debug.continue');
    await stop.waitFor({ state: 'hidden' });
    await w.wb.tab('say_level').click();
    await w.wb.webview().locator('.outcome', { hasText: 'OK' }).waitFor();
    await w.host.command('workbench.action.debug.stop');
    await w.wb.viewContainer('MCP');
    // What the editor tells extensions of its active session is not always taken back; its own row is what counts.
    await row.filter({ hasText: '2 tools', hasNotText: 'debugging' }).waitFor();
    await w.picture('debugger-ended');
  });
});
