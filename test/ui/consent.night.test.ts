import * as assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { useTheme } from '../drivers/accessibility';
import { attemptMs, eventually, persist } from '../drivers/dom';
import { answerNotification, closeNotification } from '../drivers/notifications';
import { openWorkbench, type Workbench } from '../drivers/workbench';
import { fixturePath } from '../servers/spawn';
import { onlyWhereConfined } from '../unit/host/sandbox/confined';

type Servers = Record<string, object>;

const hostile = (...flags: string[]) => ({
  command: process.execPath,
  args: [fixturePath('hostile'), ...flags],
  env: { API_TOKEN: 'very-secret', NODE_OPTIONS: '--no-warnings' },
});

/** Writes the servers of the workspace, as a change in its repository would. */
const write = (w: Workbench, servers: Servers) =>
  w.host.eval(
    (vscode, value) =>
      vscode.workspace.getConfiguration('mcpHost').update('servers', value, vscode.ConfigurationTarget.Workspace),
    servers,
  );

const rowIs = async (w: Workbench, label: string, description: RegExp) => {
  const row = w.wb.tree('Servers').row(label).filter({ hasText: description });
  await row.waitFor();
};

describe('consent to workspace launches', () => {
  let w: Workbench;
  before(async () => {
    w = await openWorkbench({ workspace: 'editor' });
    await w.wb.viewContainer('MCP');
  });
  after(() => w?.close());

  it('is requested in the row and by one notification, never by a dialog @consent.requested-row', async () => {
    await write(w, { weather: hostile() });
    await rowIs(w, 'weather', /needs approval to start/);
    const notification = 'MCP server "weather" needs your approval to start.';
    await w.wb.notification(notification);
    await eventually(async () => assert.equal(await w.wb.dialog.count(), 0));
    await w.picture('consent-row');
    await answerNotification(w, notification, 'Review');
    const { text, detail, buttons } = await w.wb.modal();
    assert.equal(text, 'Allow the MCP server "weather" to start?');
    for (const part of [
      process.execPath,
      fixturePath('hostile'),
      'API_TOKEN = •••',
      'NODE_OPTIONS = --no-warnings\n    ⚠ It can make programs load and run other code.',
      'settings.json',
      'This program runs with your permissions.',
    ])
      assert.ok(detail.includes(part), `${part} in ${detail}`);
    assert.ok(!detail.includes('very-secret'));
    assert.deepEqual(buttons.toSorted(), ['Allow', 'Deny', 'Not Now', 'Open Settings']);
    await w.picture('consent-warned-variable');
  });

  it('is not given by Escape @consent.given-escape', async () => {
    await w.wb.dismiss(w.wb.dialog);
    await rowIs(w, 'weather', /needs approval to start/);
  });

  it('given by Allow starts the server immediately @consent.given-allow-starts', async () => {
    await w.wb.tree('Servers').action('weather', 'Review Server…');
    await w.wb.answerModal('Allow');
    await rowIs(w, 'weather', /tools/);
  });

  it('is requested again after a change, with a diff against the allowed launch @consent.requested-change-diff', async () => {
    const changed = { ...hostile('--tools=3'), env: { API_TOKEN: 'another', NODE_OPTIONS: '--no-warnings' } };
    await write(w, { weather: changed });
    await rowIs(w, 'weather', /changed since you allowed it/);
    await w.wb.tree('Servers').action('weather', 'Review Server…');
    const { detail } = await w.wb.modal();
    assert.match(detail, /\+ Argument: --tools=3/);
    assert.match(detail, /± Environment: API_TOKEN = ••• \(another value\)/);
    assert.ok(!/another"|very-secret/.test(detail));
    await w.picture('consent-changed');
    await w.wb.answerModal('Show Changes');
    await w.wb.tab('weather: allowed before ↔ now').waitFor();
    const line = w.page.locator('.editor.modified .view-line', { hasText: '(changed)' });
    await line.waitFor();
    await eventually(async () =>
      assert.match((await line.innerText()).replaceAll('\u00a0', ' '), /API_TOKEN = ••• {2}\(changed\)/),
    );
    await w.picture('consent-diff');
    await answerNotification(w, 'Allow the MCP server "weather" to start?', 'Deny');
    await rowIs(w, 'weather', /you denied it/);
  });

  it('shows what is too long for a dialog on a page, and can be given only at its end @consent.shows-too-long', async () => {
    const evil = `${'x'.repeat(3_000)}; touch evil`;
    await write(w, { weather: hostile(evil) });
    await rowIs(w, 'weather', /changed since you allowed it/);
    await w.wb.tree('Servers').action('weather', 'Review Server…');
    const page = w.wb.webview();
    await page.locator('.end').scrollIntoViewIfNeeded();
    const rows = page.locator('.text');
    await eventually(async () => assert.ok((await rows.allTextContents()).join('').includes(evil)));
    const allow = page.getByRole('button', { name: 'Allow', exact: true });
    await eventually(async () => assert.equal(await allow.count(), 1));
    await allow.scrollIntoViewIfNeeded();
    await w.picture('consent-whole');
    await page.getByRole('button', { name: 'Deny', exact: true }).last().click();
    await rowIs(w, 'weather', /you denied it/);
  });

  it('is neither given nor lost when the window is reloaded while its page is open', async () => {
    await write(w, { weather: hostile(`${'y'.repeat(3_000)}; touch evil`) });
    await rowIs(w, 'weather', /changed since you allowed it/);
    await w.wb.tree('Servers').action('weather', 'Review Server…');
    const page = w.wb.webview();
    await page.locator('.end').scrollIntoViewIfNeeded();
    await page.getByRole('button', { name: 'Allow', exact: true }).waitFor();
    const pages = w.page.locator('.part.editor .tab[data-resource-name^=webview]');
    await eventually(async () => assert.equal(await pages.count(), 1));
    await w.reload();
    await w.wb.viewContainer('MCP');
    await rowIs(w, 'weather', /changed since you allowed it/);
    // Nobody would hear its buttons any more.
    await eventually(async () => assert.equal(await pages.count(), 0));
    await w.picture('consent-reloaded');
    await w.wb.tree('Servers').action('weather', 'Review Server…');
    await page.locator('.end').scrollIntoViewIfNeeded();
    await page.getByRole('button', { name: 'Deny', exact: true }).last().click();
    await rowIs(w, 'weather', /you denied it/);
  });

  it('can be revoked in a list, which stops the server', async () => {
    await write(w, { weather: hostile() });
    await rowIs(w, 'weather', /you denied it|needs approval|tools/);
    await w.wb.tree('Servers').row('weather').waitFor();
    await write(w, { gone: hostile() });
    await rowIs(w, 'gone', /needs approval to start/);
    await w.wb.tree('Servers').action('gone', 'Review Server…');
    await w.wb.answerModal('Allow');
    await rowIs(w, 'gone', /tools/);
    await w.wb.chooseInContextMenu(w.wb.tree('Servers').row('gone'), 'Manage Trust…');
    await w.wb.quickRow('Consent to start').waitFor();
    await w.picture('consent-manage');
    await w.wb.quickAction('Consent to start', 'Revoke');
    await w.wb.dismiss();
    await rowIs(w, 'gone', /needs approval to start/);
  });

  it('names the fetched package with version and maker, and Pin Version writes the version into settings', async () => {
    const at = join(w.folder, 'cache', '_npx', 'abc');
    mkdirSync(join(at, 'node_modules', '@acme', 'notes'), { recursive: true });
    writeFileSync(join(at, 'package.json'), JSON.stringify({ _npx: { packages: ['@acme/notes'] } }));
    const manifest = { name: '@acme/notes', version: '2.0.1', author: 'Acme Inc.' };
    writeFileSync(join(at, 'node_modules', '@acme', 'notes', 'package.json'), JSON.stringify(manifest));
    const entry = { command: 'npx', args: ['-y', '@acme/notes'], env: { npm_config_cache: join(w.folder, 'cache') } };
    await write(w, { fetched: entry });
    await rowIs(w, 'fetched', /needs approval to start/);
    await w.wb.tree('Servers').action('fetched', 'Review Server…');
    const { detail } = await w.wb.modal();
    assert.match(
      detail,
      /Fetches:\n {2}@acme\/notes, without a fixed version\n {4}fetched before: 2\.0\.1, by Acme Inc\. \(so the package says\)/,
    );
    await useTheme(w, 'Dark Modern', false);
    await w.picture('consent-package');
    await useTheme(w, 'Default Light Modern', false);
    await w.picture('consent-package-light');
    await w.wb.answerModal('Not Now');
    const row = w.wb.tree('Servers').row('fetched').first();
    await w.wb.chooseInContextMenu(row, 'Open Server Settings');
    await w.page.locator('.squiggly-info').first().waitFor();
    await w.picture('package-hint-light');
    await useTheme(w, 'Dark Modern', false);
    await w.picture('package-hint');
    await w.wb.chooseInContextMenu(row, 'Pin Version');
    await w.wb.notification('MCP server "fetched" is pinned: @acme/notes 2.0.1');
    await w.page.locator('.squiggly-info').first().waitFor({ state: 'hidden' });
    assert.match(readFileSync(join(w.folder, '.vscode', 'settings.json'), 'utf8'), /"@acme\/notes@2\.0\.1"/);
    await w.picture('package-pinned');
  });
});

describe('ten servers of a workspace that wait for consent', () => {
  const names = Array.from({ length: 10 }, (_, index) => `server ${index}`);
  let w: Workbench;
  before(async () => {
    w = await openWorkbench({ workspace: 'editor' });
    await w.wb.viewContainer('MCP');
  });
  after(() => w?.close());

  it('share one notification and one list with none checked; unchecked ones keep waiting @consent.share-notification-list', async () => {
    await write(w, Object.fromEntries(names.map(name => [name, { command: 'node', args: [fixturePath('hostile')] }])));
    const notification = '10 MCP servers need your approval to start.';
    await w.wb.notification(notification);
    await eventually(async () => assert.equal(await w.wb.notifications.count(), 1));
    await eventually(async () => assert.equal(await w.wb.dialog.count(), 0));
    await answerNotification(w, notification, 'Review');
    await w.wb.quickRow('server 0').waitFor();
    await eventually(async () =>
      assert.equal(await w.wb.quickInput.locator('.monaco-list-row .monaco-checkbox.checked').count(), 0),
    );
    await w.picture('consent-list');
    await w.wb.pickMany(['server 1', 'server 3']);
    const { text, detail } = await w.wb.modal();
    assert.equal(text, 'Allow these 2 MCP servers to start?');
    assert.ok(detail.includes('server 1') && detail.includes('server 3') && !detail.includes('server 0'));
    await w.picture('consent-list-modal');
    await w.wb.answerModal('Allow');
    await rowIs(w, 'server 1', /tools/);
    await rowIs(w, 'server 3', /tools/);
    await rowIs(w, 'server 0', /needs approval to start/);
  });

  it('can be looked at one by one from the list', async () => {
    w.host.command('mcpHost.reviewServer').catch(() => undefined);
    await w.wb.quickAction('server 5', 'Review');
    assert.equal((await w.wb.modal()).text, 'Allow the MCP server "server 5" to start?');
    await w.wb.answerModal('Deny');
    await w.wb.quickRow('server 4').waitFor();
    await eventually(async () => assert.equal(await w.wb.quickRow('server 5').count(), 0));
    await w.wb.dismiss();
    await rowIs(w, 'server 5', /you denied it/);
  });

  describe('consent to a confined server', () => {
    // In a root, which it only reads.
    let wish: string;
    const wishes = 'Wants to write in editor/';
    before(onlyWhereConfined);
    before(() => {
      wish = join(w.folder, 'wish.txt');
    });

    it('lists in three lines what it can touch', async () => {
      writeFileSync(wish, 'as it was');
      const sandbox = { network: ['api.example.com'] };
      const flags = [`--writes=${wish}`, '--reaches=never.invalid,also.invalid,third.invalid'];
      await write(w, { confined: { ...hostile(...flags), sandbox } });
      await rowIs(w, 'confined', /needs approval to start/);
      await w.wb.tree('Servers').action('confined', 'Review Server…');
      const { detail } = await w.wb.modal();
      for (const line of [
        /Files: reads .*; changes none of your files/,
        /Network: .*api\.example\.com; you are asked about others/,
        /Environment: basic/,
      ])
        assert.match(detail, line);
      await w.picture('consent-confined');
      await w.wb.answerModal('Allow');
      await rowIs(w, 'confined', /tools/);
    });

    it('asks about a host while the connection waits, and about the next after an answer', async () => {
      const tree = w.wb.tree('Servers');
      await tree.expand('confined');
      const first = '"confined" is confined and wants to reach never.invalid.';
      await w.wb.notification(first);
      await w.picture('sandbox-host');
      await answerNotification(w, first, 'Allow Host');
      // Closed: nothing more is asked, and rows tell of the rest.
      await closeNotification(w, '"confined" is confined and wants to reach also.invalid.');
      await tree.row('Wanted to reach also.invalid').waitFor();
      await tree.row('Wanted to reach third.invalid').waitFor();
      // It was let through without a new start.
      await tree.row('never.invalid').first().waitFor();
    });

    it('is followed by a row for blocked attempts, and by one question about the folder that it wants to write in', async () => {
      const tree = w.wb.tree('Servers');
      await w.wb.notification('"confined" is confined and wants to write in editor/. It restarts if you allow that.');
      await tree.expand('confined');
      await rowIs(w, 'Confined', /3 blocked/);
      // The list has also those that are no longer seen.
      await w.host.command('notifications.showList');
      const listed = w.page.locator('.notifications-center .notification-list-item');
      await eventually(async () =>
        assert.equal(await listed.filter({ hasText: 'is confined and wants to write in', visible: true }).count(), 1),
      );
      await w.host.command('notifications.hideList');
      await persist(async () => {
        // Rows are drawn anew while it tries again.
        if (!(await w.wb.quickInput.isVisible())) await tree.row(wishes).click({ timeout: attemptMs });
        await w.wb.quickRow('Allow').waitFor({ timeout: attemptMs });
      }, 'the choices');
      for (const choice of ['Allow This Folder', 'Keep Blocked']) await w.wb.quickRow(choice).waitFor();
      await w.picture('sandbox-choice');
      await w.wb.dismiss();
      await w.picture('sandbox-blocked');
      await tree.action(wishes, 'Change Sandbox…');
      await w.wb.pick('Keep Blocked');
      await rowIs(w, wishes, /wish\.txt, stays blocked/);
      await rowIs(w, 'Confined', /2 blocked/);
      assert.equal(readFileSync(wish, 'utf8'), 'as it was');
    });

    it('is requested again after the entry changed as a diff showed @consent.requested-entry-changed', async () => {
      await w.wb.tree('Servers').action('Wanted to reach also.invalid', 'Change Sandbox…');
      await w.wb.pick('Allow');
      await w.wb.tab('confined: its entry, before ↔ proposed').waitFor();
      const added = w.page.locator('.editor.modified .view-line', { hasText: 'also.invalid"' });
      await added.waitFor();
      await w.picture('sandbox-diff');
      await answerNotification(w, 'Change what "confined" may do as shown?', 'Allow');
      await w.host.until(vscode => {
        const servers = vscode.workspace
          .getConfiguration('mcpHost')
          .get<Record<string, { sandbox?: object }>>('servers');
        return JSON.stringify(servers?.confined?.sandbox) === '{"network":["api.example.com","also.invalid"]}';
      });
      await rowIs(w, 'confined', /changed since you allowed it/);
      await w.wb.tree('Servers').action('confined', 'Review Server…');
      await w.wb.answerModal('Allow');
      await rowIs(w, 'Confined', /1 blocked/);
    });

    it('can watch it, and then proposes everything that is missing at once', async () => {
      await w.wb.command('MCP Host: Change Sandbox…');
      await w.wb.pick('Watch What It Needs…');
      const { detail } = await w.wb.modal();
      assert.match(detail, /Until you stop watching, it can reach every host/);
      await w.wb.answerModal('Watch');
      await rowIs(w, 'Confined', /watched, 1 blocked/);
      await w.picture('sandbox-watched');
      await answerNotification(w, 'Watching what "confined" needs.', 'Propose Rules');
      await w.page.locator('.editor.modified .view-line', { hasText: 'third.invalid"' }).first().waitFor();
      await answerNotification(w, 'Change what "confined" may do as shown?', 'Allow');
      await w.host.until(vscode => {
        const servers = vscode.workspace
          .getConfiguration('mcpHost')
          .get<Record<string, { sandbox?: object }>>('servers');
        const wanted = '{"network":["api.example.com","also.invalid","third.invalid"]}';
        return JSON.stringify(servers?.confined?.sandbox) === wanted;
      });
      await rowIs(w, 'confined', /changed since you allowed it/);
    });
  });
});

describe('a confined server that cannot find its own files', () => {
  let w: Workbench;
  let folder: string;
  before(onlyWhereConfined);
  before(async () => {
    folder = mkdtempSync('/tmp/mcp-host-hidden-');
    const program = join(folder, 'node_modules/files/index.js');
    mkdirSync(dirname(program), { recursive: true });
    writeFileSync(program, `require(${JSON.stringify(fixturePath('hostile'))})`);
    const hidden = { command: 'sh', args: ['-c', `exec node ${program}`], sandbox: true };
    const { env: _, ...ready } = hostile();
    const servers = { hidden, ready: { ...ready, sandbox: true } };
    w = await openWorkbench({ workspace: 'editor', settings: { 'mcpHost.servers': servers } });
    await w.wb.viewContainer('MCP');
  });
  after(() => w?.close());
  after(() => folder && rmSync(folder, { recursive: true, force: true }));

  it('says so in its row, and offers to open the place; a ready one says that it is confined', async () => {
    await rowIs(w, 'ready', /confined · \d+ tools?/);
    await rowIs(w, 'hidden', /is confined, with a \/tmp of its own, and wanted \/tmp\/mcp-host-hidden-/);
    await w.wb.tree('Servers').expand('hidden');
    await w.wb.tree('Servers').row(`Allow to Read ${folder}/node_modules…`).click();
    await w.wb.tab('hidden: its entry, before ↔ proposed').waitFor();
    await w.picture('sandbox-hidden-files');
    await closeNotification(w, 'Change what "hidden" may do as shown?');
  });

  it('runs unconfined once, after a question', async () => {
    await w.wb.tree('Servers').row('Run Unconfined Once…').click();
    const { detail } = await w.wb.modal();
    assert.match(detail, /It is confined again at its next start\./);
    await w.wb.answerModal('Run Unconfined Once');
    await rowIs(w, 'hidden', /tools? .*template$/);
    await w.picture('sandbox-ran-free');
  });
});

describe('a workspace that becomes trusted', () => {
  let w: Workbench;
  before(async () => {
    const settings = {
      'security.workspace.trust.enabled': true,
      'security.workspace.trust.startupPrompt': 'never',
      'mcpHost.servers': { mine: { ...hostile(), cwd: '${workspaceFolder}' } },
    };
    const env = { TEST_NODE: process.execPath };
    w = await openWorkbench({ workspace: 'untrusted', settings, env });
    await w.wb.viewContainer('MCP');
  });
  after(() => w?.close());

  it('brings its servers without a reload, to consent; waiting servers of the user start', async () => {
    await rowIs(w, 'mine', /uses \$\{workspaceFolder\}, which depends on/);
    await eventually(async () => assert.equal(await w.wb.tree('Servers').row('evil').count(), 0));
    await w.picture('untrusted-user-server');
    await w.wb.tree('Servers').action('mine', 'Review Server…');
    await w.page.getByRole('button', { name: 'Trust', exact: true }).click();
    await rowIs(w, 'mine', /tools/);
    await rowIs(w, 'evil', /needs approval to start/);
    assert.ok(!existsSync(join(w.folder, 'evil')));
    await w.picture('trusted-waits-for-consent');
  });
});
