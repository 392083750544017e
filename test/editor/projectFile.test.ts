import * as assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { waitFor } from '../servers/spawn';
import { allow, api, closeEditors, configure, eventually, fixture, problemsIn, reaches, setting } from './window';

const WORKSPACE = vscode.ConfigurationTarget.Workspace;
const file = () => vscode.Uri.joinPath(vscode.workspace.workspaceFolders![0]!.uri, '.mcp.json');
const write = (value: unknown) => vscode.workspace.fs.writeFile(file(), Buffer.from(JSON.stringify(value, null, 2)));
const text = async () => Buffer.from(await vscode.workspace.fs.readFile(file())).toString();

describe('the .mcp.json of a project', () => {
  const server = () => ({ type: 'stdio', ...fixture('hostile'), _note: 'of another host' });
  const names = async () => (await api()).servers.all.map(({ name }) => name).sort();
  afterEach(async () => {
    await vscode.workspace.fs.delete(file()).then(undefined, () => {});
    await configure(undefined, WORKSPACE);
    await configure(undefined);
    await eventually(async () => assert.deepEqual(await names(), []));
  });

  it('needs nothing else: its server runs after one consent, and follows the file', async () => {
    await write({ mcpServers: { team: server() } });
    const team = await allow('team');
    assert.equal(team.definition.source.projectFile, file().toString());
    assert.equal(team.definition.fromWorkspace, true);
    await write({ mcpServers: { team: { ...server(), args: [...server().args, '--more'] } } });
    await reaches('team', 'needsTrust');
    await write({ mcpServers: {} });
    await eventually(async () => assert.deepEqual(await names(), []));
  });

  it('keeps what it had while somebody writes it', async () => {
    await write({ mcpServers: { typed: server() } });
    const team = await allow('typed');
    await vscode.workspace.fs.writeFile(file(), Buffer.from('{ "mcpServers": { "team": {'));
    await write({ mcpServers: { typed: server(), other: server() } });
    await reaches('other', 'needsTrust');
    assert.equal((await api()).servers.get('typed'), team);
    assert.equal(team.state.kind, 'ready');
  });

  it('is between the settings of the user and those of the workspace', async () => {
    const from = async () => {
      const { source } = (await api()).servers.get('team')!.definition;
      return source.projectFile === undefined ? source.scope : 'file';
    };
    await configure({ team: fixture('hostile') });
    await write({ mcpServers: { team: server() } });
    await eventually(async () => assert.equal(await from(), 'file'));
    await configure({ team: fixture('hostile') }, WORKSPACE);
    await eventually(async () => assert.equal(await from(), 'workspace'));
  });

  it('gets what it cannot say from an entry of the same name in settings', async () => {
    await configure({ team: { timeouts: { requestMs: 1234 } } });
    await write({ mcpServers: { team: server() } });
    await eventually(async () => {
      const { definition } = (await api()).servers.get('team')!;
      assert.deepEqual([definition.entry?.timeouts?.requestMs, definition.problems], [1234, []]);
    });
  });

  it('is edited as it is written, and its mistakes are marked in it', async () => {
    await write({ mcpServers: { edited: server(), wrong: { command: 7 } } });
    await reaches('edited', 'needsTrust');
    await eventually(() => assert.ok(problemsIn(file()).length > 0));
    await vscode.commands.executeCommand('mcpHost.disableServer', { server: (await api()).servers.get('edited') });
    await eventually(async () => assert.match(await text(), /"_note": "of another host",\n\s+"enabled": false\n/));
    await eventually(async () => assert.equal((await api()).servers.get('edited')?.definition.entry?.enabled, false));
  });

  it('has completion and hovers for its fields', async () => {
    await write({ mcpServers: { team: { ...server(), type: 'web' } } });
    const document = await vscode.workspace.openTextDocument(file());
    await vscode.window.showTextDocument(document);
    const placeOf = (text: string) => document.positionAt(document.getText().indexOf(text) + 1);
    const labels = async () => {
      const { items } = await vscode.commands.executeCommand<vscode.CompletionList>(
        'vscode.executeCompletionItemProvider',
        file(),
        placeOf('"web"'),
      );
      return items.some(({ label }) => label === '"stdio"');
    };
    await waitFor(labels, { what: 'suggestions for a type' });
    const hovers = await vscode.commands.executeCommand<vscode.Hover[]>(
      'vscode.executeHoverProvider',
      file(),
      placeOf('"command"'),
    );
    const texts = hovers.flatMap(({ contents }) => contents.map(one => (one as vscode.MarkdownString).value));
    assert.match(texts.join(), /program/i);
    await closeEditors();
  });

  it('is not read while the setting is off', async () => {
    await setting('projectFile', 'off');
    try {
      await write({ mcpServers: { unread: server() } });
      await configure({ other: fixture('hostile') });
      assert.deepEqual(await names(), ['other']);
    } finally {
      await setting('projectFile', undefined);
    }
    await reaches('unread', 'needsTrust');
  });
});
