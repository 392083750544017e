import * as assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { FrameLocator, Locator, Page } from 'playwright-core';
import { assertAccessible, useTheme } from '../drivers/accessibility';
import { attemptMs, eventually, fillInApp, inPage, persist, soon } from '../drivers/dom';
import { answerNotification } from '../drivers/notifications';
import { closeToolPages, openTool, runForApp, runTool } from '../drivers/toolPage';
import { openWorkbench, type Workbench } from '../drivers/workbench';
import { fixturePath, waitFor } from '../servers/spawn';

/**
 * Has a page of the workbench note what it would open in another tab. Once there was a second tab, also one that is closed again,
 * headless Chromium leaves clicks in the frame of an app to the page around it.
 * @returns a function that reads the addresses.
 */
async function keepOpenedPages(page: Page): Promise<() => Promise<unknown>> {
  const keep = `() => {
    const opened = (window.openedPages = []);
    window.open = url => {
      if (url) opened.push(url);
      return { opener: null, location: { set href(to) { opened.push(to); } } };
    };
  }`;
  await page.locator('body').evaluate(inPage(keep));
  return () => page.evaluate('window.openedPages');
}

const server = (...flags: string[]) => ({ command: process.execPath, args: [fixturePath('apps'), ...flags] });

describe('apps of tools', () => {
  let w: Workbench;
  let app: FrameLocator;
  before(async () => {
    w = await openWorkbench({
      workspace: 'editor',
      settings: { 'mcpHost.servers': { apps: server('--hostile'), changing: server('--changing') } },
    });
    await w.wb.viewContainer('MCP');
    for (const name of ['apps', 'changing'])
      await w.wb.tree('Servers').row(name).filter({ hasText: 'tools' }).waitFor();
    app = w.wb.webview().locator('iframe.app').contentFrame().locator('iframe').contentFrame();
  });
  after(() => w?.close());

  /** Runs a tool of a server through the palette. */
  const run = async (tool: string, id = 'apps', title = 'tea') => {
    await runForApp(w, tool, { row: id, args: { title }, keepsOthers: true });
  };

  const agreed = new Set<string>();
  /** Runs a tool, and agrees to its app where it is shown for the first time. */
  const open = async (tool: string, title = 'tea') => {
    await run(tool, 'apps', title);
    if (!agreed.has(tool)) await w.wb.answerModal('Show App');
    agreed.add(tool);
  };

  /** Runs the tool of a bad page. */
  const show = async (name: string) => {
    await open(`show_${name}`);
    await w.wb.webview().locator('.heading', { hasText: 'App of MCP server "apps"' }).waitFor();
  };

  /** What the app has written down of what it was told. */
  const row = (text: string | RegExp): Locator => app.locator('#log li', { hasText: text }).last();
  const note = (text: string | RegExp) => w.wb.webview().locator('.note', { hasText: text });

  /** Has the app of `show_board` send a request. */
  const send = async (method: string, params: object, notify = false) => {
    await fillInApp(app.locator('#request'), JSON.stringify({ method, params, notify }));
    await app.getByRole('button', { name: 'Send' }).click();
  };
  const answer = (method: string) => row(`answer ${method}`);
  /** Sends a request, and waits for its own answer: an earlier one may say the same. */
  const ask = async (method: string, params: object, says: string) => {
    const answers = app.locator('#log li', { hasText: `answer ${method}` });
    const before = await answers.count();
    await send(method, params);
    await answers.nth(before).filter({ hasText: says }).waitFor();
  };
  /** Resolves when the server's log says so after an act: opened, so that its text is there; then the panel is as it was. */
  const logged = async (text: RegExp, act = async () => {}) => {
    await w.wb.command('MCP Host: Show Server Log');
    await w.wb.pick('apps');
    await act();
    await w.host.until(
      (vscode, pattern) =>
        vscode.workspace.textDocuments.some(
          document => document.uri.scheme === 'output' && new RegExp(pattern).test(document.getText()),
        ),
      text.source,
    );
    await w.host.command('workbench.action.closePanel');
  };
  const closeTabs = () => w.host.command('workbench.action.closeAllEditors');
  /** Opens the app of `show_board`, unless an earlier test has left it open. */
  const openBoard = async () => {
    if ((await w.wb.webview().locator('iframe.app').count()) > 0) return;
    await open('show_board');
    await row('ui/notifications/tool-result').waitFor();
  };

  it('open beside after Run Tool… once the person has agreed, who is told what no policy closes @apps.open-beside-run', async () => {
    await run('show_board');
    const { detail } = await w.wb.modal();
    assert.match(detail, /It names no site that it reaches\.\n.*a direct connection to another browser \(WebRTC\)/);
    await w.wb.answerModal('Not Now');
    await eventually(async () => assert.equal(await w.page.locator('iframe.app').count(), 0));
    await open('show_board');
    await row('ui/notifications/tool-input {"arguments":{"title":"tea"}}').waitFor();
    await row('ui/notifications/tool-result').filter({ hasText: 'show_board is done' }).waitFor();
    await w.wb.webview().locator('.heading', { hasText: 'no sites, no permissions' }).waitFor();
    await w.picture('app-board');
  });

  it('call app-only tools of their server after a question, and no others @apps.call-app-tools', async () => {
    await openBoard();
    await send('tools/call', { name: 'refresh', arguments: {} });
    const { text, buttons } = await w.wb.modal();
    assert.match(text, /The app "show_board" asks: call refresh on MCP server "apps"\?/);
    assert.ok(buttons.includes('Allow While the App Is Open'), buttons.join());
    await w.picture('app-asks');
    await w.wb.answerModal('Allow While the App Is Open');
    await answer('tools/call').filter({ hasText: 'refresh is done' }).waitFor();
    await ask('tools/call', { name: 'refresh', arguments: { title: 'again' } }, '"title":"again"');
    await ask('tools/call', { name: 'plan', arguments: {} }, 'The tool plan is not for apps.');
    // Of another server, which has it: this one's apps do not learn of that.
    await ask('tools/call', { name: 'elsewhere', arguments: {} }, 'Unknown tool: elsewhere');
  });

  it('are not asked about again after a denial @apps.asked-denial', async () => {
    await send('tools/call', { name: 'erase', arguments: {} });
    await w.wb.modal();
    await w.wb.answerModal('Deny');
    await answer('tools/call').filter({ hasText: 'The user denied the call to erase' }).waitFor();
    // Without a question.
    await ask('tools/call', { name: 'erase', arguments: { title: 'please' } }, 'The user denied the call to erase');
  });

  it('read resources, and get an answer to each request for another display mode', async () => {
    await ask('resources/read', { uri: 'ui://apps/board' }, 'profile=mcp-app');
    // It has not declared the first, and has the second.
    for (const mode of ['pip', 'fullscreen']) {
      await ask('ui/request-display-mode', { mode }, '{"mode":"fullscreen"}');
    }
    await ask('ui/request-display-mode', { mode: 'poster' }, '"error":');
    await ask('ping', {}, '{}');
  });

  it('open links only after a review, and only web pages @apps.open-links-review', async () => {
    await openBoard();
    await ask('ui/open-link', { url: 'javascript:alert(1)' }, 'isError');
    await send('ui/open-link', { url: 'https://example.com/page' });
    const { text, detail } = await w.wb.modal();
    assert.match(text, /The app "show_board" of MCP server "apps" wants to open a page of example\.com\./);
    assert.match(detail, /https:\/\/example\.com\/page/);
    await w.wb.answerModal('Not Now');
    // What the person agrees to is opened outside the editor, which asks once more about sites other than this machine.
    await send('ui/open-link', { url: 'http://localhost:1/page' });
    await w.wb.modal();
    const opened = await keepOpenedPages(w.page);
    await w.wb.answerModal('Open');
    // By the server of the editor, which passes it on to the port.
    await eventually(async () => assert.match(String(await opened()), /^http:\/\/[\d.:]+\/proxy\/1\/page$/));
    await answer('ui/open-link').filter({ hasText: 'answer ui/open-link {}' }).waitFor();
  });

  it('give context to models, which is shown above them and can be withdrawn @apps.give-context-models', async () => {
    await openBoard();
    // The later one takes the place of the earlier one.
    for (const text of ['two notes are open', 'three notes are open'])
      await ask('ui/update-model-context', { content: [{ type: 'text', text }] }, '{}');
    await note('Sent with your next question to @mcp: three notes are open').waitFor();
    await w.picture('app-context');
    await w.wb.webview().getByRole('button', { name: 'Clear' }).click();
    await waitFor(async () => (await w.wb.webview().locator('.note').innerText()) === '', { what: 'an empty line' });
  });

  it("log to their server's log, and save files where the person chooses @apps.log-server-log", async () => {
    await openBoard();
    await send('notifications/message', { level: 'info', logger: 'cards', data: 'three are red' }, true);
    await send('ui/download-file', {
      contents: [{ type: 'resource', resource: { uri: 'file:///cards.txt', mimeType: 'text/plain', text: 'three' } }],
    });
    await w.wb.quickInput.locator('.quick-input-title', { hasText: 'Save a file of MCP server "apps"' }).waitFor();
    await w.wb.quickInput.getByRole('button', { name: 'OK', exact: true }).click();
    await answer('ui/download-file').filter({ hasText: '{}' }).waitFor();
    const saved = await w.host.until(async vscode => {
      const [file] = await vscode.workspace.findFiles('cards.txt');
      return file && Buffer.from(await vscode.workspace.fs.readFile(file)).toString();
    });
    assert.equal(saved, 'three');
    await logged(/\[server show_board cards\] three are red/);
    await logged(/the app ui:\S+ is shown: \{"domains":\{"connectDomains":\[.*"permissions":\[/);
  });

  it('follow a change of the theme', async () => {
    await useTheme(w, 'Dark Modern');
    await row('ui/notifications/host-context-changed').filter({ hasText: '"theme":"dark"' }).waitFor();
    await w.picture('app-board-dark');
    await useTheme(w, 'Default High Contrast');
    await w.picture('app-board-contrast');
  });

  it('are reached and left with the keyboard, and axe finds no fault in the page around them', async () => {
    // From its heading each time: the editor gives the focus to a page that was clicked once more, a moment later.
    await persist(async () => {
      await w.wb.webview().locator('.heading').click({ timeout: attemptMs });
      for (const stop of ['textarea:focus', 'button:focus']) {
        await w.page.keyboard.press('Tab');
        await app.locator(stop).waitFor({ timeout: attemptMs });
      }
      await w.page.keyboard.press('Tab');
      await w.wb.webview().locator('.behind:focus').waitFor({ timeout: attemptMs });
      await w.page.keyboard.press('Shift+Tab');
      await app.locator('button:focus').waitFor({ timeout: attemptMs });
    }, 'the keyboard to go through the app');
    await eventually(async () => assert.equal(await note('took the keyboard').count(), 0));
    await assertAccessible(w, 5);
  });

  const appTabs = () =>
    w.page
      .locator('.part.editor .tabs-container')
      .getByRole('tab')
      .filter({ hasText: /^\s*show_\w+\s*$/ });
  const panel = () => w.page.locator('.part.panel');

  it('move to the panel and back on request in a mode that they declare, and keep input and result', async () => {
    await send('ui/update-model-context', { content: [{ type: 'text', text: 'three notes are open' }] });
    await note('three notes are open').waitFor();
    await send('ui/request-display-mode', { mode: 'inline' });
    await panel().getByText('MCP App').first().waitFor();
    await eventually(async () => assert.equal(await appTabs().count(), 0));
    await row(/^initialized .*"displayMode":"inline"/).waitFor();
    await row('ui/notifications/tool-input {"arguments":{"title":"tea"}}').waitFor();
    await row('ui/notifications/tool-result').filter({ hasText: 'show_board is done' }).waitFor();
    await note('Sent with your next question to @mcp: three notes are open').waitFor();
    await w.picture('app-view-contrast');
    // What was allowed while the app is open still is, and what was denied is denied.
    await send('tools/call', { name: 'refresh', arguments: { title: 'there' } });
    await answer('tools/call').filter({ hasText: '"title":"there"' }).waitFor();
    await send('tools/call', { name: 'erase', arguments: {} });
    await answer('tools/call').filter({ hasText: 'The user denied the call to erase' }).waitFor();
    // It is as high as it says.
    const frame = w.wb.webview().locator('iframe.app');
    await send('ui/notifications/size-changed', { height: 1234 }, true);
    await eventually(async () => assert.equal((await frame.boundingBox())?.height, 1234));
    await send('ui/request-display-mode', { mode: 'fullscreen' });
    await row(/^initialized .*"displayMode":"fullscreen"/).waitFor();
    await eventually(async () => assert.equal(await appTabs().count(), 1));
    await w.wb.webview().getByRole('button', { name: 'Clear' }).click();
    await w.host.command('workbench.action.closePanel');
  });

  it("move there and back by the person's command too", async () => {
    await w.page.locator('.editor-actions').getByRole('button', { name: 'Open App in Panel' }).click();
    await row(/^initialized .*"displayMode":"inline"/).waitFor();
    await panel().getByRole('button', { name: 'Open App in Editor' }).click();
    await row(/^initialized .*"displayMode":"fullscreen"/).waitFor();
    await eventually(async () => assert.equal(await appTabs().count(), 1));
  });

  it('are not shown again after a reload before the person wants that, then with input and result @apps.shown-reload-person', async () => {
    await openBoard();
    await w.reload();
    await note('This app was open before the window was reloaded.').waitFor();
    await eventually(async () => assert.equal(await w.wb.webview().locator('iframe.app').count(), 0));
    await w.picture('app-waits');
    await w.wb.webview().getByRole('button', { name: 'Show App' }).click();
    await row('ui/notifications/tool-input {"arguments":{"title":"tea"}}').waitFor();
    await row('ui/notifications/tool-result').filter({ hasText: 'show_board is done' }).waitFor();
  });

  it('show the next call of their tool in the same tab, and other tools in other tabs @apps.show-next-call', async () => {
    await closeTabs();
    await show('restless');
    // The click on Show App counts as a touch: it may be on its way to the panel, so that closing its tab would not end it.
    await persist(async () => {
      await w.host.command('mcpHost.stopApp');
      await panel().getByRole('button', { name: 'Stop App' }).waitFor({ state: 'hidden', timeout: attemptMs });
      await soon(async () => (await appTabs().count()) === 0, 'the end of its tab');
    }, 'the app to end');
    await w.host.command('workbench.action.closePanel');
    await openBoard();
    // The tab of the app comes before the page of its tool.
    await runTool(w, 'show_board', { row: 'apps', args: { title: 'cake' }, keepsOthers: true });
    await row('ui/notifications/tool-input {"arguments":{"title":"cake"}}').waitFor();
    await closeToolPages(w);
    await eventually(async () => assert.equal(await appTabs().count(), 1));
    // Nobody has touched it: it stays where it is. A key is a touch, and so is any look of the test's into the window, which the
    // browser counts as a person's act: so nothing looks until the log says what became of it.
    await logged(/\[server show_restless\] tried fullscreen,fullscreen,-32/, async () => {
      const page = await openTool(w, 'show_restless', { row: 'apps', keepsOthers: true });
      await page.getByRole('button', { name: 'Run (Ctrl+Enter)' }).press('Enter');
    });
    await closeToolPages(w);
    await eventually(async () => assert.equal(await appTabs().count(), 2));
    await closeTabs();
  });

  it('open beside the page of their tool after a run, and again by its button', async () => {
    await w.wb.command('MCP Host: Run Tool…');
    await w.wb.searchAndPick('show_board', 'apps');
    const isActive = (type: string) =>
      w.host.until((vscode, wanted) => {
        const input = vscode.window.tabGroups.activeTabGroup.activeTab?.input;
        return input instanceof vscode.TabInputWebview && input.viewType.endsWith(wanted);
      }, type);
    const pages = (count: number) =>
      eventually(async () => {
        // The editor keeps the empty view of the panel, hidden.
        assert.equal(await w.page.locator('iframe.webview.ready').filter({ visible: true }).count(), count);
      });
    await w.wb.webview().getByRole('button', { name: 'Run (Ctrl+Enter)' }).click();
    await pages(2);
    await w.picture('app-beside-tool');
    // Another run is shown in the same tab; the earlier one, when the person wants to see it, in a tab of its own, once.
    // The page lists the runs of earlier tests, too.
    const runs = w.wb.webview().locator('.runs li');
    const before = await runs.count();
    await w.wb.webview().getByRole('button', { name: 'Run (Ctrl+Enter)' }).click();
    await eventually(async () => assert.equal(await runs.count(), before + 1));
    await pages(2);
    await w.host.command('workbench.action.closeEditorsInOtherGroups');
    await pages(1);
    for (let times = 0; times < 2; times++) {
      await w.host.command('workbench.action.focusFirstEditorGroup');
      await isActive('mcpHost.tool');
      await w.wb.webview().getByRole('button', { name: 'Open App' }).click();
      await isActive('mcpHost.app');
      await pages(2);
    }
    await closeTabs();
  });

  it('open while their tool runs, and learn of its cancellation', async () => {
    await w.wb.command('MCP Host: Run Tool…');
    await w.wb.searchAndPick('show_slow', 'apps');
    await w.wb.webview().getByRole('button', { name: 'Run (Ctrl+Enter)' }).click();
    await w.wb.answerModal('Show App');
    const beside = w.wb.webview(1).locator('iframe.app').contentFrame().locator('iframe').contentFrame();
    await beside.locator('#log li', { hasText: 'ui/notifications/tool-input' }).waitFor();
    await w.wb.webview().getByRole('button', { name: 'Cancel' }).click();
    await beside.locator('#log li', { hasText: 'ui/notifications/tool-cancelled' }).waitFor();
    await closeTabs();
  });

  it('have an opaque origin, without access to the editor or the network @apps.opaque-origin-access', async () => {
    await show('escape');
    const tried = await row(/^tried/).innerText();
    assert.deepEqual(JSON.parse(tried.replace(/^tried /, '')), {
      origin: 'null',
      api: 'undefined',
      parentApi: 'refused SecurityError',
      parentDocument: 'refused SecurityError',
      topDocument: 'refused SecurityError',
      storage: 'refused SecurityError',
      cookie: 'refused SecurityError',
      fetch: 'refused TypeError',
      socket: 'refused SecurityError',
      image: 'refused SecurityError',
      script: 'refused SecurityError',
      eval: 'refused EvalError',
      popup: 'null',
      top: 'refused SecurityError',
      worker: 'refused SecurityError',
    });
    // What it sent to the frames around it in the editor's own terms had no effect.
    await row('ui/notifications/tool-result').waitFor();
    await eventually(async () => assert.equal(await w.wb.webview().locator('iframe.app').count(), 1));
    await closeTabs();
  });

  it('get a policy of their own with no more than they declared @apps.get-policy-declared', async () => {
    await show('wide');
    await row('tried "refused TypeError"').waitFor();
    // Not because the machine has no network.
    await row('blocked "connect-src"').waitFor();
    await closeTabs();
  });

  it('appear in the protocol trace under a name of their own', async () => {
    await w.wb.command('MCP Host: Show Protocol Trace');
    const rows = w.wb.webview().locator('[role=row]', { hasText: 'apps · ui://apps/wide' });
    await rows.first().waitFor();
    // Only rows in view are drawn.
    const filter = w.wb.webview().getByRole('searchbox', { name: 'Filter messages by text' });
    await filter.fill('ui/initialize');
    await rows.filter({ hasText: 'ui/initialize' }).first().waitFor();
    // What was replaced by another call was told before.
    await filter.fill('ui/resource-teardown');
    const board = w.wb.webview().locator('[role=row]', { hasText: 'apps · ui://apps/board' });
    await board.filter({ hasText: 'ui/resource-teardown' }).first().waitFor();
    await closeTabs();
  });

  it('report ignored parts of a declaration with invalid addresses', async () => {
    await run('show_badcsp');
    const { detail } = await w.wb.modal();
    assert.match(
      detail,
      /pictures from:\n• https:\/\/example\.com\n.*\(WebRTC\).*\nLeft out, because it is not the address of a single site:\n• \*\n• https:/,
    );
    await w.wb.answerModal('Not Now');
  });

  it('name the sites that they reach, and abilities that the editor lacks @apps.name-sites-reach', async () => {
    await run('show_domains');
    const { detail } = await w.wb.modal();
    assert.match(detail, /It exchanges data with:\n• https:\/\/api\.example\.com\n• wss:\/\/live\.example\.com/);
    assert.match(detail, /• writing to the clipboard/);
    assert.match(detail, /• the camera \(not available in the editor\)/);
    assert.match(detail, /it calls these tools without a question\. Only apps can call them:\n• refresh$/);
    await w.picture('app-domains');
    await w.wb.answerModal('Not Now');
  });

  it('ask once for what they reach and the tools that are for apps alone @apps.ask-once-reach', async () => {
    await run('show_domains');
    await w.wb.modal();
    await w.wb.answerModal('Show App');
    await w.wb.webview().locator('.heading', { hasText: 'and 2 more · writing to the clipboard' }).waitFor();
    await ask('tools/call', { name: 'refresh', arguments: {} }, 'refresh is done');
    // Models can call this one, so the agreement does not cover it.
    await send('tools/call', { name: 'erase', arguments: {} });
    await w.wb.modal();
    await w.wb.answerModal('Deny');
    await answer('tools/call').filter({ hasText: 'The user denied the call to erase' }).waitFor();
    await closeTabs();
    await run('show_domains');
    await ask('tools/call', { name: 'refresh', arguments: {} }, 'refresh is done');
    await closeTabs();
  });

  it('are black on white in a dark window if they have no style of their own', async () => {
    await show('plainest');
    await useTheme(w, 'Dark Modern');
    await app.getByText('Black on white').waitFor();
    await w.picture('app-plainest-dark');
    const scheme = w.wb
      .webview()
      .locator('iframe.app')
      .evaluate(inPage<string>('frame => getComputedStyle(frame).colorScheme'));
    assert.equal(await scheme, 'dark');
    await closeTabs();
  });

  for (const [name, why] of Object.entries({
    gone: /There is no ui:\/\/apps\/gone/,
    plain: /the page is of the type text\/plain/,
    empty: /the page is not HTML/,
    nohtml: /the page is not HTML/,
    huge: /the page has 20 MB, and may have 10 MB/,
  })) {
    it(`are not shown, with the reason: ${name}`, async () => {
      await run(`show_${name}`);
      await w.wb.notification(why);
      await w.host.command('notifications.clearAll');
      const shown = w.page.locator('iframe.webview').filter({ visible: true });
      await eventually(async () => assert.equal(await shown.count(), 0));
    });
  }

  it('are stopped when they send too much, and can be restarted @apps.stopped-send-too', async () => {
    await show('flood');
    await note('The app was stopped because it sent too many messages.').waitFor();
    await eventually(async () => assert.equal(await w.wb.webview().locator('iframe.app').count(), 0));
    await w.picture('app-flood');
    // What is in an app is its server's.
    await assertAccessible(w, 5);
    // It floods again, and so is gone again soon: the page itself notices that it was there.
    const page = w.wb.webview().locator('body');
    const watch = `body => new MutationObserver(() => {
      if (document.querySelector('iframe.app')) body.dataset.startedAgain = 'yes';
    }).observe(body, { subtree: true, childList: true })`;
    await page.evaluate(inPage(watch));
    await w.wb.webview().getByRole('button', { name: 'Start Again' }).click();
    await eventually(async () => assert.equal(await page.getAttribute('data-started-again'), 'yes'));
    await closeTabs();
    await show('past');
    await note(/^The app was stopped because it sent too many messages/).waitFor();
    await closeTabs();
    await show('large');
    await note('The app was stopped because it sent a message that is too large.').waitFor();
    await closeTabs();
  });

  it('do not keep a focus that they took themselves, and get no key then @apps.focus-took', async () => {
    await open('show_board', 'focus');
    const field = app.locator('#request');
    await w.wb.tree('Servers').row('apps').click();
    await field.evaluate(inPage('field => field.focus()'));
    await note('The app took the keyboard without a click in it').waitFor();
    await w.picture('app-focus');
    await w.wb.webview().locator('.heading:focus').waitFor();
    // Nor do the Tabs among them lead into it.
    await w.page.keyboard.type('secret\t\tsecret');
    await w.wb.webview().locator('.heading').press('Tab');
    await w.wb.webview().locator('.behind:focus').waitFor();
    // Where they click, or have left it and come by Tab, they can type.
    await field.click();
    await note('took the keyboard').waitFor({ state: 'detached' });
    await w.page.keyboard.type('by click');
    await w.wb.tree('Servers').row('apps').click();
    await w.wb.webview().locator('.heading').press('Tab');
    await app.locator('#request:focus').waitFor();
    await w.page.keyboard.type(', by key');
    // That is all that it holds.
    await eventually(async () => assert.equal(await field.inputValue(), 'by click, by key'));
    await eventually(async () => assert.equal(await note('took the keyboard').count(), 0));
    await closeTabs();
  });

  it('are stopped when they keep taking the focus @apps.stopped-focus', async () => {
    await open('show_greedy');
    await w.wb.tree('Servers').row('apps').click();
    await note('The app was stopped because it kept taking the keyboard.').waitFor();
    await eventually(async () => assert.equal(await w.wb.webview().locator('iframe.app').count(), 0));
    await closeTabs();
  });

  it('are stopped when they leave their page @apps.stopped-leave-page', async () => {
    await show('navigate');
    await note('The app was stopped because it left its page.').waitFor();
    await closeTabs();
  });

  it('that never answer are reported as unresponsive, and get nothing', async () => {
    await show('silent');
    await note('The app has not answered yet').waitFor();
    await eventually(async () => assert.deepEqual(await app.locator('#log li').allInnerTexts(), ['tried "nothing"']));
    await closeTabs();
  });

  it('that changed since the person agreed are asked about again, with a diff @apps.changed-since-person', async () => {
    await run('show_board', 'changing');
    await w.wb.modal();
    await w.wb.answerModal('Show App');
    await row('ui/notifications/tool-result').waitFor();
    await closeTabs();
    await run('show_board', 'changing');
    const { detail, buttons } = await w.wb.modal();
    assert.match(detail, /The app has changed since you allowed it\./);
    assert.ok(buttons.includes('Show Changes'));
    await w.wb.answerModal('Show Changes');
    await w.wb.tab('allowed before ↔ now').waitFor();
    await w.picture('app-drift');
    await answerNotification(w, 'Show the app "show_board"', 'Show App');
    await row('ui/notifications/tool-result').waitFor();
    await closeTabs();
  });

  it('stay in the panel view if the person wants that: it follows the last call, and a reload', async () => {
    await w.host.eval(vscode =>
      vscode.workspace.getConfiguration('mcpHost.apps').update('open', 'view', vscode.ConfigurationTarget.Global),
    );
    await open('show_board');
    await row('ui/notifications/tool-input {"arguments":{"title":"tea"}}').waitFor();
    await open('show_restless', 'milk');
    await row('ui/notifications/tool-input {"arguments":{"title":"milk"}}').waitFor();
    await row('tried ["inline","inline",-32').waitFor();
    // The tab of the app comes before the page of its tool.
    await runTool(w, 'show_board', { row: 'apps', args: { title: 'cake' }, keepsOthers: true });
    await row('ui/notifications/tool-input {"arguments":{"title":"cake"}}').waitFor();
    await closeToolPages(w);
    await eventually(async () => assert.equal(await w.wb.webview().locator('iframe.app').count(), 1));
    await closeTabs();
    await useTheme(w, 'Default Light Modern');
    await w.picture('app-view');
    await w.reload();
    // Which of its views the panel shows first is the editor's choice.
    await persist(async () => {
      await w.host.command('mcpHost.appView.focus');
      await panel().getByRole('button', { name: 'Stop App' }).waitFor({ timeout: attemptMs });
    }, 'the view to be there');
    await w.wb.webview().getByRole('button', { name: 'Show App' }).click();
    await row('ui/notifications/tool-input {"arguments":{"title":"cake"}}').waitFor();
    await row('ui/notifications/tool-result').filter({ hasText: 'show_board is done' }).waitFor();
    await panel().getByRole('button', { name: 'Stop App' }).click();
    await panel().getByRole('button', { name: 'Stop App' }).waitFor({ state: 'hidden' });
    await eventually(async () => assert.equal(await w.wb.webview().locator('iframe.app').count(), 0));
    await w.host.eval(vscode =>
      vscode.workspace.getConfiguration('mcpHost.apps').update('open', undefined, vscode.ConfigurationTarget.Global),
    );
  });

  // The last, as apps of one window may share a process of the browser.
  it('that hang do not block the editor, and Stop App closes them @apps.hang-block-editor', async () => {
    // The mouse would be over its page, and leave it only when that answers, which is never.
    await w.page.mouse.move(0, 0);
    const webviews = w.page.locator('iframe.webview');
    // The editor may have kept the empty view of the panel.
    const before = await webviews.count();
    const page = await openTool(w, 'show_loop', { row: 'apps', keepsOthers: true });
    // From now on nothing is asked of webviews, that of the tool included: they may share a process, and would never answer. Even the
    // key may not be acknowledged any more.
    void page
      .getByRole('button', { name: 'Run (Ctrl+Enter)' })
      .press('Enter')
      .catch(() => undefined);
    await w.wb.answerModal('Show App');
    await w.host.until(vscode =>
      vscode.window.tabGroups.all
        .flatMap(({ tabs }) => tabs)
        .some(({ input }) => input instanceof vscode.TabInputWebview && input.viewType.endsWith('mcpHost.app')),
    );
    await closeToolPages(w);
    const stop = w.page.locator('.editor-actions').getByRole('button', { name: 'Stop App' });
    await stop.waitFor();
    assert.equal(await w.host.eval(() => 1 + 1), 2);
    await stop.click();
    await eventually(async () => assert.ok((await webviews.count()) <= before));
    await w.wb.tree('Servers').row('apps').waitFor();
  });
});

describe('an app whose tab the person closes', () => {
  let w: Workbench;
  const received = Promise.withResolvers<string>();
  const site = createServer(async (request, response) => {
    let body = '';
    for await (const part of request) body += part;
    response.end();
    received.resolve(body);
  });
  before(async () => {
    await once(site.listen(0, '127.0.0.1'), 'listening');
    const origin = `http://127.0.0.1:${(site.address() as AddressInfo).port}`;
    w = await openWorkbench({
      workspace: 'editor',
      settings: { 'mcpHost.servers': { apps: server('--hostile', `--farewell=${origin}`) } },
    });
    await w.wb.viewContainer('MCP');
    await w.wb.tree('Servers').row('apps').filter({ hasText: 'tools' }).waitFor();
  });
  after(async () => {
    await w?.close();
    site.closeAllConnections();
    site.close();
  });

  it('is told before its page goes away, and can still save its work @apps.told-page-goes', async () => {
    const title = `http://127.0.0.1:${(site.address() as AddressInfo).port}/farewell`;
    await runForApp(w, 'show_farewell', { args: { title } });
    await w.wb.modal();
    await w.wb.answerModal('Show App');
    const app = w.wb.webview().locator('iframe.app').contentFrame().locator('iframe').contentFrame();
    await app.locator('#log li', { hasText: 'ui/notifications/tool-result' }).waitFor();
    await w.picture('app-farewell');
    const tab = w.page.locator('.tab.active[data-resource-name^=webview]', { hasText: 'show_farewell' });
    await tab.hover();
    await tab.getByRole('button', { name: /^Close/ }).click();
    assert.equal(await received.promise, 'ui/resource-teardown');
  });
});

describe('apps in answers of @mcp', () => {
  let w: Workbench;
  let app: FrameLocator;
  before(async () => {
    w = await openWorkbench({
      workspace: 'editor',
      viewport: { width: 1500, height: 950 },
      settings: { 'mcpHost.servers': { apps: server() } },
    });
    await w.wb.viewContainer('MCP');
    await w.wb.tree('Servers').row('apps').filter({ hasText: 'tools' }).waitFor();
    await w.host.command('workbench.action.chat.open');
    await w.wb.chat.pickModel('Demo Model');
    app = w.wb.webview().locator('iframe.app').contentFrame().locator('iframe').contentFrame();
  });
  after(() => w?.close());

  let isAgreed = false;
  const askForBoard = async (then = '') => {
    const response = await w.wb.chat.send(`@mcp call show_board {"title": "tea"}${then}`);
    await response.getByRole('button', { name: 'Allow', exact: true }).first().click();
    if (!isAgreed) await w.wb.answerModal('Show App');
    isAgreed = true;
    await app.locator('#log li', { hasText: '"title":"tea"' }).first().waitFor();
    return response;
  };

  it('open automatically the first time, then by button; models are not offered app-only tools @apps.open-automatically-first', async () => {
    const response = await askForBoard(' then call refresh {}');
    const open = response.getByRole('button', { name: 'Open App of show_board' });
    await open.waitFor();
    // The model was not offered the second tool: then it says the step.
    await response.getByText('call refresh {}').waitFor();
    await w.picture('app-in-chat');
    await w.host.command('workbench.action.closeAllEditors');
    await w.page.locator('iframe.webview').waitFor({ state: 'detached' });
    await open.click();
    await app.locator('#log li', { hasText: '"title":"tea"' }).first().waitFor();
  });

  it('draft a question that the person sends, and add their context to it once @apps.draft-question-person', async () => {
    const send = async (method: string, params: object) => {
      await fillInApp(app.locator('#request'), JSON.stringify({ method, params }));
      await app.getByRole('button', { name: 'Send' }).click();
    };
    if ((await w.wb.webview().locator('iframe.app').count()) === 0) await askForBoard();
    const note = w.wb.webview().locator('.note');
    for (const text of ['two notes are open', 'three notes are open']) {
      await send('ui/update-model-context', { content: [{ type: 'text', text }] });
      await note.filter({ hasText: `@mcp: ${text}` }).waitFor();
    }
    await send('ui/message', { role: 'user', content: [{ type: 'text', text: 'What is open?' }] });
    await app.locator('#log li', { hasText: 'answer ui/message {}' }).waitFor();
    const input = w.wb.chat.locator.locator('.interactive-input-editor .monaco-editor').first();
    await input.filter({ hasText: 'What' }).waitFor();
    await w.picture('app-draft');
    const response = await w.wb.chat.ask('@mcp what is open?');
    await response.getByText('Also sent: what the open app of MCP server "apps" tells the model.').waitFor();
    await waitFor(async () => (await w.wb.webview().locator('.note').innerText()) === '', { what: 'an empty line' });
  });

  it('draft at most one question per click @apps.draft-question-per', async () => {
    const params = { role: 'user', content: [{ type: 'text', text: 'And what else?' }] };
    await app.locator('#log').evaluate(log => log.replaceChildren());
    await fillInApp(app.locator('#request'), JSON.stringify({ method: 'ui/message', params, times: 5 }));
    await app.getByRole('button', { name: 'Send' }).click();
    const answers = app.locator('#log li', { hasText: 'answer ui/message' });
    await waitFor(async () => (await answers.count()) === 5, { what: 'all answers' });
    const refused = await answers.filter({ hasText: '"isError":true' }).count();
    // The click may have been one with that of the test before.
    assert.ok(refused >= 4, `${refused} were refused`);
  });

  it('use a model only through the sampling review of their server', async () => {
    const params = { messages: [{ role: 'user', content: { type: 'text', text: 'Which is best?' } }], maxTokens: 50 };
    await fillInApp(app.locator('#request'), JSON.stringify({ method: 'sampling/createMessage', params }));
    await app.getByRole('button', { name: 'Send' }).click();
    await answerNotification(w, 'MCP server "apps" requests an answer from a language model', 'Deny');
    await app.locator('#log li', { hasText: 'answer sampling/createMessage {"error":' }).waitFor();
  });
});
