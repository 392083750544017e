import * as assert from 'node:assert/strict';
import { eventually, shownText } from '../drivers/dom';
import { answerNotification } from '../drivers/notifications';
import { resultOf, runTool } from '../drivers/toolPage';
import { openWorkbench, type Workbench } from '../drivers/workbench';
import { throughLoginPage } from '../servers/loginPage';
import { startEverything } from '../servers/npm';
import { type HttpServerFixture, startHttpServer } from '../servers/spawn';

// In the worker of the page, by the manifest's `browser`, as in a window without a remote. So is the model: an extension
// host knows those of its own extensions only.
const inTheBrowser = { 'remote.extensionKind': { 'mcp-host.mcp-host': ['web'], 'mcp-host-test.demo-model': ['web'] } };

describe('a window whose extensions run in the browser', () => {
  let web: HttpServerFixture;
  let everything: HttpServerFixture;
  let locked: HttpServerFixture;
  let w: Workbench;
  before(async () => {
    [web, everything, locked] = await Promise.all([
      startHttpServer('web'),
      startEverything('streamableHttp'),
      startHttpServer('protected', ['--pages']),
    ]);
    w = await openWorkbench({ workspace: 'editor', settings: inTheBrowser });
    await w.wb.viewContainer('MCP');
    await w.page.getByText('it can reach servers by URL, but cannot run programs').waitFor();
    // What a server may ask for is said when it starts: the models have to be there.
    await w.host.command('workbench.action.chat.open');
    await w.page.locator('.model-picker-name', { hasText: 'Demo' }).waitFor();
    await w.host.command('workbench.action.closeAuxiliaryBar');
  });
  after(async () => {
    await w?.close();
    await web?.stop();
    await everything?.stop();
    await locked?.stop();
  });

  const row = (server: string) => w.wb.tree('Servers').row(server);
  const shows = (text: string) =>
    w.host.until((vscode, part) => {
      const shown = vscode.window.activeTextEditor?.document.getText();
      return shown?.includes(part) ? shown : undefined;
    }, text);

  it('shows without servers what is possible here', async () => {
    await eventually(async () =>
      assert.equal(await w.page.getByRole('button', { name: 'Add Demo Server' }).count(), 0),
    );
    await w.picture('web-empty');
  });

  it('connects servers with a URL, over Streamable HTTP and over SSE', async () => {
    const servers = {
      closed: { url: web.url('/closed') },
      everything: { url: everything.url('/mcp') },
      files: { command: 'npx', args: ['-y', '@modelcontextprotocol/server-filesystem', '.'] },
      box: { url: locked.url('/mcp') },
      gone: { url: 'http://127.0.0.1:9/mcp' },
      moved: { url: web.url('/redirect') },
      old: { url: web.url('/sse'), type: 'sse' },
    };
    await w.host.eval(
      (vscode, value) =>
        vscode.workspace.getConfiguration('mcpHost').update('servers', value, vscode.ConfigurationTarget.Global),
      servers,
    );
    await row('everything')
      .filter({ has: w.page.locator('.codicon-pass-filled') })
      .waitFor();
    await row('old')
      .filter({ has: w.page.locator('.codicon-pass-filled') })
      .waitFor();
    const isElsewhere = await w.host.eval(vscode => vscode.extensions.getExtension('mcp-host.mcp-host') !== undefined);
    assert.equal(isElsewhere, false, 'the extension runs in the host of the remote');
  });

  it('names for other servers the reason and the remedy', async () => {
    const tree = w.wb.tree('Servers');
    const expected: [string, RegExp, RegExp][] = [
      [
        'closed',
        /does not allow requests from web pages \(CORS\)/,
        /Access-Control-Allow-Origin for http:.*expose Mcp-Session-Id/,
      ],
      ['files', /web windows cannot run programs/, /Open this in a desktop window or a remote one/],
      ['gone', /cannot reach http:\/\/127\.0\.0\.1:9/, /Check that the server is running/],
      ['moved', /its URL redirects/, /Set "url" in its settings entry to the address that it redirects to/],
    ];
    for (const [server, reason, remedy] of expected) {
      await row(server).filter({ hasText: reason }).waitFor();
      await tree.expand(server);
      await tree.locator.getByText(remedy).first().waitFor();
    }
    await w.picture('web-servers');
    await eventually(async () => {
      const files = (await tree.read()).find(({ label }) => label === 'files');
      assert.equal(files?.icon, 'circle-slash');
    });
    for (const [server] of expected) await tree.collapse(server);
  });

  it('copies diagnostics', async () => {
    await w.wb.command('MCP Host: Copy Diagnostics');
    await w.wb.notification(/Copied the diagnostics/);
    const report = await w.host.eval(vscode => vscode.env.clipboard.readText());
    assert.match(report, /System: web/);
    assert.match(report, /## Server `everything`/);
  });

  it('adds what is possible here, also two servers at once', async () => {
    const json = { mcpServers: { first: { url: web.url('/closed') }, second: { url: web.url('/closed') } } };
    await w.wb.command('MCP Host: Add Server…');
    await w.wb.quickRow('Browse Servers').first().waitFor();
    await eventually(async () => {
      const kinds = (await w.wb.quickRows()).map(row => row.split(',')[0]);
      assert.deepEqual(kinds, ['Browse Servers']);
    });
    await w.page.keyboard.insertText(JSON.stringify(json));
    await w.wb.quickRowsWith('Add 2 servers…');
    await w.picture('web-add');
    await w.wb.pick('Add 2 servers…');
    await w.wb.quickRow('second').first().waitFor();
    await w.wb.quickInput.getByRole('button', { name: 'OK', exact: true }).click();
    await w.wb.answerModal('Add without Testing');
    await row('second').waitFor();
  });

  it('runs a tool', async () => {
    await runTool(w, 'get-sum', { args: { a: 4, b: 3 } });
    await resultOf(w, 'The sum of 4 and 3 is 7');
    await w.picture('web-tool');
  });

  it('opens a resource', async () => {
    const tree = w.wb.tree('Resources');
    await tree.expand('old');
    await tree.open('readme.md', w.wb.tab('readme.md.mcp'));
    await w.page.locator('.editor-instance .view-line').first().waitFor();
    await w.picture('web-resource');
  });

  it("shows the form of a server's question", async () => {
    await runTool(w, 'trigger-elicitation-request');
    const page = w.wb.webview();
    await page.getByRole('heading', { name: 'MCP server "everything" asks for input' }).waitFor();
    await page.getByText('Please provide inputs').waitFor();
    await w.picture('web-elicitation');
    await page.getByRole('button', { name: 'Decline', exact: true }).click();
    await resultOf(w, 'decline');
  });

  it('requests an answer from a model for a server, after a review', async () => {
    await runTool(w, 'trigger-sampling-request', { args: { prompt: 'Tell me a secret', maxTokens: 100 } });
    await answerNotification(w, 'MCP server "everything" requests an answer from a language model', 'Review…');
    const press = (name: string) => w.wb.webview().getByRole('button', { name, exact: true }).click();
    await w.wb.webview().locator('.row', { hasText: 'Tell me a secret' }).waitFor();
    await press('Send to Demo Model');
    await w.wb.webview().locator('.row', { hasText: 'You said' }).waitFor();
    await press('Send Answer to Server');
    await resultOf(w, /You said: Resource .* Tell me a secret/);
    await w.picture('web-sampling');
  });

  it('runs a prompt in chat', async () => {
    await w.host.command('workbench.action.chat.open');
    await w.wb.chat.pickModel('Demo Model');
    const response = await w.wb.chat.ask('@mcp /args-prompt city=Berlin state=Bavaria');
    await eventually(async () =>
      assert.match((await shownText(response)).replaceAll('\u00a0', ' '), /You said: .*weather in Berlin, Bavaria/),
    );
    await w.picture('web-chat');
  });

  it('signs in, with the answer returned through the editor', async () => {
    await row('box').filter({ hasText: 'sign-in required' }).waitFor();
    const popup = w.page.context().waitForEvent('page');
    await w.wb.tree('Servers').action('box', 'Sign In');
    await w.wb.modal();
    await w.wb.answerModal('Open Browser');
    const page = await popup;
    await w.page.bringToFront(); // behind another page the browser draws once a second
    // This server sends addresses of this machine through a proxy, which only its wrapper has.
    const notification = await w.wb.notification('Sign in to MCP server "box" in your browser.');
    await notification.getByRole('button', { name: 'Copy Link' }).click();
    const link = await w.host.until(async vscode => {
      const text = await vscode.env.clipboard.readText();
      return text.includes('code_challenge') && text;
    });
    const url = new URL(link || '');
    const answer = await throughLoginPage(url, url.searchParams.get('redirect_uri')!);
    await page.goto(answer.href);
    await row('box')
      .filter({ has: w.page.locator('.codicon-pass-filled') })
      .waitFor();
    await eventually(async () =>
      assert.match((await w.wb.tree('Servers').read()).find(({ label }) => label === 'box')?.icon ?? '', /pass/),
    );
  });

  it('keeps the audit log in browser storage, and recovers when the window is reloaded', async () => {
    await w.reload();
    await w.wb.viewContainer('MCP');
    await row('everything')
      .filter({ has: w.page.locator('.codicon-pass-filled') })
      .waitFor();
    await w.wb.command('MCP Host: Show Audit Log');
    assert.match((await shows('get-sum')) ?? '', /trigger-sampling-request/);
  });
});
