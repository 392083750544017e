import * as assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Locator } from 'playwright-core';
import { fixturePath, waitFor } from '../servers/spawn';
import { assertAccessible, useTheme } from '../setup/accessibility';
import { answersNamed } from '../setup/chat';
import { eventually, shownText } from '../setup/dom';
import { remove, temporaryFolder } from '../setup/paths';
import { enterJson } from '../setup/toolPage';
import { openWorkbench, type Workbench } from '../setup/workbench';

/** Opens the sample workspace with the chat view and the scripted model, once this many servers are ready: it offers their tools. */
async function openChat(ready: number, options?: Parameters<typeof openWorkbench>[0]): Promise<Workbench> {
  const w = await openWorkbench({ viewport: { width: 1500, height: 950 }, ...options });
  await w.page.locator(`[id="mcp-host.mcp-host.mcpHost.status"][aria-label*=": ${ready} ready, 0 failed"]`).waitFor();
  await w.host.command('workbench.action.chat.open');
  await w.wb.chat.pickModel('Demo Model');
  return w;
}

/** The text of an answer; code blocks have unbreakable spaces. */
const said = async (response: Locator) => (await shownText(response)).replaceAll('\u00a0', ' ');
/** Answers the nth question of a response. The answers of earlier ones stay, and answer nothing. */
const click = (response: Locator, name: string, question = 1) =>
  answersNamed(response, name)
    .nth(question - 1)
    .click();

