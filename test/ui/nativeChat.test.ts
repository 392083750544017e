import * as assert from 'node:assert/strict';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { attemptMs, eventually, persist, shownText } from '../drivers/dom';
import type { Workbench } from '../drivers/workbench';
import { waitFor } from '../servers/spawn';
import { inRepository, remove, temporaryFolder } from '../setup/paths';
import { answers, askUntil, frameWith, openAgentChat, toolsOf } from './agentChat';

describe('native chat', () => {
  let w: Workbench;
  /** Where the gateway's socket goes. */
  let runtime: string;
  before(async () => {
    runtime = temporaryFolder();
    w = await openAgentChat({ XDG_RUNTIME_DIR: runtime });
  });
  after(async () => {
    await w?.close();
    remove(runtime);
  });

  const sockets = () => fs.readdirSync(runtime).filter(name => name.startsWith('mcp-host-'));
  const tools = (prefix: string) => toolsOf(w, prefix);

  it('has the tools of all ready servers', async () => {
    const areThere = async () => {
      const found = await Promise.all(['mcp_everything_', 'mcp_notebook_'].map(tools));
      return found.every(({ length }) => length > 2);
    };
    await askUntil(w, 'hello', areThere, 'the tools of both');
    await eventually(async () =>
      assert.ok((await tools('mcp_everything_')).includes('mcp_everything_get-sum'), String(await tools('mcp'))),
    );
    // One for the Local chat, and one for bridges of chats that run in a process of their own.
    assert.equal(sockets().length, 2);
  });

  it('gives chats in processes of their own a program to start, without a secret; the Local chat gets a socket @nativeChat.gives-chats-processes', async () => {
    const definitions = () =>
      w.host.eval(vscode =>
        (
          vscode.lm as unknown as { mcpServerDefinitions: { label: string; command?: string; args?: string[] }[] }
        ).mcpServerDefinitions.map(({ label, command, args = [] }) => ({ label, command, args })),
      );
    await eventually(async () => assert.equal((await definitions()).length, 2));
    const card = (args: readonly string[]) => args[args.indexOf('--card') + 1] ?? '';
    for (const { label, command, args } of await definitions()) {
      assert.match(command ?? '', /node$/);
      assert.deepEqual([path.basename(args[0] ?? ''), ...args.slice(1, 4)], ['bridge.js', '--server', label, '--card']);
      const { secret } = JSON.parse(fs.readFileSync(card(args), 'utf8')) as { secret: string };
      assert.ok(secret && !args.join(' ').includes(secret));
      assert.equal(fs.statSync(card(args)).mode & 0o077, 0);
    }
    const before = (await definitions()).map(({ args }) => card(args));
    assert.equal(new Set(before).size, 1);
  });

  it('offers prompts as slash commands, with completion by the server', async () => {
    const input = w.wb.chat.locator.locator('.interactive-input-editor .monaco-editor').first();
    const row = w.page.locator('.suggest-widget .monaco-list-row', { hasText: 'mcp.everything.completable-prompt' });
    const suggest = async () => {
      await input.click({ timeout: attemptMs });
      await w.page.keyboard.press('ControlOrMeta+a');
      await w.page.keyboard.press('Delete');
      await w.page.keyboard.type('/mcp.everything.', { delay: 20 });
      await row.waitFor({ timeout: attemptMs });
    };
    await persist(suggest, 'the prompts as suggestions');
    await w.picture('native-chat-prompts');
    await persist(async () => {
      if (!(await row.isVisible())) await suggest();
      await row.click({ timeout: attemptMs });
    }, 'the prompt to be chosen');
    await w.wb.quickRow('Engineering').waitFor();
    await w.picture('native-chat-prompt-completion');
    await w.wb.pick('Sales');
    await w.wb.quickRow('David').waitFor();
    await w.wb.pick('David');
    // The editor puts what the server made of them into its input.
    await input.locator('.view-line', { hasText: 'David' }).waitFor();
    await w.wb.chat.locator.locator('.interactive-input-editor .monaco-editor.focused').waitFor();
    await w.picture('native-chat-prompt-text');
    await w.wb.chat.locator.locator('.interactive-input-part').getByRole('button', { name: /^Send/ }).first().click();
    const answer = w.wb.chat.locator.locator('.interactive-response').last();
    await waitFor(async () => /You said: .*David.*Sales/s.test(await shownText(answer)), {
      what: 'the prompt with its arguments',
    });
    await w.picture('native-chat-prompt');
  });

  it("runs tools after the editor's own question", async () => {
    const response = await w.wb.chat.send('call add_note {"name": "milk", "text": "Buy some"}');
    const allow = response.getByRole('button', { name: /^Allow/ }).first();
    await allow.waitFor();
    await w.picture('native-chat-confirmation');
    await allow.click();
    await answers(response, /The tool answered/);
    await w.picture('native-chat-tool');
  });

  it('asks in its answer about a tool that declares itself read-only, without a modal dialog', async () => {
    const response = await w.wb.chat.send('call get-sum {"a": 40, "b": 2}');
    const allow = response.getByRole('button', { name: /^Allow/ }).first();
    await allow.waitFor();
    await w.picture('native-chat-question');
    await eventually(async () => assert.equal(await w.wb.dialog.count(), 0));
    await allow.click();
    await answers(response, /The sum of 40 and 2 is 42/);
    // What was answered holds for the session, as for any other tool.
    const again = await w.wb.chat.send('call get-sum {"a": 1, "b": 2}');
    await answers(again, /The sum of 1 and 2 is 3/);
  });

  it('draws the app of a tool in its answer; calls of the app are asked about, and models are not offered app-only tools', async () => {
    const response = await w.wb.chat.send('call show_board {}');
    const allow = response.getByRole('button', { name: /^Allow/ }).first();
    await allow.waitFor();
    await allow.click();
    assert.match((await w.wb.modal()).text, /Show the app ".*" of MCP server "notebook"\?/);
    await w.picture('native-chat-app-question');
    await w.wb.answerModal('Show App');
    // The answer draws it anew until it is complete.
    await answers(response, /The tool answered/);
    const app = await frameWith(w, frame => frame.getByRole('heading', { name: 'Board of the notes' }), 'the app');
    await app.locator('.facts', { hasText: /\d+ notes?, / }).waitFor(); // it has the notes, so it knows its host
    await app.getByLabel('Name of the note').fill('bread');
    await app.getByLabel('Text of the note').fill('Bake some.');
    await app.getByRole('button', { name: 'Add Note' }).click();
    // The editor asks nobody about calls of an app.
    assert.match((await w.wb.modal()).text, /call add_note on MCP server "notebook"\?/i);
    await w.picture('native-chat-app');
    await w.wb.answerModal('Deny');
    // This is for the app alone.
    assert.ok(!(await tools('mcp_notebook_')).includes('mcp_notebook_refresh_board'));
    const other = await w.wb.chat.ask('call refresh_board {}');
    await answers(other, /call refresh_board \{\}/);
  });

  it('records its calls in our audit log', async () => {
    await w.wb.command('MCP Host: Show Audit Log');
    const lines = await w.host.until(vscode => {
      const text = vscode.window.activeTextEditor?.document.getText() ?? '';
      return text.includes('get-sum') && text.split('\n').filter(row => row.includes('"gateway"'));
    });
    const rows = (lines || []).map(line => JSON.parse(line) as Record<string, string>);
    assert.deepEqual(
      rows.filter(({ type }) => type === 'call').map(({ tool, answer }) => [tool, answer]),
      [
        ['add_note', 'allow'],
        ['get-sum', 'allow'],
        ['get-sum', 'allow'],
        ['show_board', 'allow'],
        // By the app.
        ['add_note', 'deny'],
      ],
    );
    const others = rows.filter(({ type }) => type !== 'call');
    assert.deepEqual(
      new Set(others.map(({ method, outcome }) => `${method}: ${outcome}`)),
      new Set(['completion/complete: ok', 'prompts/get: ok', 'resources/read: ok']),
    );
  });

  it('has MCP Host ask about a call where the workspace would have the editor ask nothing, or once did', async () => {
    const file = path.join(w.folder, '.vscode/settings.json');
    const before = fs.readFileSync(file, 'utf8');
    const level = () => w.host.eval(vscode => vscode.workspace.getConfiguration('chat').get('permissions.default'));
    const isAsked = async () => {
      const response = await w.wb.chat.send('call add_note {"name": "tea", "text": "Buy some"}');
      assert.match((await w.wb.modal()).text, /add_note/);
      await w.wb.answerModal('Deny');
      await answers(response, /denied/);
      const read = await w.wb.chat.send(
        'call mcpHost_readResource {"server": "notebook", "uri": "notebook:///readme.md"}',
      );
      const frame = await frameWith(w, one => one.getByRole('button', { name: 'Deny', exact: true }), 'the page');
      await frame.getByRole('button', { name: 'Deny', exact: true }).click();
      await answers(read, /did not allow/);
    };
    try {
      const settings = { ...JSON.parse(before), 'chat.permissions.default': 'autoApprove' };
      fs.writeFileSync(file, JSON.stringify(settings, null, 2));
      await eventually(async () => assert.equal(await level(), 'autoApprove'));
      await w.host.command('workbench.action.chat.newChat');
      await isAsked();
      // A chat stays as it began.
      fs.writeFileSync(file, before);
      await eventually(async () => assert.notEqual(await level(), 'autoApprove'));
      await isAsked();
    } finally {
      fs.writeFileSync(file, before);
      await w.host.command('workbench.action.chat.newChat');
    }
  });

  it('starts no second process for a server @nativeChat.starts-second-process', async function () {
    if (process.platform !== 'linux') this.skip();
    const extensionHost = await w.host.eval(() => process.pid);
    for (const script of [
      'node_modules/@modelcontextprotocol/server-everything/dist/index.js',
      'dist/demo-server.js',
    ]) {
      assert.equal(processesOf(inRepository(script), extensionHost), 1, script);
    }
  });

  it('has no server and no listener when the setting is off', async () => {
    await w.host.eval(vscode => vscode.workspace.getConfiguration('mcpHost').update('nativeChat', 'off', true));
    await waitFor(async () => (await tools('mcp_notebook_')).length === 0, { what: 'no tools' });
    await waitFor(() => sockets().length === 0, { what: 'no socket' });
  });
});

/** How many processes that another one has started run this script. */
function processesOf(script: string, starter: number): number {
  const isStarted = (pid: string): boolean => {
    const [, parent] = /\) \S (\d+)/.exec(fs.readFileSync(`/proc/${pid}/stat`, 'utf8')) ?? [];
    return Number(parent) === starter || (parent !== undefined && Number(parent) > 1 && isStarted(parent));
  };
  const runs = (pid: string) => {
    try {
      return fs.readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')[1] === script && isStarted(pid);
    } catch {
      return false; // it has ended
    }
  };
  return fs.readdirSync('/proc').filter(name => /^\d+$/.test(name) && runs(name)).length;
}
