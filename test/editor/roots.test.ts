import * as assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as vscode from 'vscode';
import type { DetailNode, ServerNode } from '../../src/editor/serverRows';
import { settingOf, writeRoots } from '../../src/features/roots/changeRoots';
import { SettingsFiles } from '../../src/features/settings/settingsFiles';
import type { ServerConnection } from '../../src/host';
import { waitFor } from '../servers/spawn';
import { allow, api, closeEditors, configure, fixture, loads, logged, raw, watches } from './window';

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

  it('are the workspace folder, as a row and the log show', async () => {
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

  it('listed in settings are shared if they exist in the workspace, with links resolved @roots.listed-settings-shared', async () => {
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

  it('change while the server is connected, without a restart: by settings, and by folders removed and added @roots.change-server-connected', async () => {
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

  it('are written into the entry in place, with comments kept', async () => {
    const file = vscode.Uri.joinPath(folder().uri, '.vscode', 'settings.json');
    const entry = JSON.stringify(fixture('content'));
    mkdirSync(inside('.vscode'), { recursive: true });
    await watches(inside('.vscode'));
    writeFileSync(file.fsPath, `{\n  // first\n  "mcpHost.servers": {\n    "mine": ${entry} // last\n  }\n}\n`);
    try {
      const server = await allow('mine');
      const { state } = server;
      const services = { files: new SettingsFiles(vscode.Uri.file('/nowhere')) };
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

describe('roots shared by workspace settings', () => {
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

  it('are part of the consent to launch; more of them are withheld until agreed to, or chosen by the person @roots.part-consent-launch', async () => {
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

// How the user settings are written in place, `manageServers` proves.
describe('roots of a server of the user', () => {
  afterEach(() => configure(undefined));

  it('are written by an editor where the file is not accessible', async () => {
    await configure({ mine: fixture('content') });
    const server = await loads('mine');
    await writeRoots(
      { files: { documentOf: async () => undefined, userSettingsWith: async () => undefined } },
      server.definition,
      'none',
    );
    await waitFor(() => server.definition.entry?.roots === 'none', { what: 'the changed definition' });
    const gone = { ...server.definition, name: 'gone' };
    await assert.rejects(
      writeRoots({ files: new SettingsFiles(vscode.Uri.file('/nowhere')) }, gone, 'none'),
      /"gone" was not found/,
    );
    await closeEditors();
  });
});
