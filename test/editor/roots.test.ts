import * as assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as vscode from 'vscode';
import type { DetailNode, ServerNode } from '../../src/editor/servers/serverNodes';
import { settingOf, writeRoots } from '../../src/features/roots/changeRoots';
import { SettingsFiles } from '../../src/features/settings/settingsFiles';
import type { ServerConnection } from '../../src/host';
import { waitFor } from '../servers/spawn';
import {
  allow,
  api,
  closeEditors,
  configure,
  eventually,
  fixture,
  loads,
  logged,
  raw,
  reaches,
  userSettings,
  watches,
  writeInUserSettings,
} from './window';

const folder = () => vscode.workspace.workspaceFolders![0]!;
const inside = (name: string) => join(folder().uri.fsPath, name);

async function rootRows(id: string): Promise<{ group: vscode.TreeItem; rows: vscode.TreeItem[] }> {
  const { tree, servers } = await api();
  const row = tree.getChildren().find(({ server }) => server === servers.get(id));
  const isRoots = (node: ServerNode): node is DetailNode =>
    node.type === 'detail' && node.item().contextValue === 'roots';
  const group = tree.getChildren(row).find(isRoots);
  assert.ok(group, 'there is no row for the roots');
  return { group: group.item(), rows: tree.getChildren(group).map(node => tree.getTreeItem(node)) };
}

/** The roots as the server sees them. */
async function seen(server: ServerConnection): Promise<string[]> {
  const call = { name: 'list-roots' };
  const result = await raw(server).request('ask', (client, options) => client.callTool(call, options));
  const [block] = result.content;
  assert.ok(block?.type === 'text');
  return (JSON.parse(block.text) as { uri: string }[]).map(({ uri }) => uri);
}

describe('roots', () => {
  before(() => mkdirSync(inside('shared dir'), { recursive: true }));
  after(() => rmSync(inside('shared dir'), { recursive: true, force: true }));
  afterEach(() => configure(undefined));

  it('are the workspace folder, which a row and the log say', async () => {
    await configure({ one: fixture('content') });
    const server = await loads('one');
    assert.deepEqual(await seen(server), [folder().uri.toString()]);
    const { group, rows } = await rootRows('one');
    assert.equal(group.description, '1');
    assert.deepEqual(
      rows.map(({ label }) => label),
      [folder().name],
    );
    await logged('one', /roots shared with it: file:/);
  });

  it('that are listed are shared as far as they are there and in the workspace, links resolved', async () => {
    const outside = mkdtempSync(join(tmpdir(), 'mcph-'));
    try {
      symlinkSync(outside, inside('way out'));
      symlinkSync(inside('shared dir'), inside('way in'));
      const roots = ['shared dir', '${workspaceFolder}/way in', 'way out', 'nowhere', outside, '../'];
      await configure({ one: { ...fixture('content'), roots } });
      const server = await loads('one');
      const shared = vscode.Uri.joinPath(folder().uri, 'shared dir').toString();
      assert.deepEqual(await seen(server), [shared]);
      const { rows } = await rootRows('one');
      assert.deepEqual(
        rows.map(({ description }) => /· (.*)$/.exec(String(description))?.[1]),
        [
          undefined,
          undefined,
          ...['It is outside the workspace.', 'It does not exist.'],
          ...Array(2).fill('It is outside the workspace.'),
        ],
      );
    } finally {
      for (const name of ['way out', 'way in']) rmSync(inside(name), { force: true });
      rmSync(outside, { recursive: true });
    }
  });

  it('change while the server is connected, with no restart: settings, and a folder that goes and comes back', async () => {
    await configure({ one: { ...fixture('hostile', '--roots'), roots: 'none' } });
    const server = await loads('one');
    await logged('one', /"roots": \[\]/);
    assert.equal((await rootRows('one')).group.description, 'none');
    const { state } = server;
    await configure({ one: { ...fixture('hostile', '--roots'), roots: ['shared dir'] } });
    /** What was shared so far, each after the one before. */
    const shared = (...roots: ('none' | 'the folder')[]) => {
      const lines = roots.map(root => `roots shared with it: ${root === 'none' ? 'none' : 'file:.*shared%20dir'}`);
      return logged('one', new RegExp(lines.join('[\\s\\S]*\\n.*')));
    };
    await shared('none', 'the folder');
    await watches(folder().uri.fsPath);
    renameSync(inside('shared dir'), inside('moved'));
    await shared('none', 'the folder', 'none');
    renameSync(inside('moved'), inside('shared dir'));
    await shared('none', 'the folder', 'none', 'the folder');
    assert.equal(server.state, state);
  });

  it('are written into the entry where it stands, comments kept', async () => {
    const file = vscode.Uri.joinPath(folder().uri, '.vscode', 'settings.json');
    const entry = JSON.stringify(fixture('content'));
    mkdirSync(inside('.vscode'), { recursive: true });
    await watches(inside('.vscode'));
    writeFileSync(file.fsPath, `{\n  // first\n  "mcpHost.servers": {\n    "mine": ${entry} // last\n  }\n}\n`);
    try {
      const server = await allow('mine');
      const { state } = server;
      const services = { files: new SettingsFiles() };
      const setting = settingOf([inside('shared dir')], server.definition);
      assert.deepEqual(setting, ['${workspaceFolder}/shared dir']);
      await writeRoots(services, server.definition, setting);
      await waitFor(() => Array.isArray(server.definition.entry?.roots), { what: 'the changed definition' });
      const text = (await vscode.workspace.openTextDocument(file)).getText();
      assert.match(text, /\/\/ first[\s\S]*"roots": \[\s*"\$\{workspaceFolder\}\/shared dir"\s*\][\s\S]*\/\/ last/);
      assert.deepEqual(await seen(server), [vscode.Uri.joinPath(folder().uri, 'shared dir').toString()]);
      await writeRoots(services, server.definition, settingOf([folder().uri.fsPath], server.definition));
      await waitFor(() => server.definition.entry && server.definition.entry.roots === undefined, {
        what: 'the default',
      });
      assert.equal(settingOf([], server.definition), 'none');
      // Neither a restart nor another consent.
      assert.equal(server.state, state);
      await assert.rejects(
        writeRoots(services, { ...server.definition, name: 'gone' }, 'none'),
        /"gone" was not found/,
      );
    } finally {
      // Through the editor, which still has the file open: it would refuse later writes to one that was replaced.
      await configure(undefined, vscode.ConfigurationTarget.Workspace);
      const { servers } = await api();
      await waitFor(() => !servers.get('mine'), { what: 'the server to go' });
    }
  });
});

