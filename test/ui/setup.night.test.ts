import * as assert from 'node:assert/strict';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { clickInRow, eventually } from '../drivers/dom';
import { answerNotification } from '../drivers/notifications';
import { openWorkbench, type Workbench } from '../drivers/workbench';
import { type RegistryFixture, startRegistry } from '../servers/registry';
import { fixturePath, waitFor } from '../servers/spawn';
import { inRepository, remove, temporaryFolder } from '../setup/paths';

const SECRET = 'ghp_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8';
const DEMO = inRepository('dist/demo-server.js');

/** A home folder in which other hosts have servers, and a project with comments in its settings. */
function fillHome(home: string): void {
  const put = (file: string, content: unknown) => {
    fs.mkdirSync(path.dirname(path.join(home, file)), { recursive: true });
    fs.writeFileSync(path.join(home, file), JSON.stringify(content, null, 2));
  };
  put('.cursor/mcp.json', {
    mcpServers: {
      notes: { command: process.execPath, args: [DEMO], env: { GITHUB_TOKEN: SECRET } },
      first: { command: 'uvx', args: ['another-first'] },
    },
  });
  put('.codeium/windsurf/mcp_config.json', {
    mcpServers: { notes: { command: process.execPath, args: [DEMO], env: { GITHUB_TOKEN: SECRET } } },
  });
  fs.cpSync(inRepository('test/setup-samples/zed/settings.json'), path.join(home, '.config/zed/settings.json'), {
    recursive: true,
  });
  const cline = '.config/Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json';
  fs.cpSync(inRepository('test/setup-samples/cline/cline_mcp_settings.json'), path.join(home, cline), {
    recursive: true,
  });
}

const SETTINGS = `{
  // the team agreed on this
  "editor.tabSize": 2, // two
  "mcpHost.servers": {
    "first": { "command": "no-such-program", "start": "never", "env": { "MODE": "fast" } }, // not needed now
  },
}
`;

function writeSettings(folder: string): void {
  fs.mkdirSync(path.join(folder, '.vscode'), { recursive: true });
  fs.writeFileSync(path.join(folder, '.vscode', 'settings.json'), SETTINGS);
}

