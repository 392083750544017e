import assert from 'node:assert/strict';
import type { FrameLocator } from 'playwright-core';
import { assertAccessible, assertAccessibleInThemes, useTheme } from '../drivers/accessibility';
import { eventually, inPage } from '../drivers/dom';
import { openWorkbench, type Workbench } from '../drivers/workbench';
import { type RegistryFixture, startRegistry } from '../servers/registry';
import { waitFor } from '../servers/spawn';

describe('the page Browse Servers', () => {
  let registry: RegistryFixture;
  let w: Workbench;
  let page: FrameLocator;
  const complaints: string[] = [];
  before(async () => {
    registry = await startRegistry();
    w = await openWorkbench({ workspace: 'editor', settings: { 'mcpHost.registry.url': registry.url('/good') } });
    w.page.on('console', message => {
      if (/Content Security Policy|gallery-view/.test(message.text())) complaints.push(message.text());
    });
  });
  after(async () => {
    await w?.close();
    await registry?.stop();
  });

  const search = () => page.getByRole('searchbox', { name: 'Search' });
  const option = (name: string | RegExp) => page.getByRole('option', { name });
  const details = () => page.getByRole('region', { name: 'Details' });
  const says = (text: string | RegExp) => page.getByRole('status').filter({ hasText: text }).waitFor();
  const isFocused = (element: ReturnType<typeof search>, what: string) =>
    waitFor(() => element.evaluate(inPage<boolean>('element => element === element.ownerDocument.activeElement')), {
      what: `${what} to have the focus`,
    });
  const setUrl = (url: string) =>
    w.host.eval(
      (vscode, to) =>
        vscode.workspace.getConfiguration('mcpHost').update('registry.url', to, vscode.ConfigurationTarget.Global),
      url,
    );
  const setAccess = (access: string | undefined) =>
    w.host.eval(
      (vscode, to) => vscode.workspace.getConfiguration('chat.mcp').update('access', to ?? undefined, true),
      access ?? null,
    );

  it('asks the registry when it is opened, not before, and shows what it has', async () => {
    assert.deepEqual(registry.requests, []);
    await w.wb.command('MCP Host: Browse Servers');
    page = w.wb.webview();
    await says('29 servers; there are more');
    await isFocused(search(), 'the search');
    await option(/Weather/)
      .filter({ hasText: '★ 12,345' })
      .waitFor();
    // An icon that the registry serves, and one in its answer.
    await waitFor(async () => (await page.locator('.list .icon.drawn').count()) === 2, { what: 'both icons' });
    await page.getByRole('button', { name: 'Load more' }).click();
    await says('59 servers; there are more');
    await w.picture('gallery');
    await assertAccessible(w);
  });

  it('sorts what was loaded, and keeps the selection', async () => {
    const names = () => page.getByRole('option').locator('.title').allTextContents();
    const asPublished = await names();
    await option(/Weather/).click();
    await page.getByRole('combobox', { name: 'Sort by' }).selectOption('name');
    const byName = asPublished.toSorted((a, b) => a.localeCompare(b));
    await eventually(async () => assert.deepEqual(await names(), byName));
    await page.locator('[role="option"][aria-selected="true"]', { hasText: 'Weather' }).waitFor();
    await page.getByRole('combobox', { name: 'Sort by' }).selectOption('stars');
    await eventually(async () => assert.equal((await names())[0], 'Weather'));
    await w.picture('gallery-sorted');
    await page.getByRole('combobox', { name: 'Sort by' }).selectOption('registry');
    await eventually(async () => assert.deepEqual(await names(), asPublished));
  });

  it('is used by keyboard: search, list, details and back', async () => {
    await search().fill('weather');
    await says('1 server');
    await search().press('ArrowDown');
    await isFocused(page.getByRole('listbox', { name: 'Servers' }), 'the list');
    await details().getByRole('heading', { name: 'Weather', exact: true, level: 2 }).waitFor();
    await page.getByRole('listbox').press('Enter');
    await isFocused(details().getByRole('heading', { level: 2 }), 'the heading of the details');
    for (const text of ['example on GitHub', 'It is not known whether this registry checks it.', 'the next days'])
      await details().getByText(text).waitFor();
    await eventually(async () => assert.equal(await details().locator('a, img:not(.icon img), script').count(), 0));
    await details().getByRole('heading', { level: 2 }).press('Escape');
    await isFocused(page.getByRole('listbox'), 'the list');
    await page.getByRole('listbox').press('Escape');
    await isFocused(search(), 'the search');
    await search().press('Escape');
    await says('29 servers');
  });

  it('shows what strangers publish as text, and cannot install what is not supported', async () => {
    await search().fill('hostile');
    await says('1 server');
    await option(/img src=x onerror/)
      .filter({ hasText: '1.0.0 2.0.0 · npm · __proto__' })
      .click();
    await details().getByRole('heading', { name: '<img src=x onerror=alert(1)> ⟨U+202E⟩gnp.exe' }).waitFor();
    await eventually(async () =>
      assert.equal(await details().getByRole('button', { name: 'Install…' }).isDisabled(), true),
    );
    const links = details().getByRole('button', { name: /Open (Website|Repository)/ });
    await eventually(async () => assert.equal(await links.count(), 0));
    await w.picture('gallery-hostile');
    await search().fill('');
    await says('29 servers');
  });

  it('installs a version of a server in the way that was chosen, through the usual review', async () => {
    await search().fill('weather');
    await says('1 server');
    await search().press('Enter');
    await details().getByRole('button', { name: 'Show Other Versions' }).click();
    await details().getByRole('combobox', { name: 'Version' }).selectOption('1.0.0');
    await details().getByText('@example/weather-mcp@1.0.0').waitFor();
    await details()
      .getByRole('radio', { name: /Python package/ })
      .check();
    await details()
      .getByText(/Asks for: .*City to begin with/)
      .waitFor();
    await w.picture('gallery-details');
    await assertAccessible(w);
    await details().getByRole('button', { name: 'Install…' }).click();
    const { text, detail } = await w.wb.modal();
    assert.match(text, /Add the MCP server "weather-mcp" and allow it to start\?/);
    assert.match(detail, /uvx weather-mcp@1\.0\.0/);
    await w.picture('gallery-review');
    await w.wb.answerModal('Add without Testing');
    await waitFor(
      () =>
        w.host.eval(vscode => {
          const servers = vscode.workspace.getConfiguration('mcpHost').get<Record<string, unknown>>('servers');
          return servers?.['weather-mcp'] !== undefined;
        }),
      { what: 'the entry in settings' },
    );
    // The page says so at once, also of the version that is newer.
    await page.getByRole('option', { name: /Weather.*installed/ }).waitFor();
    await details().getByText('Installed as').waitFor();
    await details().getByText('weather-mcp', { exact: true }).waitFor();
    await w.picture('gallery-added');
  });

  it('says on the row what the organization refuses', async () => {
    await setAccess('none');
    await w.host.command('workbench.action.closeAllEditors');
    await w.host.command('mcpHost.browseServers');
    page = w.wb.webview();
    await option(/Weather/)
      .filter({ hasText: 'refused by a rule' })
      .click();
    const refusal = details().getByText(/would not start: your setting "chat\.mcp\.access"/);
    // Once, not for each of its ways.
    await eventually(async () => assert.equal(await refusal.count(), 1));
    await eventually(async () =>
      assert.equal(await details().getByRole('button', { name: 'Install…' }).isDisabled(), true),
    );
    await w.picture('gallery-refused');
    await setAccess(undefined);
  });

  it('says when the registry fails, and tries again', async () => {
    await setUrl(registry.url('/500'));
    await page.getByText('Try again later').waitFor();
    await page.getByText('The registry answered with HTTP 500.').waitFor();
    await w.picture('gallery-error');
    await assertAccessible(w);
    const before = registry.requests.length;
    await page.getByRole('button', { name: 'Try Again' }).click();
    await waitFor(() => registry.requests.length > before, { what: 'another request' });
    await setUrl('http://127.0.0.1:1');
    await page.getByText('Are you offline?').waitFor();
    await setUrl('');
    await page.getByRole('button', { name: 'Open Settings' }).waitFor();
    await setUrl(registry.url('/good'));
    await says('29 servers');
    await search().fill('no-such-server');
    await says('Nothing found');
    await w.picture('gallery-empty');
    await assertAccessible(w, 9);
  });

  it('passes axe in any theme, and fits a width of 300', async () => {
    await search().fill('');
    await option(/Weather/).click();
    await details().getByText('the next days').waitFor();
    await assertAccessibleInThemes(w, 'gallery-page');
    await useTheme(w, 'Dark Modern');
    await w.host.command('workbench.action.closeSidebar');
    await w.page.setViewportSize({ width: 350, height: 900 });
    const main = page.locator('main');
    await waitFor(() => main.evaluate(inPage<boolean>('main => main.clientWidth < 340')), { what: 'a narrow page' });
    await details().getByRole('button', { name: 'Back to the List' }).waitFor();
    await w.picture('gallery-narrow-details');
    await assertAccessible(w);
    await details().getByRole('button', { name: 'Back to the List' }).click();
    await option(/Weather/).waitFor();
    await w.picture('gallery-narrow-list');
    await assertAccessible(w);
    const isWide = inPage<boolean>('main => main.scrollWidth > main.clientWidth');
    await eventually(async () => assert.equal(await main.evaluate(isWide), false));
    assert.deepEqual(complaints, []);
  });
});