describe('roots that settings of a workspace want to share', () => {
  const entry = (roots: unknown) => ({ mine: { ...fixture('content'), roots } });
  const write = (roots: unknown) => configure(entry(roots), vscode.ConfigurationTarget.Workspace);
  const wants = (roots: unknown) =>
    waitFor(
      async () => {
        const wanted = (await api()).servers.get('mine')?.definition.entry?.roots;
        return JSON.stringify(wanted) === JSON.stringify(roots);
      },
      { what: 'the changed definition' },
    );
  const problems = async () => (await rootRows('mine')).rows.map(({ description }) => String(description));

  const forget = async () => {
    const { consents } = (await api()).trust();
    for (const consent of consents.all) await consents.revoke(consent);
  };
  before(forget);
  afterEach(async () => {
    const { servers } = await api();
    await forget();
    await configure(undefined, vscode.ConfigurationTarget.Workspace);
    await waitFor(() => !servers.get('mine'), { what: 'the server to go' });
  });

  it('are agreed to with the launch; more are withheld until that is agreed to, or chosen by the person', async () => {
    for (const name of ['shared dir', 'other dir']) mkdirSync(inside(name), { recursive: true });
    await write(['shared dir']);
    const server = await allow('mine');
    const shared = vscode.Uri.joinPath(folder().uri, 'shared dir').toString();
    assert.deepEqual(await seen(server), [shared]);
    const { state } = server;

    await write(['shared dir', 'other dir']);
    await wants(['shared dir', 'other dir']);
    assert.deepEqual(await seen(server), [shared]);
    assert.match((await problems())[1]!, /other dir · It is withheld until you allow it\.$/);
    const { consents } = (await api()).trust();
    const review = consents.review(server.definition)!;
    assert.deepEqual([review.answer, review.newRoots], [undefined, ['other dir']]);
    await consents.allow(review);
    assert.equal((await seen(server)).length, 2);
    assert.doesNotMatch((await problems())[1]!, /withheld/);

    await write('workspace');
    await wants('workspace');
    assert.deepEqual(await seen(server), []);
    await consents.agreeToRoots(server.definition, ['*']);
    assert.deepEqual(await seen(server), [folder().uri.toString()]);
    assert.equal(server.state, state, 'no restart');
    for (const name of ['shared dir', 'other dir']) rmSync(inside(name), { recursive: true });
  });
});

