import * as assert from 'node:assert/strict';
import type { Locator } from 'playwright-core';
import { replaceInEditor } from '../drivers/activeEditor';
import { answersNamed, said } from '../drivers/chat';
import { eventually } from '../drivers/dom';
import { openWorkbench, type Workbench } from '../drivers/workbench';
import { npmServerPath } from '../servers/npm';
import { fixturePath, waitFor } from '../servers/spawn';

const node = (...args: string[]) => ({ command: process.execPath, args });

describe('sampling during a chat turn', () => {
  let w: Workbench;
  before(async () => {
    w = await openWorkbench({ workspace: 'editor', viewport: { width: 1500, height: 950 } });
    await w.host.until(async vscode => (await vscode.lm.selectChatModels({ vendor: 'demo' })).length === 3);
    await w.wb.viewContainer('MCP');
    const servers = {
      everything: node(npmServerPath('everything')),
      sampler: node(fixturePath('sampling'), '--modern'),
    };
    await w.host.eval(
      (vscode, value) =>
        vscode.workspace.getConfiguration('mcpHost').update('servers', value, vscode.ConfigurationTarget.Global),
      servers,
    );
    for (const server of ['everything', 'sampler'])
      await w.wb.tree('Servers').row(server).filter({ hasText: 'tools' }).waitFor();
    await w.host.command('workbench.action.chat.open');
    await w.wb.chat.pickModel('Demo Model');
  });
  after(() => w?.close());

  const alwaysAllow = async (response: Locator) => {
    await click(response, 'More…');
    await w.wb.pick('Always allow in this workspace');
  };
  const says = (response: Locator, pattern: RegExp) => {
    let text = '';
    const shown = async () => {
      text = await said(response);
      return pattern.test(text);
    };
    return waitFor(shown, { what: () => `${pattern} in ${text}` });
  };
  const click = (response: Locator, name: string) => answersNamed(response, name).last().click();
  const everything = (prompt: string) =>
    w.wb.chat.send(`@mcp call everything__trigger-sampling-request {"prompt": "${prompt}", "maxTokens": 100}`);
  const replace = (from: string, to: string) => replaceInEditor(w.host, from, to);

  it('is reviewed in the answer: the request before it is sent, the answer before it is returned @samplingInChat.reviewed-answer-request', async () => {
    const response = await everything('Tell me a secret');
    await alwaysAllow(response);
    await says(
      response,
      /MCP server "everything" requests an answer from a language model, for Trigger Sampling Request Tool\./,
    );
    await says(response, /Tell me a secret[\s\S]*"maxTokens": 100/);
    await answersNamed(response, 'Choose Model…').waitFor();
    await w.picture('sampling-chat-review');
    await eventually(async () =>
      assert.equal(await w.wb.notifications.filter({ hasText: 'requests an answer from a language model' }).count(), 0),
    );
    await click(response, 'Send to Demo Model');
    await says(response, /demo-model answered\. This goes to MCP server "everything":/);
    await answersNamed(response, 'Discard').waitFor();
    await w.picture('sampling-chat-answer');
    await click(response, 'Send Answer to Server');
    await says(response, /Returned to everything\.[\s\S]*LLM sampling result/);
    await w.picture('sampling-chat-returned');
  });

  it('can be edited in a document and sent from the chat', async () => {
    const response = await everything('Tell me a secret');
    await says(response, /"maxTokens": 100/);
    await click(response, 'Edit…');
    await w.wb.tab('Request from everything.json').waitFor();
    await replace('Tell me a secret', 'Tell me a story');
    await w.picture('sampling-chat-edit');
    await click(response, 'Send to Demo Model');
    await says(response, /Sent to Demo Model, as edited by you\.[\s\S]*You said: [\s\S]*Tell me a story/);
    await click(response, 'Send Answer to Server');
    await says(response, /The tool answered: .*Tell me a story/);
    await w.wb.tab('Request from everything.json').waitFor({ state: 'detached' });
  });

  it('uses the model that the person chooses', async () => {
    const response = await everything('options?');
    await says(response, /"maxTokens": 100/);
    await click(response, 'Choose Model…');
    await w.wb.quickRow('Demo Vision').waitFor();
    await w.wb.pick('Demo Vision');
    await says(response, /A different model is now selected:/);
    await w.picture('sampling-chat-model');
    await click(response, 'Send to Demo Vision');
    await says(response, /demo-vision answered/);
    await click(response, 'Send Answer to Server');
    await says(response, /The tool answered: .*demo-vision/);
  });

  it("when denied, gives the chat's model the reason why the tool failed", async () => {
    const response = await everything('Tell me a secret');
    await says(response, /"maxTokens": 100/);
    await click(response, 'Deny');
    await says(response, /Denied\.[\s\S]*User rejected sampling request/);
    await w.picture('sampling-chat-denied');
  });

  it('works the same way in the modern era, and ends with the turn', async () => {
    const question = { messages: [{ role: 'user', content: { type: 'text', text: 'hello' } }], maxTokens: 50 };
    const ask = () => w.wb.chat.send(`@mcp call sampler__ask {"params": ${JSON.stringify(question)}}`);
    const response = await ask();
    await alwaysAllow(response);
    await says(response, /MCP server "sampler" requests an answer from a language model, for ask\./);
    await click(response, 'Send to Demo Model');
    await says(response, /demo-model answered/);
    await click(response, 'Send Answer to Server');
    await says(response, /The tool answered: .*You said: hello/);
    const stopped = await ask();
    await says(stopped, /MCP server "sampler" requests an answer from a language model, for ask\./);
    const item = w.page.locator('.statusbar').getByRole('button', { name: '1 question for you' });
    await item.waitFor();
    await w.wb.chat.locator
      .getByRole('button', { name: /^Cancel/ })
      .first()
      .click();
    await item.waitFor({ state: 'detached' });
    await click(stopped, 'Edit…'); // the editor folds what is above the last line
    await w.wb.notification('This question is no longer open');
    await w.picture('sampling-chat-stopped');
  });
});
