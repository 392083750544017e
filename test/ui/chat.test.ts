import * as assert from 'node:assert/strict';
import { assertAccessible, pictureInDark } from '../drivers/accessibility';
import { answersNamed, clickAnswer, said } from '../drivers/chat';
import { eventually } from '../drivers/dom';
import { enterJson } from '../drivers/toolPage';
import { openChat, type Workbench } from '../drivers/workbench';
import { waitFor } from '../servers/spawn';

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
    await waitFor(
      async () => /Cancelled: .* was not run, as its arguments were not all given/.test(await said(response)),
      {
        what: 'the answer to say so',
      },
    );
  });

  it('offers similar prompts for an unknown name', async () => {
    const response = await w.wb.chat.ask('@mcp /arg-promt');
    await eventually(async () => assert.match(await said(response), /No ready server has a prompt \/arg-promt/));
    await response.getByRole('link', { name: '/args-prompt' }).waitFor();
  });

  it('handles three tool calls: one approved, one with edited arguments, one denied @chat.handles-three-tool', async () => {
    const sum = (a: number, b: number) => `call everything__get-sum {"a": ${a}, "b": ${b}}`;
    const response = await w.wb.chat.send(`@mcp ${sum(20, 22)} then ${sum(1, 1)} then ${sum(3, 4)}`);
    await response.getByRole('button', { name: 'Allow', exact: true }).waitFor();
    await eventually(async () =>
      assert.match(await said(response), /Get Sum Tool · everything\s+Its server describes it as: ".+"\s[^"]*"a": 20/),
    );
    await w.picture('chat-approval');
    await pictureInDark(w, 'chat-approval-dark');
    await assertAccessible(w, 3, response.locator('.value'));
    await clickAnswer(response, 'Allow');

    await waitFor(async () => /"b": 1\b/.test(await said(response)), { what: 'the second question' });
    await clickAnswer(response, 'More…', 2);
    await w.wb.pick('Edit arguments…');
    const use = w.wb.webview().getByRole('button', { name: /^Use for/ });
    await use.waitFor();
    await enterJson(w.wb.webview(), { a: 100, b: 1 });
    await w.picture('chat-edit-arguments');
    await use.click();

    await waitFor(async () => /"b": 4\b/.test(await said(response)), { what: 'the third question' });
    await clickAnswer(response, 'Deny', 3);
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
    await clickAnswer(response, 'Allow', 3);
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
    await clickAnswer(first, 'More…');
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
    await clickAnswer(await w.wb.chat.send(call), 'More…');
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
    await clickAnswer(asked, 'Deny');
    await waitFor(async () => /everything · denied/.test(await said(asked)), { what: 'the answer to say so' });
  });

  it('cancelling the answer cancels the call on the server @chat.cancelling-answer-cancels', async () => {
    const response = await w.wb.chat.send('@mcp call notebook__reindex {"steps": 1000, "delayMs": 50}');
    await clickAnswer(response, 'Allow');
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
    await clickAnswer(response, 'Allow');
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
    for (const question of [1, 2, 3]) await clickAnswer(looping, 'Allow', question);
    await waitFor(async () => /Stopped: the model kept making the same call/.test(await said(looping)), {
      what: 'the end of the loop',
    });
  });

  it('reports invalid arguments, a failing prompt and a failing model @chat.reports-invalid-arguments', async () => {
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
    await clickAnswer(response, 'Allow');
    await response.getByRole('button', { name: 'Allow', exact: true }).nth(1).waitFor();
    await w.wb.command('MCP Host: Stop Server');
    await w.wb.pick('notebook');
    await w.page.locator('[id="mcp-host.mcp-host.mcpHost.status"][aria-label*="1 ready"]').waitFor();
    await clickAnswer(response, 'Allow', 2);
    await waitFor(async () => /"notebook" could not call list_notes: it is stopped/.test(await said(response)), {
      what: 'the answer to say that it is stopped',
    });
    await w.wb.command('MCP Host: Start Server');
    await w.page.locator('[id="mcp-host.mcp-host.mcpHost.status"][aria-label*="2 ready"]').waitFor();
  });

  it('lists tools, prompts and servers in rows that can be clicked @chat.lists-tools-prompts', async () => {
    const tools = await w.wb.chat.ask('@mcp /tools ');
    await eventually(async () => assert.match(await said(tools), /Add a note Writes a new note/));
    await answersNamed(tools, 'Run Tool…').waitFor();
    await w.picture('chat-tools');
    const servers = await w.wb.chat.ask('@mcp /servers ');
    await eventually(async () => assert.match(await said(servers), /notebook: ready \d+ tools/));
    const prompts = await w.wb.chat.ask('@mcp /prompts ');
    await eventually(async () => assert.match(await said(prompts), /notebook[\s\S]*\/daily_summary/));
    await w.picture('chat-prompts');
    await pictureInDark(w, 'chat-prompts-dark');
    await prompts.getByRole('link', { name: '/args-prompt' }).dispatchEvent('click');
    await w.wb.quickInput.waitFor(); // it asks for the arguments
    await w.wb.dismiss();
    for (const question of ['@mcp ', '@mcp /']) {
      const alone = await w.wb.chat.ask(question);
      await alone.getByRole('link', { name: '/daily_summary' }).waitFor();
    }
    const resources = await w.wb.chat.ask('@mcp /resources ');
    await resources.getByText('architecture.md').click();
    await w.wb.tab('architecture.md.mcp').waitFor();
    await w.picture('chat-resources');
  });
});