describe('roots of a server of the user', () => {
  afterEach(() => configure(undefined));

  const tabs = () => vscode.window.tabGroups.all.flatMap(group => group.tabs).length;

  it('are written into the settings of the user, comments kept, and these are not left open', async () => {
    await configure({ mine: fixture('content'), other: { ...fixture('content'), disabled: true } });
    const server = await loads('mine');
    await writeInUserSettings(['"mine"', '/* first */ '], ['"other"', '// second\n']);
    const { state } = server;
    const services = { files: new SettingsFiles() };
    await writeRoots(services, server.definition, settingOf([inside('shared dir')], server.definition));
    await waitFor(() => Array.isArray(server.definition.entry?.roots), { what: 'the changed definition' });
    await waitFor(() => tabs() === 0, { what: 'the settings to be closed' });
    const document = await userSettings('"mine"');
    const text = document.getText();
    assert.match(text, /\/\* first \*\/ "mine"[\s\S]*"roots": \[\s*"\$\{workspaceFolder\}\/shared dir"/);
    assert.match(text, /\/\/ second\s*"other"/);
    assert.equal(document.isDirty, false);
    await writeRoots(services, server.definition, undefined);
    await waitFor(() => server.definition.entry && server.definition.entry.roots === undefined, {
      what: 'the default',
    });
    await waitFor(() => tabs() === 1, { what: 'nothing but what was open before' });
    assert.equal(server.state, state);
    await closeEditors();
  });

  it('are written by the editor where its file can not be had', async () => {
    await configure({ mine: fixture('content') });
    const server = await loads('mine');
    await writeRoots({ files: { documentOf: async () => undefined } }, server.definition, 'none');
    await waitFor(() => server.definition.entry?.roots === 'none', { what: 'the changed definition' });
    const gone = { ...server.definition, name: 'gone' };
    await assert.rejects(writeRoots({ files: new SettingsFiles() }, gone, 'none'), /"gone" was not found/);
    await closeEditors();
  });
});

describe('running calls', () => {
  const kept = () => join(tmpdir(), `mcph-tasks-${process.pid}.json`);
  const entry = () => ({ one: fixture('hostile', `--tasks=${kept()}`) });
  afterEach(async () => {
    await configure(undefined);
    rmSync(kept(), { force: true });
  });

  const running = async (): Promise<DetailNode[]> => {
    const { tree, servers } = await api();
    const row = tree.getChildren().find(({ server }) => server === servers.get('one'));
    const isRunning = (node: ServerNode): node is DetailNode =>
      node.type === 'detail' && node.item().contextValue === 'running';
    const group = tree.getChildren(row).find(isRunning);
    return group ? (tree.getChildren(group) as DetailNode[]) : [];
  };
  const shows = (what: string, matches: (item: vscode.TreeItem) => boolean) =>
    waitFor(async () => (await running()).find(node => matches(node.item())), { what });

  it('have a row with what the server says and a way to cancel', async () => {
    await configure(entry());
    const server = await loads('one');
    const tool = server.catalog.tools.find(({ name }) => name === 'required')!;
    const { calls } = (await api()).trust();
    const call = await calls.approve({ server, tool, args: { end: 'never' }, origin: 'palette' }, async () => ({
      answer: 'allow',
    }));
    assert.ok(call.approved);
    const made = call.run();
    made.catch(() => undefined);
    const row = await shows('the row', ({ description }) => /^\d+ s · it is working$/.test(String(description)));
    assert.equal(row.item().contextValue, 'call.running');
    await vscode.commands.executeCommand('mcpHost.cancelCall', row);
    await assert.rejects(made, { code: 'CANCELLED' });
    await waitFor(async () => (await running()).length === 0, { what: 'the row to go' });
    await logged('one', /cancelled task-/);
    const { workspaceState } = (await api()).context;
    await eventually(() => assert.deepEqual(workspaceState.get('tasks'), []));
  });

  it('that an earlier window has left are followed, and their results are opened from their rows', async () => {
    const { context, servers } = await api();
    await configure(entry());
    const server = await loads('one');
    const tool = server.catalog.tools.find(({ name }) => name === 'required')!;
    let taskId = '';
    const lost = raw(server).callTool(tool, { ms: 1_500, end: 'never' }, { onTask: id => (taskId = id) });
    lost.catch(() => undefined);
    await waitFor(() => taskId, { what: 'the task' });
    const { fingerprint } = server.definition;
    const tasks = [
      { serverId: 'one', fingerprint, tool: 'required', taskId, startedAt: Date.now() },
      { serverId: 'one', fingerprint, tool: 'required', taskId: 'task-gone', startedAt: Date.now() },
    ];
    await server.stop('the window is closed');
    await assert.rejects(lost, { code: 'CLOSED' });
    await context.workspaceState.update('tasks', tasks);
    await servers.get('one')!.start('the window is open again');
    await reaches('one', 'ready');
    await shows('the running row', ({ contextValue }) => contextValue === 'call.running');
    // It ends when that was seen, however long that takes.
    const text = readFileSync(kept(), 'utf8').replace(/,"end":"never"/, '');
    writeFileSync(`${kept()}.new`, text);
    renameSync(`${kept()}.new`, kept());
    const ended = await shows('the ended row', ({ contextValue }) => contextValue === 'call.ended');
    await eventually(() => assert.deepEqual(context.workspaceState.get('tasks'), []));
    await vscode.commands.executeCommand('mcpHost.openCallResult', ended);
    const document = vscode.window.activeTextEditor?.document;
    assert.equal(document?.uri.scheme, 'mcp-result');
    assert.match(document?.getText() ?? '', /not kept over the reload[\s\S]*"ms": ?1500|1500/);
    await waitFor(async () => (await running()).length === 0, { what: 'the row to go' });
    await closeEditors();
  });
});