describe('adding and importing servers', () => {
  const home = temporaryFolder();
  let registry: RegistryFixture;
  let w: Workbench;
  before(async () => {
    fillHome(home);
    registry = await startRegistry();
    w = await openWorkbench({
      workspace: 'editor',
      prepare: writeSettings,
      env: { HOME: home, XDG_CONFIG_HOME: path.join(home, '.config') },
      settings: { 'mcpHost.registry.url': registry.url('/good') },
    });
    await w.wb.viewContainer('MCP');
  });
  after(async () => {
    await w?.close();
    await registry?.stop();
    remove(home);
  });

  const settings = () => fs.readFileSync(path.join(w.folder, '.vscode', 'settings.json'), 'utf8');
  const ofUser = async () =>
    JSON.stringify(
      await w.host.eval(vscode => vscode.workspace.getConfiguration('mcpHost').inspect('servers')?.globalValue),
    );
  const says = (label: string, what: RegExp) =>
    w.wb.tree('Servers').row(label).and(w.page.locator('[role=treeitem]')).filter({ hasText: what }).waitFor();
  /** Waits for a step of the wizard by what it asks. */
  const asked = (what: RegExp) =>
    waitFor(
      async () => {
        const { quickInput } = w.wb;
        if (!(await quickInput.isVisible())) return false;
        const box = quickInput.locator('.quick-input-box input');
        const text = `${await box.getAttribute('placeholder')} ${await quickInput.innerText()}`;
        return what.test(text);
      },
      { what: `a step that asks ${what}` },
    );
  const enter = () => w.wb.accept();

  it('imports from other hosts: a checked list shows what is written where @setup.imports-hosts-checked', async () => {
    await w.wb.command('MCP Host: Import Servers…');
    await asked(/Select the servers to import/);
    await w.wb.quickRowsWith('notes', 'first', 'local', 'weather');
    await w.picture('setup-import-list');
    await eventually(async () => {
      const rows = (await w.wb.quickRows()).join('\n');
      assert.match(rows, /notes, .*1 secret will be kept in secret storage/);
      assert.match(rows, /first, uvx another-first/);
      assert.match(rows, /notes, .*same as in Cursor/);
      assert.match(rows, /weather, .*"autoApprove" is not imported/);
      assert.ok(!rows.includes(SECRET));
    });
    await w.wb.pickMany(['first', 'local', 'older', 'remote', 'weather', 'old']);
    const review = await w.wb.modal();
    assert.match(review.text, /Import these MCP servers and allow them to start\?/);
    assert.match(review.detail, /^● notes\n/);
    assert.match(review.detail, /GITHUB_TOKEN = •••/);
    assert.match(review.detail, /This program runs with your permissions\./);
    assert.ok(review.detail.includes(DEMO) && !review.detail.includes(SECRET));
    await w.picture('setup-import-review');
    await w.wb.answerModal('Import and Allow');
    await w.wb.notification(/Imported .*notes/);
    await says('notes', /tools/);
    await w.picture('setup-imported');
    const text = await ofUser();
    assert.ok(text.includes('${input:notes-GITHUB_TOKEN}') && !text.includes(SECRET), text);
  });

  it('adds what was pasted with two more keys after a test', async () => {
    await clickInRow(w.page.locator('.pane-header', { hasText: 'Servers' }), 'Add Server…');
    await asked(/URL, command line/);
    const ways = ['Browse Servers', 'Choose a File…', 'Import from Other Hosts', 'New Server', 'Demo Server'];
    await w.wb.quickRowsWith(...ways);
    await w.picture('setup-add-ways');
    const [list, last] = await Promise.all(
      [w.wb.quickInput.locator('.quick-input-list'), w.wb.quickRow('Demo Server')].map(one => one.boundingBox()),
    );
    assert.ok(last!.y + last!.height <= list!.y + list!.height + 1, 'every way is seen whole');
    await w.wb.quickInput.locator(':focus').waitFor();
    // As a paste does: all of it at once.
    await w.page.keyboard.insertText(`NOTES_PASSWORD=hunter2 "${process.execPath}" "${DEMO}"`);
    await w.wb.quickRowsWith('Add "demo-server"');
    await w.picture('setup-add-pasted');
    await enter();
    // Keyboard alone: the button that Enter presses has the focus.
    await w.wb.dialog.locator('.monaco-button:focus', { hasText: 'Test and Add' }).waitFor();
    const { detail } = await w.wb.modal();
    assert.match(detail, /NOTES_PASSWORD = •••/);
    await w.picture('setup-add-review');
    await w.page.keyboard.press('Enter');
    await w.wb.notification(
      /"demo-server" was added to your user settings\. The server responded and offers \d+ tools/,
    );
    await says('demo-server', /tools/);
    await w.page.locator('[role=treeitem].selected.focused', { hasText: 'demo-server' }).waitFor();
    await w.picture('setup-add-added');
    await eventually(async () => {
      const written = await ofUser();
      assert.ok(written.includes('${input:demo-server-NOTES_PASSWORD}') && !written.includes('hunter2'), written);
    });
  });

  it('adds several from one text after a test of each, and takes them back', async () => {
    const servers = { alpha: { command: process.execPath, args: [DEMO] }, beta: { command: 'no-such-program' } };
    await w.wb.command('MCP Host: Add Server…');
    await asked(/URL, command line/);
    await w.wb.quickInput.locator(':focus').waitFor();
    await w.page.keyboard.insertText(JSON.stringify({ mcpServers: servers }));
    await w.wb.pick('Add 2 servers…');
    await asked(/Select the servers to add/);
    await w.wb.quickRowsWith('alpha', 'beta');
    await w.picture('setup-several-list');
    await w.wb.quickInput.getByRole('button', { name: 'OK', exact: true }).click();
    await w.wb.answerModal('Test and Add');
    await w.wb.dialog.filter({ hasText: '1 of 2 servers could not be reached.' }).waitFor();
    await w.picture('setup-several-failed');
    await w.wb.answerModal('Add the Others');
    await w.wb.notification(/"alpha" was added to your user settings\./);
    await w.page.locator('[role=treeitem].selected.focused', { hasText: 'alpha' }).waitFor();
    await w.picture('setup-several-added');
    await answerNotification(w, /"alpha" was added/, 'Undo');
    await eventually(async () => assert.ok(!(await ofUser()).includes('alpha')));
  });

  it('lets name, target and environment be changed before adding', async () => {
    await w.wb.command('MCP Host: Add Server…');
    await asked(/URL, command line/);
    await w.wb.input(`"${process.execPath}" "${DEMO}"`);
    await w.wb.modal();
    await w.wb.answerModal('Change…');
    await asked(/What do you want to change/);
    await w.wb.pick('Name');
    await asked(/Name of the server/);
    await w.wb.input('my notes');
    await asked(/What do you want to change/);
    await w.wb.pick('Save to');
    await w.wb.pick('workspace settings');
    await eventually(async () =>
      assert.ok((await w.wb.quickRows()).some(row => /^Save to,? workspace settings/.test(row))),
    );
    await w.wb.pick('Add an Environment Variable…');
    await w.wb.quickInput.locator('input[placeholder^="API_KEY"]').waitFor();
    await w.wb.input('NOTES_PASSWORD=hunter2');
    await w.wb.quickRowsWith('NOTES_PASSWORD');
    await w.picture('setup-add-environment');
    await w.wb.pick('Continue');
    await w.wb.dialog.waitFor();
    await w.picture('setup-add-confirm');
    await w.wb.answerModal('Test and Add');
    await w.wb.notification(
      /"my notes" was added to your workspace settings\. The server responded and offers \d+ tools/,
    );
    await says('my notes', /tools/);
    await w.picture('setup-added');
    const text = settings();
    for (const kept of [
      '// the team agreed on this',
      '"editor.tabSize": 2, // two',
      '"env": { "MODE": "fast" } }, // not needed now',
    ])
      assert.ok(text.includes(kept), text);
    assert.ok(!text.includes('hunter2'));
  });

  it('shows its interpretation of any text, and never an empty list', async () => {
    await w.wb.command('MCP Host: Add Server…');
    await asked(/URL, command line/);
    for (const [text, label] of [
      ['https://mcp.example.com/mcp', 'Add "example"'],
      ['@playwright/mcp@latest', 'Add "playwright"'],
      ['weather', 'Browse Servers: weather'],
      ['{"mcpServers":{"a":{"command":"x"},"b":{"command":"y"}}}', 'Add 2 servers…'],
      ['{"mcpServers":', 'This JSON cannot be read: a value is missing in line 1.'],
      ['import', 'Import from Other Hosts'],
    ] as const) {
      await w.wb.input(text, { accept: false });
      const [first] = await w.wb.quickRowsWith(label);
      // The editor would draw a row first that has what was typed in its label.
      if (text === 'weather') assert.ok(first?.startsWith(label), first);
      if (text.startsWith('@')) await w.picture('setup-add-guessed');
    }
    await w.wb.dismiss();
  });

  it('shows why a server does not start, and lets the person edit it', async () => {
    await w.wb.command('MCP Host: Add Server…');
    await asked(/URL, command line/);
    await w.wb.input(`"${process.execPath}" "${fixturePath('hostile')}" --exit-at-start=3`);
    await w.wb.answerModal('Test and Add');
    await w.wb.dialog.filter({ hasText: 'could not be started' }).waitFor();
    const { text, detail, buttons } = await w.wb.modal();
    assert.match(text, /"\w+" could not be started/);
    assert.match(detail, /exited with code 3/);
    assert.match(detail, /missing API_KEY/);
    assert.deepEqual(buttons.sort(), ['Add Anyway', 'Cancel', 'Edit', 'Try Again']);
    await w.picture('setup-test-failed');
    await w.wb.answerModal('Edit');
    await asked(/URL, command line/);
    await eventually(async () =>
      assert.match(await w.wb.quickInput.locator('.quick-input-box input').inputValue(), /--exit-at-start=3$/),
    );
    await w.wb.dismiss();
  });

  it('leads back by Enter to what was typed wrong, which is not in settings yet', async () => {
    await w.wb.command('MCP Host: Add Server…');
    await asked(/URL, command line/);
    await w.wb.input('"/no/such/place/server" --stdio');
    await w.wb.answerModal('Test and Add');
    await w.wb.dialog.filter({ hasText: 'could not be started' }).waitFor();
    const { detail, buttons } = await w.wb.modal();
    assert.match(detail, /^Command not found: \/no\/such\/place\/server\.\s+Edit what you entered/);
    assert.doesNotMatch(detail, /could not|settings entry/i);
    assert.deepEqual(buttons.sort(), ['Add Anyway', 'Cancel', 'Edit', 'Try Again']);
    await w.picture('setup-test-mistyped');
    await w.page.keyboard.press('Enter');
    await asked(/URL, command line/);
    await w.wb.dismiss();
  });

  it('searches on the page Browse Servers for what was typed', async () => {
    await w.wb.command('MCP Host: Add Server…');
    await asked(/URL, command line/);
    await w.wb.input('weather', { accept: false });
    await w.wb.quickRowsWith('Browse Servers: weather');
    await w.picture('setup-registry');
    await w.wb.pick('Browse Servers: weather');
    const page = w.wb.webview();
    await page.getByRole('status').filter({ hasText: '1 server' }).waitFor();
    await eventually(async () => assert.equal(await page.getByRole('searchbox').inputValue(), 'weather'));
    await page.getByRole('option', { name: /Weather/ }).click();
    await page.getByRole('region', { name: 'Details' }).getByRole('button', { name: 'Install…' }).click();
    await asked(/optional settings/);
    await enter();
    const { detail } = await w.wb.modal();
    assert.match(detail, /npx -y .*weather/);
    assert.match(detail, /Inputs:\n.*You are asked for: /);
    await w.picture('setup-registry-review');
    await w.wb.answerModal('Test and Add');
    await asked(/Key of the weather service/);
    await w.picture('setup-registry-input');
    await w.wb.dismiss();
  });

  it('reviews pasted JSON with the command of an input before it asks or runs anything @setup.reviews-pasted-json', async () => {
    const shell = { name: 'evil', shellPath: '/bin/sh', shellArgs: ['-c', `touch ${path.join(home, 'evil')}`] };
    const text = JSON.stringify({
      inputs: [
        { type: 'command', id: 'token', command: 'workbench.action.terminal.newWithProfile', args: { config: shell } },
      ],
      servers: {
        readme: {
          command: process.execPath,
          args: [DEMO],
          env: { NOTES_TOKEN: '${input:token}', NODE_OPTIONS: '--require=./setup.cjs' },
        },
      },
    });
    await w.wb.command('MCP Host: Add Server…');
    await asked(/URL, command line/);
    await w.wb.quickInput.locator(':focus').waitFor();
    await w.page.keyboard.insertText(text);
    await w.wb.pick('Add "readme"');
    const { text: question, detail } = await w.wb.modal();
    assert.match(question, /Add the MCP server "readme" and allow it to start\?/);
    assert.ok(
      detail.includes(
        `token = command workbench.action.terminal.newWithProfile {"config":${JSON.stringify({ name: 'evil', shellArgs: shell.shellArgs, shellPath: '/bin/sh' })}}`,
      ),
      detail,
    );
    assert.match(detail, /This editor command is run to get its value/);
    assert.match(detail, /NODE_OPTIONS = --require=\.\/setup\.cjs\n {4}⚠/);
    await w.picture('setup-pasted-command');
    // Another dialog takes its place at once.
    await w.wb.dialog.getByRole('button', { name: 'Add without Testing', exact: true }).click();
    await w.wb.dialog.filter({ hasText: 'runs an editor command' }).waitFor();
    const asking = await w.wb.modal();
    assert.match(asking.text, /Input "token" of MCP server readme runs an editor command/);
    assert.deepEqual(asking.buttons.sort(), ['Always Run', "Don't Run", 'Not Now', 'Run Command']);
    await w.picture('setup-pasted-command-run');
    await w.wb.dismiss(w.wb.dialog);
    await eventually(async () => assert.equal(await w.host.eval(vscode => vscode.window.terminals.length), 0));
    assert.ok(!fs.existsSync(path.join(home, 'evil')) && !settings().includes('readme'));
  });

  it('exports servers without their secrets @setup.exports-servers-secrets', async () => {
    await w.wb.command('MCP Host: Export Servers…');
    await asked(/Select the servers to export/);
    await w.picture('setup-export');
    const ok = w.page.locator('.quick-input-widget').getByRole('button', { name: 'OK', exact: true });
    await ok.click();
    await asked(/Select the values to export/);
    await w.picture('setup-export-values');
    await ok.click();
    await w.wb.quickRowsWith('.mcp.json');
    await w.picture('setup-export-form');
    await w.wb.pick('mcp.json');
    const text =
      (await w.host.until(vscode => {
        const shown = vscode.window.activeTextEditor?.document.getText();
        return shown?.includes('"servers": {') && shown;
      })) || '';
    assert.match(text, /\$\{input:notes-GITHUB_TOKEN\}/);
    assert.ok(!text.includes(SECRET) && !text.includes('hunter2'));
    await w.picture('setup-exported');
  });
});
