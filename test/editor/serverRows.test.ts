import * as assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { statusOf } from '../../src/features/servers/status';
import { startHttpFixture, waitFor } from '../servers/spawn';
import { api, configure, fixture, loads, reaches } from './window';

/** Sets one of our settings for this window; undefined removes it. */
const set = (key: string, value: unknown) =>
  vscode.workspace.getConfiguration('mcpHost').update(key, value, vscode.ConfigurationTarget.Global);

async function rowOf(id: string): Promise<{ item: vscode.TreeItem; tooltip: () => string }> {
  const { tree } = await api();
  const node = tree.getChildren().find(({ server }) => server.id === id);
  assert.ok(node, `${id} has no row`);
  const item = tree.getTreeItem(node);
  const tooltip = () => {
    const { value } = tree.resolveTreeItem(item, node).tooltip as vscode.MarkdownString;
    return value.replace(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code)));
  };
  return { item, tooltip };
}

describe('the row of a server', () => {
  afterEach(async () => {
    await set('start', undefined);
    await configure(undefined);
  });

  it('says that it starts when it is used, and its first use starts it', async () => {
    await set('start', 'onDemand');
    await configure({ one: fixture('hostile') });
    const server = await reaches('one', 'stopped');
    const { item } = await rowOf('one');
    assert.equal(item.description, 'starts on first use');
    assert.equal(item.accessibilityInformation?.label, 'one, starts on first use');
    assert.equal((await server.readResource('hostile://notes/readme.md')).contents.length, 1);
    await loads('one');
  });

  it('changes with the setting at once; a running server goes on', async () => {
    await set('start', 'never');
    await configure({ one: fixture('hostile'), two: { ...fixture('hostile'), start: 'onStartup' } });
    const { state } = await reaches('two', 'ready');
    assert.equal((await rowOf('one')).item.description, 'stopped');
    await set('start', 'onDemand');
    await waitFor(async () => (await rowOf('one')).item.description === 'starts on first use', { what: 'the row' });
    await set('start', 'onStartup');
    await reaches('one', 'ready');
    assert.equal((await reaches('two', 'ready')).state, state);
  });

  it('has a tooltip with health, restarts and the last end, built when it is shown', async () => {
    await configure({ one: fixture('hostile') });
    const server = await loads('one');
    const { item, tooltip } = await rowOf('one');
    assert.equal(item.tooltip, undefined);
    assert.match(tooltip(), /one: ready.*Process \d+.*Last response \d/s);
    assert.doesNotMatch(tooltip(), /Restarted automatically|Last process/);
    assert.ok(server.state.kind === 'ready');
    process.kill(server.state.pid!, 'SIGKILL');
    await reaches('one', 'reconnecting');
    await loads('one');
    assert.match((await rowOf('one')).tooltip(), /Restarted automatically once.*Last process ended by SIGKILL at \d/s);
  });
});

describe('what a server says of itself', () => {
  afterEach(() => configure(undefined));

  it('is in its tooltip: its description and its website, as text', async () => {
    await configure({ one: fixture('hostile', '--icons=https://example.com/a?[x](command:y)') });
    await loads('one');
    const { tooltip } = await rowOf('one');
    assert.match(
      tooltip(),
      /A server that says much of itself\s+Website: https:\/\/example\.com\/a\?\[x\]\(command:y\)/,
    );
  });

  it('can be an icon, if its bytes are the image that it says they are, in the message or at its own origin', async () => {
    await configure({ one: fixture('hostile', '--icons=https://example.com/') });
    await loads('one');
    const { tree, servers } = await api();
    const row = tree.getChildren().find(({ server }) => server === servers.get('one'));
    const tools = tree.getChildren(row).find(node => node.type === 'list' && node.kind === 'tools');
    const icons = tree
      .getChildren(tools)
      .map(node => tree.getTreeItem(node))
      .map(({ label, iconPath }) => [
        label,
        iconPath instanceof vscode.Uri ? iconPath.toString(true).slice(0, 16) : 'ours',
      ]);
    assert.deepEqual(icons.slice(-6), [
      ['jpg', 'data:image/jpeg;'],
      ...['lying', 'page', 'elsewhere', 'file', 'script'].map(name => [name, 'ours']),
    ]);
  });

  it('can be a website, which is opened only after a review of where it leads', async () => {
    const { askWebsite } = await import('../../src/features/elicitation/urlDialog');
    const opened: string[] = [];
    const open = async (href: string) => opened.push(href) > 0;
    const asked: string[] = [];
    const original = vscode.window.showWarningMessage;
    try {
      Object.assign(vscode.window, {
        showWarningMessage: async (message: string, options?: { detail?: string }) => {
          asked.push(`${message} ${options?.detail ?? ''}`);
          return asked.length === 1 ? undefined : 'Open';
        },
      });
      await askWebsite({ name: 'one' }, 'https://exаmple.com/x', open);
      assert.match(asked[0]!, /Open the website of MCP server "one", a page of xn--exmple-\S+\?.*xn--/s);
      assert.deepEqual(opened, []);
      await askWebsite({ name: 'one' }, 'https://example.com/x', open);
      assert.deepEqual(opened, ['https://example.com/x']);
      for (const bad of [
        'javascript:alert(1)',
        'file:///etc/passwd',
        'nonsense',
        `https://example.com/${'x'.repeat(1_000)}`,
      ])
        await askWebsite({ name: 'one' }, bad, open);
      assert.equal(opened.length, 1);
      assert.match(asked.at(-1)!, /is not opened: the address has more than 1000 characters/);
    } finally {
      Object.assign(vscode.window, { showWarningMessage: original });
    }
  });
});

describe('the status bar', () => {
  afterEach(() => configure(undefined));

  it('counts what is ready, what fails and what waits for a person, in icons and in words', async () => {
    const http = await startHttpFixture();
    try {
      await configure({
        good: fixture('hostile'),
        bad: fixture('hostile', '--exit-at-start=3'),
        'sign in': { url: http.url('/401') },
      });
      await Promise.all([reaches('good', 'ready'), reaches('bad', 'failed'), reaches('sign in', 'needsAuth')]);
      const { servers } = await api();
      const status = statusOf(servers.all);
      assert.equal(status.text, '$(plug) 1 $(error) 1 $(key) 1');
      assert.equal(status.label, 'MCP servers: 1 ready, 1 failed, 1 waiting for sign-in');
      assert.deepEqual(status.tooltip.split('\n').slice(1), [
        'good: ready',
        'bad: failed',
        'sign in: sign-in required',
      ]);
      assert.ok(status.isWarning);
      const row = (await rowOf('sign in')).item;
      assert.equal((row.iconPath as vscode.ThemeIcon).id, 'key');
      assert.equal(row.accessibilityInformation?.label, 'sign in, sign-in required');
    } finally {
      await http.stop();
    }
  });

  it('shows no more than what is ready when all is well', async () => {
    await configure({ good: fixture('hostile') });
    await reaches('good', 'ready');
    const { servers } = await api();
    assert.deepEqual(statusOf(servers.all), {
      text: '$(plug) 1',
      tooltip: 'MCP servers: 1 ready, 0 failed\ngood: ready',
      label: 'MCP servers: 1 ready, 0 failed',
      isWarning: false,
    });
  });
});
