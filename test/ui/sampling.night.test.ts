import * as assert from 'node:assert/strict';
import { replaceInEditor } from '../drivers/activeEditor';
import { eventually } from '../drivers/dom';
import { answerNotification } from '../drivers/notifications';
import { resultOf, runTool } from '../drivers/toolPage';
import { openWorkbench, type Workbench } from '../drivers/workbench';
import { chequeredPng } from '../servers/content/png';
import { npmServerPath } from '../servers/npm';
import { fixturePath } from '../servers/spawn';

const node = (...args: string[]) => ({ command: process.execPath, args });
const said = (text: string) => ({ type: 'text', text });

describe('a server that requests an answer from a language model', () => {
  let w: Workbench;
  before(async () => {
    w = await openWorkbench({ workspace: 'editor', settings: { 'mcpHost.sampling.requestsPerMinute': 100 } });
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
    for (const [server, description] of [
      ['everything', /tools/],
      ['sampler', /4 tools/],
    ] as const)
      await w.wb.tree('Servers').row(server).filter({ hasText: description }).waitFor();
  });
  after(() => w?.close());

  const ask = (params: object) => runTool(w, 'ask', { row: true, args: { json: JSON.stringify(params) } });
  const lens = (text: string | RegExp) => w.page.locator('.codelens-decoration a', { hasText: text });
  /** From the conversation to its JSON. */
  const asJson = () => w.wb.webview().getByRole('button', { name: 'Edit as JSON…' }).first().click();
  /** Presses a button at the end of a conversation, where all of it was shown. */
  const press = (button: string) => w.wb.webview().getByRole('button', { name: button, exact: true }).click();
  const sampler = 'MCP server "sampler" requests an answer from a language model';
  const rejected = 'User rejected sampling request';
  const review = (text: string) => answerNotification(w, text, 'Review…');
  const deny = () => answerNotification(w, sampler, 'Deny');
  const note = (text: string) => w.page.locator('.codelens-decoration', { hasText: text });
  /** Closes an editor once it is the active one, which it is later than it is seen. */
  const closeEditor = async (label: RegExp) => {
    await w.host.until(
      (vscode, source) => new RegExp(source).test(vscode.window.tabGroups.activeTabGroup.activeTab?.label ?? ''),
      label.source,
    );
    await w.wb.command('View: Close Editor');
  };
  const replace = (from: string, to: string) => replaceInEditor(w.host, from, to);

  it('is reviewed in a document, edited and sent; the answer is edited and returned @sampling.reviewed-document-edited', async () => {
    await runTool(w, 'trigger-sampling-request', { args: { prompt: 'Tell me a secret', maxTokens: 100 } });
    const notification = await w.wb.notification('MCP server "everything" requests an answer from a language model');
    await eventually(async () =>
      assert.match(
        await notification.innerText(),
        /for Trigger Sampling Request Tool\. Demo Model: 2? ?1? ?messages?, about \d+ tokens\./,
      ),
    );
    await w.page.locator('.statusbar').getByRole('button', { name: '1 question for you' }).waitFor();
    await w.picture('sampling-notification');
    await review('requests an answer from a language model');
    await w.wb.webview().locator('.row', { hasText: 'Tell me a secret' }).waitFor();
    await w.picture('sampling-conversation');
    await asJson();
    await w.wb.tab('Request from everything.json').waitFor();
    await lens('Send to Demo Model').waitFor();
    await note('Enforced here').waitFor();
    await w.picture('sampling-review');
    await replace('Tell me a secret', 'Tell me a story');
    await lens('Compare with Original').click();
    await w.page.locator('.diff-editor, .monaco-diff-editor').first().waitFor();
    await w.picture('sampling-diff');
    await closeEditor(/ ↔ /);
    await lens('Send to Demo Model').click();
    await w.wb.webview().locator('.row', { hasText: 'You said' }).waitFor();
    await w.picture('sampling-conversation-answer');
    await asJson();
    await w.wb.tab('Answer for everything.json').waitFor();
    await lens('Send Answer to Server').waitFor();
    await w.picture('sampling-answer');
    await replace('You said', 'She said');
    await lens('Send Answer to Server').click();
    await resultOf(w, /She said: Resource .* Tell me a story/);
    await w.wb.tab('Answer for everything.json').waitFor({ state: 'detached' });
    await w.picture('sampling-returned');
  });

  it('shows the images of a request, the model chosen by its hints, and what is left out', async () => {
    const image = { type: 'image', mimeType: 'image/png', data: chequeredPng(64).toString('base64') };
    const params = {
      systemPrompt: 'You look at pictures.\nYou are brief.',
      messages: [{ role: 'user', content: [said('What is this? \u202e hidden'), image] }],
      modelPreferences: { hints: [{ name: 'vision' }], costPriority: 0.3 },
      includeContext: 'thisServer',
      temperature: 0.2,
      stopSequences: ['END'],
      maxTokens: 300,
    };
    await ask(params);
    await review('MCP server "sampler" requests an answer from a language model, for ask. Demo Vision');
    await w.wb.webview().locator('.row', { hasText: 'image-1.png' }).waitFor();
    await w.picture('sampling-conversation-image');
    await asJson();
    await lens('Show image-1.png').waitFor();
    await note('Ignored').waitFor();
    await note('Demo Vision (the server hints at "vision")').waitFor();
    await w.picture('sampling-review-image');
    await lens('Show image-1.png').click();
    await closeEditor(/^image-1\.png$/);
    await lens('Send to Demo Vision').click();
    const page = w.wb.webview();
    await page.locator('.end').scrollIntoViewIfNeeded();
    await w.picture('sampling-whole');
    await page.getByRole('button', { name: 'Send to Demo Vision', exact: true }).click();
    await w.wb.tab('Answer for sampler').waitFor();
    await press('Send Answer to Server');
    await resultOf(w, /1 images: image\/png of \d+ bytes/);
  });

  it('lets the person choose another of three models, which then answers', async () => {
    const params = {
      messages: [{ role: 'user', content: said('options?') }],
      modelPreferences: { hints: [{ name: 'small' }] },
      maxTokens: 300,
    };
    await ask(params);
    await review('for ask. Demo Small');
    await w.wb.webview().getByRole('button', { name: 'Choose Model…' }).first().click();
    await w.wb.quickRow('Demo Vision').waitFor();
    await w.picture('sampling-models');
    await w.wb.pick('Demo Vision');
    await press('Send to Demo Vision');
    await w.wb.tab('Answer for sampler').waitFor();
    await press('Send Answer to Server');
    await resultOf(w, 'demo-vision');
  });

  it('can be denied by a button of the notification, without opening it @sampling.denied-button', async () => {
    await ask({ messages: [{ role: 'user', content: said('x') }], maxTokens: 1 });
    await deny();
    await resultOf(w, rejected);
    await w.page
      .locator('.statusbar')
      .getByRole('button', { name: '1 question for you' })
      .waitFor({ state: 'detached' });
    await w.picture('sampling-denied');
  });

  it('is refused beyond its limit, and its usage is shown', async () => {
    const limit = (value: number) =>
      w.host.eval(
        (vscode, most) =>
          vscode.workspace
            .getConfiguration('mcpHost.sampling')
            .update('requestsPerMinute', most, vscode.ConfigurationTarget.Global),
        value,
      );
    const params = { messages: [{ role: 'user', content: said('x') }], maxTokens: 1 };
    await ask(params);
    await w.wb.notification(sampler);
    await limit(1);
    await deny();
    await resultOf(w, rejected);
    await ask(params);
    await resultOf(w, 'more than 1 requests in a minute');
    await w.picture('sampling-limit');
    await w.wb.chooseInContextMenu(w.wb.tree('Servers').row('sampler'), 'Manage Trust…');
    await w.wb.quickRow('Sampling').waitFor();
    await w.picture('sampling-usage');
    await w.wb.pick('Sampling');
    await w.wb.quickInput.getByText('Requests within the limits are sent without asking you').waitFor();
    await w.picture('sampling-usage-server');
    await w.wb.dismiss();
  });
});
