import * as assert from 'node:assert/strict';
import * as http from 'node:http';
import { assertAccessible, assertReadable, useTheme } from '../drivers/accessibility';
import { attemptMs, eventually, persist, soon } from '../drivers/dom';
import { openWorkbench, type Workbench } from '../drivers/workbench';
import { type HttpFixture, startHttpFixture, waitFor } from '../servers/spawn';
import { inRepository } from '../setup/paths';

const DEMO = inRepository('dist/demo-server.js');
const TOKEN = 'k7QmZ2xWv9';

/** The cause, with more below and above it than a panel shows. */
const NOISE = `
  for (let i = 0; i < 300; i++) console.error('starting part ' + i);
  console.error('Error: the key ring is locked');
  for (let i = 0; i < 300; i++) console.error('stopping part ' + i);
  process.exitCode = 3;
`;

/** Lets those through to the fixture who bring the token, and says nothing to others of how to get one. */
async function startGate(fixture: HttpFixture): Promise<http.Server> {
  const gate = http.createServer((request, response) => {
    if (request.headers.authorization !== `Bearer ${TOKEN}`) return void response.writeHead(401).end();
    const target = new URL(fixture.url(request.url ?? '/'));
    const onward = http.request(target, { method: request.method, headers: request.headers }, answer => {
      response.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(response);
    });
    onward.on('error', () => response.destroy());
    request.pipe(onward);
  });
  await new Promise<void>(resolve => gate.listen(0, '127.0.0.1', resolve));
  return gate;
}

