import * as assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Locator } from 'playwright-core';
import { clickAnswer, said } from '../drivers/chat';
import { eventually } from '../drivers/dom';
import { openChat, type Workbench } from '../drivers/workbench';
import { fixturePath, waitFor } from '../servers/spawn';
import { remove, temporaryFolder } from '../setup/paths';

describe('@mcp in code mode', () => {
  let w: Workbench;
  const codeMode = (isOn: boolean) =>
    w.host.eval(
      (vscode, value) => vscode.workspace.getConfiguration('mcpHost').update('chat.codeMode', value, true),
      isOn,
    );
  const run = (...lines: string[]) =>
    w.wb.chat.send(`@mcp call mcp_run_script ${JSON.stringify({ script: lines.join('\n') })}`);
  const says = (response: Locator, what: RegExp) =>
    waitFor(async () => what.test(await said(response)), { what: `the answer to say ${what}` });
  const theme = async (name: string, wanted: string) => {
    await w.host.eval(
      (vscode, value) => vscode.workspace.getConfiguration().update('workbench.colorTheme', value, true),
      name,
    );
    await w.page.locator(`.monaco-workbench${wanted}`).waitFor();
  };
  before(async () => {
    w = await openChat(2);
    await codeMode(true);
  });
  after(() => w?.close());

  it("runs the model's script, asks for each of its calls, and returns its output to the model @chat.runs-model-script", async () => {
    const response = await run(
      'const { notes } = await tools.notebook__list_notes();',
      'try {',
      '  await tools.notebook__delete_note({ name: "plan" });',
      '} catch (e) {',
      '  console.log("no", e.message);',
      '}',
      'return `${notes.length} notes`;',
    );
    await clickAnswer(response, 'Allow');
    await clickAnswer(response, 'Deny', 2);
    await says(response, /The tool answered: no Denied: The user denied the call to delete_note.* \d+ notes/);
    await says(response, /Calls: 2 · tokens sent/);
    await eventually(async () => {
      const text = await said(response);
      assert.match(text, /Script · 7 lines · script\.js/);
      assert.match(text, /List notes · notebook · allowed once[\s\S]*Delete a note · notebook · denied/);
      assert.match(text, /Script · 2 calls · [\d.]+ m?s · script output\.txt/);
    });
    await w.picture('chat-code-mode');
    await theme('Dark Modern', '.vs-dark');
    await w.picture('chat-code-mode-dark');
    await theme('Default Light Modern', '.vs');
    // It is further up than the list shows by now.
    await response.getByText('script.js').dispatchEvent('click');
    await w.wb.tab('script.js').waitFor();
    await w.page.locator('.monaco-editor .view-line', { hasText: 'notebook__delete_note' }).first().waitFor();
  });

  it('names the failing line of a script, and stops asking after three denials @chat.names-failing-line', async () => {
    const failing = await run('const a = 1;', 'a.b.c();');
    await says(failing, /Script · failed in line 2: TypeError.*[\s\S]*mcp_run_script failed: .*in line 2: TypeError/);
    const asking = await run(
      'for (let a = 1; ; a++) {',
      '  try { await tools.everything__get_sum({ a, b: 1 }) } catch {}',
      '}',
    );
    for (const question of [1, 2, 3]) await clickAnswer(asking, 'Deny', question);
    await says(asking, /Script · stopped · 3 calls[\s\S]*mcp_run_script failed: .*3 of its calls were denied/);
  });

  it('has a line for a call that is not sent, as its arguments do not fit', async () => {
    const response = await run('await tools.notebook__delete_note({}).catch(e => console.log(e.message));');
    await says(response, /Delete a note · notebook · not sent: its arguments do not fit/);
    await says(response, /name is required/);
  });

  it('stops a script and its call together with the answer', async () => {
    const response = await run('await tools.notebook__reindex({ steps: 1000, delayMs: 50 });', 'console.log("done");');
    await clickAnswer(response, 'Allow');
    await says(response, /Step \d+/);
    await w.wb.chat.locator
      .getByRole('button', { name: /^Cancel/ })
      .first()
      .click();
    await w.wb.chat.locator.locator('.codicon-stop-circle').waitFor({ state: 'hidden' });
  });
});

