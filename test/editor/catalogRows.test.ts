import * as assert from 'node:assert/strict';
import * as vscode from 'vscode';
import type { ServerNode } from '../../src/editor/serverRows';
import { ResourcesTree } from '../../src/features/resources/resourcesTree';
import { waitFor } from '../servers/spawn';
import { api, configure, fixture, loads, nothingWatched, reaches } from './window';

/** A row and what is below it: what a person sees when all is expanded. */
interface Row {
  text: string;
  item: vscode.TreeItem;
  children: Row[];
}

function rowsOf<N>(tree: vscode.TreeDataProvider<N>, node?: N): Row[] {
  return (tree.getChildren(node) as N[]).map(child => {
    const item = tree.getTreeItem(child) as vscode.TreeItem;
    const text = [item.label, item.description].filter(Boolean).join(' | ');
    return { text, item, children: rowsOf(tree, child) };
  });
}

async function serverRow(id: string): Promise<Row> {
  const { tree } = await api();
  return rowsOf<ServerNode>(tree).find(({ item }) => item.id === id)!;
}

const colorOf = ({ item }: Row) => (item.iconPath as vscode.ThemeIcon).color?.id;
const list = (server: Row, label: string) => server.children.find(({ item }) => item.label === label)!;

describe('rows of catalog lists', () => {
  afterEach(() => configure(undefined));

  it('name what was left out and why, beside the good items', async () => {
    await configure({ bad: fixture('hostile', '--bad-items', '--duplicate-tools', '--wrong-cursor') });
    await loads('bad');
    const rows = list(await serverRow('bad'), 'Tools').children.map(({ text }) => text);
    for (const row of [
      'bad was skipped: its input schema takes no object',
      'An item was skipped: it is null, not an object',
      'An item was skipped: the cursor of the next page is a number, not a string',
      'echo was skipped: it has the same name as another tool in the list',
    ]) {
      assert.ok(rows.includes(row), `${row} is missing in:\n${rows.join('\n')}`);
    }
    assert.deepEqual(
      rows.filter(row => !row.includes('skipped')).map(row => row.split(' | ')[0]),
      ['Echo', 'Wait', 'Log'],
    );
  });

  it('of one very long list are the first 5,000, and one that says how many more there are', async () => {
    await configure({ many: fixture('hostile', '--resources=7000', '--page-size=7000') });
    await loads('many');
    const rows = list(await serverRow('many'), 'Resources').children;
    assert.equal(rows.length, 5_001);
    assert.ok(rows.slice(0, 5_000).every(({ item }) => item.tooltip === undefined));
    assert.match(rows.at(-1)!.text, /^2,\d+ more rows are not shown here\./);
  });

  it('of many resources end with "Load more…", which loads the next page', async () => {
    await configure({ many: fixture('hostile', '--resources=2600', '--page-size=300') });
    const server = await loads('many');
    const tree = new ResourcesTree((await api()).servers, { watched: nothingWatched });
    const last = () => rowsOf(tree)[0]!.children.at(-1)!;
    try {
      for (const count of ['1200+', '2400+']) {
        assert.equal(rowsOf(tree)[0]!.text, `many | ${count}`);
        assert.equal(list(await serverRow('many'), 'Resources').text, `Resources | ${count}`);
        assert.equal(last().text, 'Load more…');
        const { command, arguments: args = [] } = last().item.command!;
        await vscode.commands.executeCommand(command, ...args);
      }
      assert.equal(rowsOf(tree)[0]!.text, 'many | 2600');
      assert.notEqual(last().text, 'Load more…');
      assert.equal(server.catalog.resources.length, 2_600);
    } finally {
      tree.dispose();
    }
  });

  it('are grey while the server is not running, without menus to run them', async () => {
    await configure({ one: fixture('hostile') });
    const server = await loads('one');
    const live = await serverRow('one');
    assert.equal(list(live, 'Tools').text, 'Tools | 3');
    assert.deepEqual(
      [colorOf(list(live, 'Tools')), list(live, 'Tools').children[0]!.item.contextValue],
      [undefined, 'tools'],
    );
    await server.stop('a test');
    await assertGrey('one');
    const tree = new ResourcesTree((await api()).servers, { watched: nothingWatched });
    try {
      assert.equal(rowsOf(tree).find(({ item }) => item.id === 'one')!.text, 'one | 2 · from last time');
    } finally {
      tree.dispose();
    }
    await server.start('a test');
    await loads('one');
    assert.equal(list(await serverRow('one'), 'Tools').text, 'Tools | 3');
  });

  it('of an earlier session are shown before the server is running', async () => {
    await configure({ one: fixture('hostile') });
    await loads('one');
    await configure(undefined);
    const { servers } = await api();
    await waitFor(() => servers.get('one') === undefined, { what: 'the server to be removed' });
    await configure({ one: { ...fixture('hostile'), enabled: false } });
    const server = await reaches('one', 'stopped');
    await waitFor(() => server.catalog.list('tools').status === 'cached', { what: 'the tools of the earlier session' });
    await assertGrey('one');
    assert.deepEqual(server.catalog.tools, []);
  });

  async function assertGrey(id: string): Promise<void> {
    const row = await serverRow(id);
    assert.equal(row.item.collapsibleState, vscode.TreeItemCollapsibleState.Collapsed);
    const tools = list(row, 'Tools');
    assert.equal(tools.text, 'Tools | 3 · from last time');
    assert.equal(colorOf(tools), 'disabledForeground');
    assert.equal(tools.children.length, 3);
    for (const tool of tools.children) {
      assert.equal(colorOf(tool), 'disabledForeground');
      assert.equal(tool.item.contextValue, 'tools.cached');
    }
  }
});