describe('repairing a failed server', () => {
  let fixture: HttpFixture;
  let gate: http.Server;
  let w: Workbench;
  before(async () => {
    fixture = await startHttpFixture();
    gate = await startGate(fixture);
    const { port } = gate.address() as { port: number };
    w = await openWorkbench({
      settings: {
        'mcpHost.servers': {
          aching: { command: process.execPath, args: ['-e', NOISE] },
          bare: { url: fixture.url('') },
          locked: { url: `http://127.0.0.1:${port}/mcp` },
          misspelt: { comand: process.execPath, args: [DEMO] },
        },
      },
    });
    await w.wb.viewContainer('MCP');
  });
  after(async () => {
    await w?.close();
    gate?.close();
    await fixture?.stop();
  });

  const tree = () => w.wb.tree('Servers');
  const runs = (label: string) =>
    tree()
      .row(label)
      .filter({ hasText: /\d+ tools?/ })
      .waitFor();
  /** Clicks a row until that has an effect: it is drawn anew while servers start. */
  const clickRow = (label: string, effect: () => Promise<unknown>) =>
    persist(async () => {
      await tree().row(label).click({ timeout: attemptMs });
      await effect();
    }, `a click on ${label}`);
  /** Moves the focus of the tree down to the row with this label. @param isAbove false: from the first row. */
  const moveDownTo = async (label: string, isAbove: boolean): Promise<void> => {
    let isKnown = isAbove;
    const { locator } = tree();
    const focused = locator.locator('.monaco-list-row.focused .label-name').first();
    const now = () => focused.textContent({ timeout: attemptMs });
    await persist(async () => {
      if (!isKnown) await locator.press('Home', { timeout: attemptMs });
      isKnown = false;
      for (let keys = 0, at = await now(); at !== label; keys++, at = await now()) {
        assert.ok(keys < 30, `${label} is not reached`);
        await locator.press('ArrowDown', { timeout: attemptMs });
        await soon(async () => (await now()) !== at, 'the focus to move');
      }
    }, `the focus on ${label}`);
  };

  it('comes first in the list of what needs attention', async () => {
    await w.wb.command('MCP Host: Show What Needs Your Attention…');
    const rows = await w.wb.quickRowsWith(
      'Start "aching" again',
      'Append /mcp to the URL',
      'Rename "comand" to "command"',
    );
    assert.ok(
      rows.some(row => /^Rename "comand" to "command", misspelt: /.test(row)),
      rows.join('\n'),
    );
    await w.picture('mend-waiting');
    await w.wb.dismiss(w.wb.quickInput);
  });

  it('takes two clicks: its row names the reason, and the row below fixes it', async () => {
    await tree().row('bare').filter({ hasText: 'HTTP 404' }).waitFor();
    // One click opens the row, one does what it offers.
    await tree().expand('bare');
    await tree().row('Append /mcp to the URL').waitFor();
    await w.picture('mend-offered');
    await tree().row('Append /mcp to the URL').click();
    await runs('bare');
    await w.picture('mend-mended');
    const servers = await w.host.eval(vscode => vscode.workspace.getConfiguration('mcpHost').get('servers'));
    assert.equal((servers as { bare: { url: string } }).bare.url, `${fixture.url('').replace(/\/$/, '')}/mcp`);
  });

  it('takes three keys besides the arrows, without a mouse', async () => {
    await tree().row('misspelt').waitFor();
    await w.host.command('mcpHost.servers.focus');
    await moveDownTo('misspelt', false);
    await tree().locator.press('ArrowRight');
    await tree().row('Rename "comand" to "command"').waitFor();
    await moveDownTo('Rename "comand" to "command"', true);
    await w.picture('mend-keyboard');
    await tree().locator.press('Enter');
    await runs('misspelt');
  });

  it('after a 401 without sign-in asks for the missing header, keeps it secret, and starts the server', async () => {
    await tree().row('locked').waitFor();
    await tree().expand('locked');
    const offer = tree().row('Add an Authorization header…');
    await offer.waitFor();
    await w.picture('mend-header-offered');
    const asked = w.wb.quickInput.locator('input[type=password]');
    await clickRow('Add an Authorization header…', () => asked.waitFor({ timeout: attemptMs }));
    await w.picture('mend-header-asked');
    await w.wb.input(TOKEN);
    await runs('locked');
    const servers = await w.host.eval(vscode => vscode.workspace.getConfiguration('mcpHost').get('servers'));
    const { headers } = (servers as { locked: { headers: object } }).locked;
    assert.deepEqual(headers, { Authorization: 'Bearer ${input:locked-Authorization}' });
    assert.ok(!JSON.stringify(servers).includes(TOKEN));
  });

  it('with Explain in Chat puts the question and a report into the chat, and sends nothing', async () => {
    await tree().row('aching').filter({ hasText: 'exited with code 3' }).waitFor();
    await tree().expand('aching');
    const chat = w.wb.chat.locator;
    await clickRow('Explain in Chat', () => chat.waitFor({ timeout: 4 * attemptMs }));
    const question =
      'Why does the MCP server "aching" not work, and what do I have to do? A report with its log is attached.';
    await waitFor(() => w.wb.chat.isWritten(question), { what: 'the question in the chat' });
    await chat.locator('.chat-attached-context-attachment', { hasText: 'aching.md.mcp' }).waitFor();
    await eventually(async () => assert.equal(await chat.locator('.interactive-request').count(), 0));
    await chat.locator('.chat-attached-context-attachment', { hasText: 'aching.md.mcp' }).click();
    const report = await w.host.until(vscode => {
      const { uri, getText } = vscode.window.activeTextEditor?.document ?? {};
      return uri?.scheme === 'mcp-report' && getText?.();
    });
    assert.match(report || '', /aching[\s\S]*exited with code 3[\s\S]*stopping part 299/);
    await w.picture('mend-explain');
    await w.host.command('workbench.action.closeAllEditors');
    await w.host.command('workbench.action.closeAuxiliaryBar');
  });

  it('from the row of the last output opens the log at that line', async () => {
    await tree().expand('aching');
    const line = w.page.locator('.part.panel .view-line', { hasText: 'stopping part 299' });
    await clickRow('stopping part 299', () => line.first().waitFor({ timeout: attemptMs }));
    await w.picture('mend-log-line');
    const last = await w.host.until(vscode => {
      const log = vscode.window.visibleTextEditors.find(({ document }) => document.uri.scheme === 'output');
      const at = log?.document.getText().lastIndexOf('stopping part 299') ?? -1;
      const place = at >= 0 ? log!.document.positionAt(at) : undefined;
      return place && log!.visibleRanges.some(range => range.contains(place));
    });
    assert.equal(last, true);
    await w.host.command('workbench.action.closePanel');
  });

  /** Puts a text into the box of Add Server…, and tests what it means. */
  const tryToAdd = async (text: string) => {
    await w.wb.command('MCP Host: Add Server…');
    await w.wb.quickInput.locator('input[placeholder^="URL, command line"]').waitFor();
    await w.wb.input(text);
    await w.wb.answerModal('Test and Add');
  };
  const added = /was added to your user settings\. The server responded and offers \d+ tool/;

  it('while adding it is done in the dialog of its test, which then tests it again', async () => {
    await tryToAdd(fixture.url('/'));
    await w.wb.dialog.filter({ hasText: 'Could not connect to' }).waitFor();
    await w.picture('mend-trial');
    await w.wb.answerModal('Append /mcp to the URL');
    await w.wb.notification(added);
    await w.host.command('notifications.clearAll');
    const tabs = () => w.host.eval(vscode => vscode.window.tabGroups.all.flatMap(group => group.tabs).length);
    await eventually(async () => assert.equal(await tabs(), 0, 'the settings are not left open'));
    const { port } = gate.address() as { port: number };
    await tryToAdd(`http://localhost:${port}/mcp`);
    await w.wb.dialog.filter({ hasText: 'requires you to sign in' }).waitFor();
    await w.wb.answerModal('Add an Authorization header…');
    await w.wb.quickInput.locator('input[type=password]').waitFor();
    await w.wb.input(TOKEN);
    await w.wb.notification(added);
    const servers = await w.host.eval(vscode => vscode.workspace.getConfiguration('mcpHost').get('servers'));
    const written = JSON.stringify(servers);
    assert.match(written, /"Authorization":"Bearer \$\{input:[^}]+-Authorization\}"/);
    assert.ok(!written.includes(TOKEN));
    await w.host.command('notifications.clearAll');
  });

  it('a link of the editor leads into the box, and from there to the review', async () => {
    const config = { url: fixture.url('/mcp'), headers: { 'X-From': 'a link' } };
    // On the desktop the editor would first ask whether the extension may open the link; in a browser it does not.
    await w.host.eval(
      (vscode, query) => {
        const link = `${vscode.env.uriScheme}://mcp-host.mcp-host/add?${query}`;
        void vscode.commands.executeCommand('vscode.open', vscode.Uri.parse(link));
      },
      `name=linked&config=${encodeURIComponent(JSON.stringify(config))}`,
    );
    await w.wb.quickRowsWith('Add "linked"');
    await w.picture('mend-link');
    await w.wb.pick('Add "linked"');
    const page = w.wb.webview();
    await page.getByRole('heading', { name: 'Add the MCP server "linked"' }).waitFor();
    await page.getByText('X-From').waitFor();
    await page.getByRole('button', { name: 'Test and Add' }).click();
    await w.wb.notification(/"linked" was added to your user settings/);
    await w.host.command('notifications.clearAll');
  });

  it('the box passes axe in any theme, and fits a narrow window', async () => {
    for (const theme of ['Dark Modern', 'Default High Contrast', 'Default High Contrast Light'] as const) {
      await useTheme(w, theme, false);
      await w.wb.command('MCP Host: Add Server…');
      await w.wb.quickInput.locator('input[placeholder^="URL, command line"]').waitFor();
      await w.picture(`mend-box-${theme.toLowerCase().replaceAll(' ', '-')}`);
      await w.wb.input('https://mcp.example.com/mcp', { accept: false });
      await w.wb.quickRowsWith('Add "example"');
      await w.picture(`mend-box-typed-${theme.toLowerCase().replaceAll(' ', '-')}`);
      if (theme === 'Dark Modern') await assertAccessible(w, 5, w.wb.quickInput);
      else await assertReadable(w, w.wb.quickInput);
      await w.wb.dismiss();
    }
    await useTheme(w, 'Dark Modern', false);
    await w.host.command('workbench.action.closeSidebar');
    await w.page.setViewportSize({ width: 300, height: 700 });
    await w.wb.command('MCP Host: Add Server…');
    await w.wb.quickInput.locator('input[placeholder^="URL, command line"]').waitFor();
    await w.picture('mend-box-narrow');
    await w.wb.input('https://mcp.example.com/mcp', { accept: false });
    await w.wb.quickRowsWith('Add "example"');
    await w.picture('mend-box-typed-narrow');
  });
});
