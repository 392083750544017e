import * as assert from 'node:assert/strict';
import * as fs from 'node:fs';
import * as path from 'node:path';
import type { Frame, Locator } from 'playwright-core';
import { COLLECTED, collectedServers } from '../bench/tools/collection';
import { fixturePath, waitFor } from '../servers/spawn';
import { attemptMs, eventually, persist, shownText, soon } from '../setup/dom';
import { inRepository, remove, temporaryFolder } from '../setup/paths';
import { openWorkbench, type Workbench } from '../setup/workbench';

const agent = inRepository('test/extensions/stand-in-agent');

describe('native chat', () => {
  let w: Workbench;
  /** Where the gateway's socket goes. */
  let runtime: string;
  before(async () => {
    runtime = temporaryFolder();
    w = await openWorkbench({
      viewport: { width: 1500, height: 950 },
      unpacked: [agent],
      proposedApi: ['mcp-host-test.stand-in-agent'],
      env: { XDG_RUNTIME_DIR: runtime },
    });
    await w.page.locator('[id="mcp-host.mcp-host.mcpHost.status"][aria-label*="2 ready"]').waitFor();
    await w.host.command('workbench.action.chat.open', { mode: 'agent' });
    await w.wb.chat.pickModel('Demo Model');
  });
  after(async () => {
    await w?.close();
    remove(runtime);
  });

  const sockets = () => fs.readdirSync(runtime).filter(name => name.startsWith('mcp-host-'));
  const tools = (prefix: string) =>
    w.host.eval(
      (vscode, start) => vscode.lm.tools.map(({ name }) => name).filter(name => name.startsWith(start)),
      prefix,
    );

  /** The editor looks with each question for servers that it has not started: those that it knows of by then. */
  const askUntil = (question: string, condition: () => Promise<boolean>, what: string) =>
    persist(async () => {
      await w.wb.chat.ask(question);
      await soon(condition, what);
    }, what);

  it('has the tools of all ready servers', async () => {
    const areThere = async () => {
      const found = await Promise.all(['mcp_everything_', 'mcp_notebook_'].map(tools));
      return found.every(({ length }) => length > 2);
    };
    await askUntil('hello', areThere, 'the tools of both');
    await eventually(async () =>
      assert.ok((await tools('mcp_everything_')).includes('mcp_everything_get-sum'), String(await tools('mcp'))),
    );
    assert.equal(sockets().length, 1);
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

  const answers = (response: Locator, pattern: RegExp) =>
    waitFor(async () => pattern.test(await shownText(response)), { what: `${pattern}` });

  /** The page that has this, however deep in frames of the editor: an app in an answer may be seen at the same time. */
  const frameWith = (part: (frame: Frame) => Locator, what: string) =>
    waitFor(
      async () => {
        for (const frame of w.page.frames())
          if (
            await part(frame)
              .isVisible()
              .catch(() => false)
          )
            return frame;
        return undefined;
      },
      { what },
    );

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
    // The answer draws it anew until it is complete.
    await answers(response, /The tool answered/);
    const app = await frameWith(frame => frame.getByRole('heading', { name: 'Board of the notes' }), 'the app');
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

  it("gives other participants a few tools, and asks for each call whatever the editor's answer was", async () => {
    const listed = await w.wb.chat.send('call mcpHost_listTools {"server": "everything"}');
    await answers(listed, /"tool":"echo"/);
    const call =
      'call mcpHost_callTool {"server": "notebook", "tool": "add_note", "arguments": {"name": "tea", "text": "x"}}';
    const response = await w.wb.chat.send(call);
    await response
      .getByRole('button', { name: /^Allow/ })
      .first()
      .waitFor();
    await w.picture('language-model-tool-confirmation');
    await response
      .getByRole('button', { name: /^Allow/ })
      .first()
      .click();
    const { text, detail } = await w.wb.modal();
    assert.match(text, /Call add_note on MCP server "notebook"/);
    assert.match(detail, /"name": "tea"/);
    await w.wb.answerModal('Deny');
    await answers(response, /denied: .*The user denied/);
  });

  it('shows long arguments of such calls on a page, which allows them only at its end', async () => {
    const input = {
      server: 'notebook',
      tool: 'add_note',
      arguments: { name: 'tea', text: `${'a\n'.repeat(30)}the end` },
    };
    const response = await w.wb.chat.send(`call mcpHost_callTool ${JSON.stringify(input)}`);
    // The editor remembers its own answer for the tool, and asks no more.
    const page = await frameWith(frame => frame.locator('.end'), 'the page');
    await eventually(async () => assert.match(await page.locator('.rows').innerText(), /the end"/));
    await w.picture('native-chat-whole');
    await page.getByRole('button', { name: 'Allow Once', exact: true }).click();
    await answers(response, /The tool answered/);
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

  it('starts no second process for a server', async function () {
    if (process.platform !== 'linux') this.skip();
    const extensionHost = await w.host.eval(() => process.pid);
    for (const script of [
      'node_modules/@modelcontextprotocol/server-everything/dist/index.js',
      'dist/demo-server.js',
    ]) {
      assert.equal(processesOf(inRepository(script), extensionHost), 1, script);
    }
  });

  it('follows servers that stop and start', async () => {
    const enable = (enabled: boolean) => {
      const file = path.join(w.folder, '.vscode/settings.json');
      const settings = JSON.parse(fs.readFileSync(file, 'utf8')) as Record<string, Record<string, object>>;
      Object.assign(settings['mcpHost.servers']?.everything ?? {}, { enabled });
      fs.writeFileSync(file, JSON.stringify(settings, null, 2));
    };
    enable(false);
    await waitFor(async () => (await tools('mcp_everything_')).length === 0, { what: 'no tools' });
    await eventually(async () => assert.ok((await tools('mcp_notebook_')).length > 2));
    await w.page.locator('[id="mcp-host.mcp-host.mcpHost.status"][aria-label*="1 ready"]').waitFor();
    enable(true);
    await w.page.locator('[id="mcp-host.mcp-host.mcpHost.status"][aria-label*="2 ready"]').waitFor();
    await askUntil('hello again', async () => (await tools('mcp_everything_')).length > 2, 'tools again');
  });

  it('searches for tools when so configured, and asks about the tool that is really called', async () => {
    const offer = (how: 'on' | 'search') =>
      w.host.eval(
        (vscode, value) => vscode.workspace.getConfiguration('mcpHost').update('nativeChat', value, true),
        how,
      );
    await offer('search');
    const searching = ['mcp_search_tools', 'mcp_describe_tool', 'mcp_call_tool'].map(name => `mcp_everything_${name}`);
    const areAlone = async () => {
      const now = await tools('mcp_everything_');
      return now.length === 3 && searching.every(name => now.includes(name));
    };
    await askUntil('hello once more', areAlone, 'the three tools alone');
    const found = await w.wb.chat.send('call mcp_everything_mcp_search_tools {"query": "add two numbers"}');
    await answers(found, /"name":"get-sum"/);
    const response = await w.wb.chat.send(
      'call mcp_everything_mcp_call_tool {"name": "get-sum", "arguments": {"a": 30, "b": 12}}',
    );
    // The editor would remember an answer for all of the server's tools at once.
    const { text, detail } = await w.wb.modal();
    assert.match(text, /get-sum.*"everything"/);
    assert.match(detail, /"a": 30/);
    await w.picture('native-chat-search-question');
    await w.wb.answerModal('Allow Once');
    await answers(response, /The sum of 30 and 12 is 42/);
    await w.picture('native-chat-search');
    await offer('on');
  });

  it('offers tools with odd schemas beside all others, in words that their server understands', async () => {
    const servers = (value: object) =>
      w.host.eval((vscode, set) => vscode.workspace.getConfiguration('mcpHost').update('servers', set, true), value);
    const real = collectedServers().flatMap(server => server.tools).length;
    const args = [fixturePath('oddSchemas'), COLLECTED];
    await servers({ odd: { command: process.execPath, args } });
    await w.page.locator('[id="mcp-host.mcp-host.mcpHost.status"][aria-label*="3 ready"]').waitFor();
    const isAll = async () => (await tools('mcp_odd_')).length === real + 13;
    await askUntil('hello to all', isAll, 'the tools of real servers, and all odd ones but one');
    const all = await w.wb.chat.ask('use tools');
    await answers(all, /mcp_odd_no_items/);
    const response = await w.wb.chat.send(
      'call no_items {"values": [1, "a"]} then call odd_names {"filter_id": "x", "a_space": 2}',
    );
    const allow = response.getByRole('button', { name: /^Allow/ });
    await allow.first().click();
    await answers(response, /odd_names/);
    await allow.first().click();
    await answers(response, /"values":\[1,"a"\].*"filter\[id\]":"x","a space":2/s);
    await w.picture('native-chat-odd-schemas');
    await w.host.command('workbench.view.extension.mcpHost');
    const tree = w.wb.tree('Servers');
    await tree.expand('odd');
    await tree.expand('Tools');
    await tree.row('too_large').locator('.label-description', { hasText: 'not offered to models' }).waitFor();
    await w.picture('native-chat-not-offered');
    await servers({});
    await w.page.locator('[id="mcp-host.mcp-host.mcpHost.status"][aria-label*="2 ready"]').waitFor();
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