describe('@mcp with more tools than a model takes', () => {
  let w: Workbench;
  before(async () => {
    w = await openChat(1, {
      workspace: 'editor',
      settings: {
        'mcpHost.servers': { many: { command: process.execPath, args: [fixturePath('hostile'), '--tools=300'] } },
        'mcpHost.chat.limits': { toolTokens: 4000 },
      },
    });
  });
  after(() => w?.close());

  it('offers tools that fit the question, and a search for the others @chat.offers-tools-fit', async () => {
    const response = await w.wb.chat.ask('@mcp use tools such as tool 217');
    await eventually(async () => {
      const text = await said(response);
      for (const name of ['mcp_search_tools', 'mcp_describe_tool', 'mcp_call_tool', 'many__tool-217']) {
        assert.ok(text.includes(name), text);
      }
      const offered = [...text.matchAll(/many__/g)].length;
      assert.ok(offered >= 1 && offered <= 16, text);
    });
  });

  it('shows what the model gets, and the size of all definitions', async () => {
    const response = await w.wb.chat.ask('@mcp /context tool 217');
    await eventually(async () => {
      const shown = await said(response);
      assert.match(shown, /Instructions for the model[\s\S]*You are @mcp in a code editor/);
      assert.match(shown, /MCP servers and their tools:\s+- many: 300 tools \(/);
      assert.match(shown, /Today is \d{4}-\d\d-\d\d\. The editor runs on/);
      assert.match(shown, /There are 300 tools; the model searches for the others/);
    });
    await w.picture('chat-context');
    const listed = await w.wb.chat.ask('@mcp /tools ');
    const cost = /The definitions of these tools are about [\d,]+ tokens: many [\d,]+\. At most 4,000 are sent/;
    await eventually(async () => assert.match(await said(listed), cost));
    await w.picture('chat-tools-cost');
  });

  it('offers what the model found in the same turn, and shows the cost of the turn', async () => {
    const response = await w.wb.chat.send('@mcp call mcp_search_tools {"query": "299"} then call many__tool-299 {}');
    await clickAnswer(response, 'Allow');
    const all = [
      /Tool 299 |many · allowed once/,
      /Calls: 2 · tokens sent: about [\d,]+ \(tools [\d,]+, conversation [\d,]+, results [\d,]+\)/,
    ];
    const found = async () => {
      const text = await said(response);
      return all.every(one => one.test(text));
    };
    await waitFor(found, { what: 'the result and what it took' });
    await w.picture('chat-found-tool');
  });

  it('calls a tool that was not offered @chat.calls-tool-offered', async () => {
    const response = await w.wb.chat.send('@mcp call mcp_call_tool {"name": "many__tool-299", "arguments": {}}');
    await clickAnswer(response, 'Allow');
    await waitFor(async () => /tool-299|Tool 299/.test(await said(response)), {
      what: 'its result',
    });
    await w.picture('chat-300-tools');
  });

  it('does not call a denied tool through another @chat.call-denied-tool', async () => {
    const call = '@mcp call mcp_call_tool {"name": "many__tool-298", "arguments": {}}';
    const response = await w.wb.chat.send(call);
    await clickAnswer(response, 'More…');
    await w.wb.pick('Always deny in this workspace');
    await waitFor(async () => /many · always denied in this workspace/.test(await said(response)), {
      what: 'the line about the call',
    });
    const again = await w.wb.chat.ask(call);
    await eventually(async () => assert.match(await said(again), /mcp_call_tool denied/));
    await eventually(async () =>
      assert.equal(await again.getByRole('button', { name: 'Allow', exact: true }).count(), 0),
    );
  });
});

describe('@mcp in a window that is reloaded', () => {
  const folder = temporaryFolder();
  let w: Workbench;
  before(async () => {
    const args = [fixturePath('hostile'), `--tasks=${join(folder, 'tasks.json')}`];
    w = await openChat(3, { settings: { 'mcpHost.servers': { jobs: { command: process.execPath, args } } } });
  });
  after(async () => {
    await w?.close();
    remove(folder);
  });

  it('says that an answer was interrupted, and asks again on request', async () => {
    const response = await w.wb.chat.send('@mcp call notebook__reindex {"steps": 1000, "delayMs": 50}');
    await clickAnswer(response, 'Allow');
    await waitFor(async () => /Step \d+/.test(await said(response)), { what: 'progress in the answer' });
    await w.reload();
    const told = await w.wb.notification('Interrupted by a reload: the answer to "@mcp call notebook__reindex');
    await w.picture('chat-interrupted');
    await told.getByRole('button', { name: 'Ask Again' }).click();
    await w.wb.chat.locator.getByText('notebook__reindex').last().waitFor();
  });

  it('says that the task of an interrupted answer goes on, and takes it up', async () => {
    await w.host.command('workbench.action.chat.newChat');
    await w.wb.viewContainer('MCP');
    const response = await w.wb.chat.send('@mcp call jobs__required {"ms": 600000}');
    await clickAnswer(response, 'Allow');
    const tree = w.wb.tree('Servers');
    await tree.expand('jobs');
    await tree.row('required').filter({ hasText: 'it is working' }).waitFor();
    await w.reload();
    await w.wb.notification(/jobs__required.*Its task goes on, with a row under "Running"/);
    await w.wb.viewContainer('MCP');
    await tree.expand('jobs');
    await tree.row('required').filter({ hasText: 'it is working' }).waitFor();
    assert.doesNotMatch(readFileSync(join(folder, 'tasks.json'), 'utf8'), /cancelled/);
    await w.picture('chat-task-goes-on');
  });
});