describe('@mcp in chat', () => {
  let w: Workbench;
  before(async () => {
    w = await openChat(2);
  });
  after(() => w?.close());

  it('runs a prompt with inline arguments', async () => {
    const response = await w.wb.chat.ask('@mcp /args-prompt city=Berlin state="New South"');
    await eventually(async () => assert.match(await said(response), /You said: .*weather in Berlin, New South/));
    await w.picture('chat-prompt-inline');
  });

  it('asks for a missing argument, with completion from the server', async () => {
    const response = await w.wb.chat.send('@mcp /completable-prompt');
    await w.wb.quickRow('Engineering').waitFor();
    await w.picture('chat-prompt-completion');
    await w.wb.input('Sal', { accept: false });
    await w.wb.quickRow('Use "Sal"').waitFor(); // the list for what was typed
    await w.wb.pick('Sales');
    await w.wb.quickRow('David').waitFor();
    await w.wb.pick('David');
    await waitFor(async () => /You said: .*David.*Sales/s.test(await said(response)), {
      what: () => 'the prompt with its arguments',
    });
    await w.picture('chat-prompt-completed');
  });

  it('reports a cancelled prompt when its input is closed', async () => {
    const response = await w.wb.chat.send('@mcp /completable-prompt');
    await w.wb.quickRow('Engineering').waitFor();
    await w.wb.dismiss();
    await waitFor(async () => /Cancelled: .* needs department, name/.test(await said(response)), {
      what: 'the answer to say so',
    });
  });

  it('offers similar prompts for an unknown name', async () => {
    const response = await w.wb.chat.ask('@mcp /arg-promt');
    await eventually(async () => assert.match(await said(response), /No ready server has a prompt \/arg-promt/));
    await response.getByRole('link', { name: '/args-prompt' }).waitFor();
  });

  it('handles three tool calls: one approved, one with edited arguments, one denied', async () => {
    const sum = (a: number, b: number) => `call everything__get-sum {"a": ${a}, "b": ${b}}`;
    const response = await w.wb.chat.send(`@mcp ${sum(20, 22)} then ${sum(1, 1)} then ${sum(3, 4)}`);
    await response.getByRole('button', { name: 'Allow', exact: true }).waitFor();
    await waitFor(async () => /"a": 20/.test(await said(response)), { what: 'the arguments to be shown' });
    await w.picture('chat-approval');
    await useTheme(w, 'Dark Modern', false);
    await w.picture('chat-approval-dark');
    await useTheme(w, 'Default Light Modern', false);
    await assertAccessible(w, 3, response.locator('.value'));
    await click(response, 'Allow');

    await waitFor(async () => /"b": 1\b/.test(await said(response)), { what: 'the second question' });
    await click(response, 'More…', 2);
    await w.wb.pick('Edit arguments…');
    const use = w.wb.webview().getByRole('button', { name: /^Use for/ });
    await use.waitFor();
    await enterJson(w.wb.webview(), { a: 100, b: 1 });
    await w.picture('chat-edit-arguments');
    await use.click();

    await waitFor(async () => /"b": 4\b/.test(await said(response)), { what: 'the third question' });
    await click(response, 'Deny', 3);
    const all = [
      /everything · allowed once · \d+ ms · .*get-sum result\.txt/,
      /sum of 20 and 22 is 42/,
      /everything · edited and allowed · \d+ ms · .*get-sum result\.txt/,
      /sum of 100 and 1 is 101/,
      /everything · denied\n/,
    ];
    const text = await waitFor(
      async () => {
        const now = await said(response);
        return all.every(result => result.test(now)) && now;
      },
      { what: 'all results' },
    );
    assert.doesNotMatch(text, /sum of 3 and 4/);
    await w.picture('chat-three-calls');
    await click(response, 'Allow', 3);
    await w.wb.notification('Already answered: denied.');
    // The question sticks to the top of the view, and may cover the line that the list scrolls to there.
    await response.getByText('get-sum result.txt').last().dispatchEvent('click');
    await w.wb.tab('get-sum result.txt').waitFor();
    await w.host.command('workbench.action.closeAllEditors');
    await w.host.command('notifications.clearAll');
  });

  it('"Allow in this chat" prevents further questions in this chat', async () => {
    const call = '@mcp call everything__echo {"message": "again"}';
    const first = await w.wb.chat.send(call);
    await click(first, 'More…');
    await w.wb.pick('Allow in this chat');
    await waitFor(async () => /Echo: again/.test(await said(first)), { what: 'the first result' });
    const second = await w.wb.chat.ask(call);
    await eventually(async () => assert.match(await said(second), /Echo: again/));
    await eventually(async () =>
      assert.equal(await second.getByRole('button', { name: 'Allow', exact: true }).count(), 0),
    );
  });

  it('gives the model part of a long result, and lets it read on in the kept rest', async () => {
    const limit = (length: number) =>
      w.host.eval(
        (vscode, value) =>
          vscode.workspace.getConfiguration('mcpHost').update('chat.limits', { resultLength: value }, true),
        length,
      );
    await limit(50);
    const rows = ['id,name', ...Array.from({ length: 14 }, (_, i) => `${i},n${i}`)].join('\\n');
    const read = 'call mcp_read_result {"handle": "result-1", "contains": "n7"}';
    const response = await w.wb.chat.ask(`@mcp call everything__echo {"message": "${rows}"} then ${read}`);
    await eventually(async () => {
      const text = await said(response);
      assert.match(
        text,
        /This result has \d+ characters in 15 lines.*Table of 14 rows with the columns Echo: id, name\./,
      );
      assert.match(text, /mcp_read_result: 9: 7,n7/);
    });
    await w.picture('chat-long-result');
    await limit(32_000);
  });

  it('"Always allow in this workspace" lasts until revoked', async () => {
    const call = '@mcp call everything__get-annotated-message {"messageType": "success", "includeImage": false}';
    await click(await w.wb.chat.send(call), 'More…');
    await w.wb.pick('Always allow in this workspace');
    const again = await w.wb.chat.ask(call);
    await eventually(async () =>
      assert.equal(await again.getByRole('button', { name: 'Allow', exact: true }).count(), 0),
    );
    await w.wb.command('MCP Host: Manage Trust…');
    await w.wb.quickRow('get-annotated-message').waitFor();
    await w.picture('approvals');
    await w.wb.quickAction('get-annotated-message', 'Revoke');
    await w.wb.dismiss();
    const asked = await w.wb.chat.send(call);
    await click(asked, 'Deny');
    await waitFor(async () => /everything · denied/.test(await said(asked)), { what: 'the answer to say so' });
  });

  it('cancelling the answer cancels the call on the server', async () => {
    const response = await w.wb.chat.send('@mcp call notebook__reindex {"steps": 1000, "delayMs": 50}');
    await click(response, 'Allow');
    await waitFor(async () => /Step \d+/.test(await said(response)), {
      what: 'progress in the answer',
    });
    await w.picture('chat-slow-tool');
    await w.wb.chat.locator
      .getByRole('button', { name: /^Cancel/ })
      .first()
      .click();
    await w.host.command('workbench.view.extension.mcpHost');
    await w.wb.tree('Servers').action('notebook', 'Show Server Log');
    await w.page.locator('.output-view .view-line', { hasText: 'reindex was stopped' }).first().waitFor();
    await w.host.command('workbench.action.closePanel');
    await w.host.command('workbench.action.chat.open');
  });

  it('names an image that the model cannot see', async () => {
    const response = await w.wb.chat.send('@mcp call everything__get-tiny-image {}');
    await click(response, 'Allow');
    await waitFor(async () => /\[image image\/png/.test(await said(response)), {
      what: 'the note for the image',
    });
    await response.locator('img[src^="data:image/png;base64,"]').waitFor();
    await response.getByText('image2.png').waitFor();
    await w.picture('chat-image');
  });

  it('continues when the model invents a tool, and stops when it repeats one forever', async () => {
    const invented = await w.wb.chat.ask('@mcp invent');
    await eventually(async () => assert.match(await said(invented), /there is no tool/));
    const looping = await w.wb.chat.send('@mcp loop everything__get-sum {"a": 5, "b": 5}');
    for (const question of [1, 2, 3]) await click(looping, 'Allow', question);
    await waitFor(async () => /Stopped: the model kept making the same call/.test(await said(looping)), {
      what: 'the end of the loop',
    });
  });

  it('reports invalid arguments, a failing prompt and a failing model', async () => {
    const answers: [string, RegExp][] = [
      ['/args-prompt city="Berlin', /quotation mark/],
      [
        '/resource-prompt resourceType=Text resourceId=-1',
        /MCP server "everything" could not get the prompt resource-prompt/,
      ],
      ['quota', /quota|blocked/i],
      ['gone', /./],
      ['refuse tools', /tools/i],
    ];
    for (const [question, answer] of answers) {
      const response = await w.wb.chat.ask(`@mcp ${question}`);
      await eventually(async () => assert.match(await said(response), answer, question));
    }
  });

  it('continues when a server stops between two calls of a turn', async () => {
    const response = await w.wb.chat.send('@mcp call notebook__count_words {} then call notebook__list_notes {}');
    await click(response, 'Allow');
    await response.getByRole('button', { name: 'Allow', exact: true }).nth(1).waitFor();
    await w.wb.command('MCP Host: Stop Server');
    await w.wb.pick('notebook');
    await w.page.locator('[id="mcp-host.mcp-host.mcpHost.status"][aria-label*="1 ready"]').waitFor();
    await click(response, 'Allow', 2);
    await waitFor(async () => /"notebook" could not call list_notes: it is stopped/.test(await said(response)), {
      what: 'the answer to say that it is stopped',
    });
    await w.wb.command('MCP Host: Start Server');
    await w.page.locator('[id="mcp-host.mcp-host.mcpHost.status"][aria-label*="2 ready"]').waitFor();
  });

  describe('in code mode', () => {
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
    before(() => codeMode(true));
    after(() => codeMode(false));

    it("runs the model's script, asks for each of its calls, and returns its output to the model", async () => {
      const response = await run(
        'const { notes } = await tools.notebook__list_notes();',
        'try {',
        '  await tools.notebook__delete_note({ name: "plan" });',
        '} catch (e) {',
        '  console.log("no", e.message);',
        '}',
        'return `${notes.length} notes`;',
      );
      await click(response, 'Allow');
      await click(response, 'Deny', 2);
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

    it('names the failing line of a script, and stops asking after three denials', async () => {
      const failing = await run('const a = 1;', 'a.b.c();');
      await says(failing, /Script · failed in line 2: TypeError.*[\s\S]*mcp_run_script failed: .*in line 2: TypeError/);
      const asking = await run(
        'for (let a = 1; ; a++) {',
        '  try { await tools.everything__get_sum({ a, b: 1 }) } catch {}',
        '}',
      );
      for (const question of [1, 2, 3]) await click(asking, 'Deny', question);
      await says(asking, /Script · stopped · 3 calls[\s\S]*mcp_run_script failed: .*3 of its calls were denied/);
    });

    it('stops a script and its call together with the answer', async () => {
      const response = await run(
        'await tools.notebook__reindex({ steps: 1000, delayMs: 50 });',
        'console.log("done");',
      );
      await click(response, 'Allow');
      await says(response, /Step \d+/);
      await w.wb.chat.locator
        .getByRole('button', { name: /^Cancel/ })
        .first()
        .click();
      await w.wb.chat.locator.locator('.codicon-stop-circle').waitFor({ state: 'hidden' });
    });
  });

  it('lists tools, prompts and servers in rows that can be clicked', async () => {
    const tools = await w.wb.chat.ask('@mcp /tools ');
    await eventually(async () => assert.match(await said(tools), /Add a note Writes a new note/));
    await answersNamed(tools, 'Run a tool…').waitFor();
    await w.picture('chat-tools');
    const servers = await w.wb.chat.ask('@mcp /servers ');
    await eventually(async () => assert.match(await said(servers), /notebook: ready \d+ tools/));
    const prompts = await w.wb.chat.ask('@mcp /prompts ');
    await eventually(async () => assert.match(await said(prompts), /notebook[\s\S]*\/daily_summary/));
    await w.picture('chat-prompts');
    await useTheme(w, 'Dark Modern', false);
    await w.picture('chat-prompts-dark');
    await useTheme(w, 'Default Light Modern', false);
    await prompts.getByRole('link', { name: '/args-prompt' }).dispatchEvent('click');
    await w.wb.quickInput.waitFor(); // it asks for the arguments
    await w.wb.dismiss();
    const alone = await w.wb.chat.ask('@mcp ');
    await alone.getByRole('link', { name: '/daily_summary' }).waitFor();
    const resources = await w.wb.chat.ask('@mcp /resources ');
    await resources.getByText('architecture.md').click();
    await w.wb.tab('architecture.md').waitFor();
    await w.picture('chat-resources');
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

  it('offers tools that fit the question, and a search for the others', async () => {
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
    await click(response, 'Allow');
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

  it('calls a tool that was not offered', async () => {
    const response = await w.wb.chat.send('@mcp call mcp_call_tool {"name": "many__tool-299", "arguments": {}}');
    await click(response, 'Allow');
    await waitFor(async () => /tool-299|Tool 299/.test(await said(response)), {
      what: 'its result',
    });
    await w.picture('chat-300-tools');
  });

  it('does not call a denied tool through another', async () => {
    const call = '@mcp call mcp_call_tool {"name": "many__tool-298", "arguments": {}}';
    const response = await w.wb.chat.send(call);
    await click(response, 'More…');
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
    await click(response, 'Allow');
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
    await click(response, 'Allow');
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
