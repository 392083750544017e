import * as assert from 'node:assert/strict';
import { mock } from 'node:test';
import * as vscode from 'vscode';
import { isUserSettings } from '../../src/features/settings/settingsFiles';
import type { ServerConnection } from '../../src/host';
import { waitFor } from '../servers/spawn';
import {
  allow,
  api,
  CODE,
  closeEditors,
  configure,
  eventually,
  fixture,
  loads,
  reaches,
  setting,
  userSettings,
  writeInUserSettings,
} from './window';

const settingsFile = () => vscode.Uri.joinPath(vscode.workspace.workspaceFolders![0]!.uri, '.vscode', 'settings.json');
const run = (command: string, ...given: unknown[]) => vscode.commands.executeCommand(`mcpHost.${command}`, ...given);

/** What a person would press, by what is asked; each question is recorded with what it says. */
class Person {
  readonly asked: string[] = [];
  readonly answers: Record<string, string | undefined> = {};
  /** Typed into the input box that comes next. */
  types = '';
  /** What the input box has against some other text. */
  problems: (string | undefined)[] = [];
  tries: string[] = [];

  constructor() {
    const notice = async (message: string, ...rest: unknown[]) => {
      const [options] = rest as [vscode.MessageOptions | string | undefined];
      const detail = typeof options === 'object' && options.detail ? `\n${options.detail}` : '';
      this.asked.push(`${message}${detail}`);
      const pressed = Object.entries(this.answers).find(([start]) => message.startsWith(start))?.[1];
      return rest.find(one => one === pressed);
    };
    for (const name of ['showWarningMessage', 'showInformationMessage', 'showErrorMessage'] as const) {
      mock.method(vscode.window, name, notice as never);
    }
    mock.method(vscode.window, 'showInputBox', (async (options: vscode.InputBoxOptions) => {
      this.problems = [];
      for (const text of this.tries) this.problems.push((await options.validateInput?.(text)) as string | undefined);
      return this.types;
    }) as never);
  }

  said(pattern: RegExp): Promise<string> {
    return waitFor(() => this.asked.find(text => pattern.test(text)), {
      what: () => `${pattern} in ${this.asked.join('\n')}`,
    });
  }
}

describe('a server entry in settings', () => {
  let person: Person;
  const comment = (entry: object, behind = '') => `${JSON.stringify(entry)}${behind}`;
  const text = () => `// ours
{
  "editor.tabSize": 2, // stays
  "mcpHost.servers": {
    // the first
    "one": ${comment({ ...fixture('content'), start: 'onDemand' })}, // behind it
    /* the second */
    "two": {
      // inside
      "command": "never-there", "enabled": false
    }
  }
}
`;
  const document = () => vscode.workspace.openTextDocument(settingsFile());

  /** By the editor: a file that is replaced below it can't be changed any more. */
  async function write(content: string): Promise<void> {
    await configure({}, vscode.ConfigurationTarget.Workspace);
    const edit = new vscode.WorkspaceEdit();
    const file = await document();
    edit.replace(file.uri, new vscode.Range(0, 0, file.lineCount, 0), content);
    assert.ok(await vscode.workspace.applyEdit(edit));
    assert.ok(await file.save());
  }

  async function server(id: string): Promise<ServerConnection> {
    const { servers } = await api();
    return waitFor(() => servers.get(id), { what: id });
  }
  const goes = async (id: string) => {
    const { servers } = await api();
    await waitFor(() => !servers.get(id), { what: `${id} to go` });
  };

  beforeEach(async () => {
    person = new Person();
    await write(text());
  });
  afterEach(async () => {
    mock.restoreAll();
    await closeEditors();
    for (const target of [vscode.ConfigurationTarget.Global, vscode.ConfigurationTarget.Workspace]) {
      await configure(undefined, target);
    }
    const { servers } = await api();
    await waitFor(() => servers.all.length === 0, { what: 'the servers to go' });
  });

  it('is removed after a warning of what is lost, and Undo restores the file exactly', async () => {
    person.answers.Remove = 'Remove';
    await run('removeServer', { server: await server('one') });
    await goes('one');
    const question = await person.said(/^Remove the MCP server "one"/);
    assert.match(
      question,
      /^Remove the MCP server "one"\?\nIts entry in workspace settings is deleted, with the comments/,
    );
    assert.match(question, /approvals, saved inputs and sign-in are kept/);
    const removed = (await document()).getText();
    assert.equal(
      removed,
      text()
        .replace(/"one".*\},(?= \/\/ behind)/, '')
        .replace('     // behind', '    // behind'),
    );
    assert.equal((await document()).isDirty, false);

    person.answers['The MCP server "two" was removed'] = 'Undo';
    await run('removeServer', { server: await server('two') });
    const isBack = async () => {
      const file = await document();
      return file.getText() === removed && !file.isDirty;
    };
    await waitFor(isBack, { what: 'the text as before, and saved' });
    await server('two');
  });

  it('is kept when the person cancels, or another kind of row is selected', async () => {
    const one = await server('one');
    await run('removeServer', { server: one });
    await run('removeServer', { type: 'item', server: one });
    assert.equal(person.asked.filter(said => said.startsWith('Remove')).length, 1);
    assert.equal((await document()).getText(), text());
  });

  it('is not restored over later edits in its place', async () => {
    Object.assign(person.answers, { 'Remove the': 'Remove' });
    const asked = Promise.withResolvers<string>();
    const show = vscode.window.showInformationMessage as unknown as (...all: unknown[]) => Promise<unknown>;
    Object.assign(vscode.window, {
      showInformationMessage: async (message: string, ...rest: unknown[]) =>
        message.includes('was removed') ? asked.promise : show(message, ...rest),
    });
    await run('removeServer', { server: await server('two') });
    await goes('two');
    const file = await document();
    const edit = new vscode.WorkspaceEdit();
    edit.insert(file.uri, file.positionAt(file.getText().indexOf('/* the second */')), ', "new": {} ');
    assert.ok(await vscode.workspace.applyEdit(edit));
    assert.ok(await file.save());
    const changed = file.getText();
    asked.resolve('Undo');
    await person.said(/Nothing was undone, because/);
    assert.equal(file.getText(), changed);
    Object.assign(vscode.window, { showInformationMessage: show });
  });

  it('is not changed while the file has unsaved changes, which stay unsaved @manageServers.changed-file-unsaved', async () => {
    const one = await server('one');
    const file = await document();
    const edit = new vscode.WorkspaceEdit();
    edit.insert(file.uri, new vscode.Position(0, 0), '// unsaved\n');
    assert.ok(await vscode.workspace.applyEdit(edit));
    await run('disableServer', { server: one });
    await person.said(/settings\.json has unsaved changes\. Save or revert them/);
    assert.ok(file.isDirty);
    await file.save();
  });

  it('is disabled and enabled in place; its row shows that', async () => {
    const { tree } = await api();
    const one = await server('one');
    const contextOf = async () => {
      const row = tree.getChildren().find(node => node.server === one);
      return row && (await tree.getTreeItem(row));
    };
    await run('disableServer', { server: one });
    await waitFor(() => one.definition.entry?.enabled === false, { what: 'it to be disabled' });
    const item = await contextOf();
    assert.deepEqual([item?.description, item?.contextValue], ['disabled', `server.stopped.disabled${CODE}`]);
    await run('enableServer', { server: one });
    await waitFor(() => one.definition.entry?.enabled === true, { what: 'it to be enabled' });
    assert.equal((await document()).getText(), text());
    // From the palette: the only one that is disabled.
    await run('enableServer');
    await reaches('two', 'needsTrust');
  });

  it('is duplicated, disabled, under a free name, and shown', async () => {
    await run('duplicateServer', { server: await server('two') });
    const copy = await server('two-2');
    assert.equal(copy.definition.entry?.enabled, false);
    await eventually(() => {
      const { document: shown, selection } = vscode.window.activeTextEditor!;
      assert.equal(shown.getText(selection), '"two-2"');
      assert.equal(shown.getText().match(/\/\/ inside/g)?.length, 2);
    });
    await run('duplicateServer', { server: copy });
    await server('two-2-2');
  });

  it("is renamed together with the person's answers: consent, approvals, denials, pins", async () => {
    await write(text().replace('"start":"onDemand"', '"start":"onStartup"'));
    const one = await allow('one');
    await loads('one');
    const { policy, consents, pins } = (await api()).trust();
    const [first, second] = one.catalog.tools;
    const callOf = (of: ServerConnection, tool = first!) => ({
      serverId: of.id,
      serverName: of.name,
      scope: of.definition.source.scope,
      launch: of.definition.launch,
      tool,
      args: {},
      isChanged: false,
      origin: 'chat' as const,
    });
    await pins.offer(one);
    await policy.remember(callOf(one), 'allow', 'workspace');
    await policy.remember(callOf(one, second!), 'deny', 'user');
    await setting('approvals.deny', ['one/x*', 'two/y']);

    person.types = 'uno';
    person.tries = ['two', 'a/b', '', 'one', 'uno'];
    await run('renameServer', { server: one });
    const renamed = await reaches('uno', 'ready');
    await loads('uno');
    const kinds = person.problems.map(problem => problem && (/another server/.test(problem) ? 'taken' : 'rule'));
    assert.deepEqual(kinds, ['taken', 'rule', 'rule', undefined, undefined]);
    assert.equal(
      (await document()).getText(),
      text().replace('"start":"onDemand"', '"start":"onStartup"').replace('"one"', '"uno"'),
    );
    assert.equal(policy.decide(callOf(renamed)).answer, 'allow');
    assert.equal(policy.decide(callOf(renamed, second!)).answer, 'deny');
    assert.equal(pins.toolState(renamed, renamed.catalog.tools[0]!), 'accepted');
    assert.equal(consents.review(renamed.definition)?.answer, 'allowed');
    const deny = vscode.workspace.getConfiguration('mcpHost').get('approvals.deny');
    assert.deepEqual(deny, ['one/x*', 'two/y', 'uno/x*']);
    await setting('approvals.deny', undefined);
    for (const consent of consents.all) await consents.revoke(consent);
    for (const rule of policy.rules) await policy.forget(rule);
  });

  it('of the user is changed in the user settings, which are not left open', async () => {
    await configure({ mine: { ...fixture('content'), start: 'onDemand' } });
    const mine = await server('mine');
    const tabs = () => vscode.window.tabGroups.all.flatMap(group => group.tabs).length;
    await closeEditors();
    await writeInUserSettings(['"mine"', '/* of mine */ ']);
    person.types = 'my own';
    await run('renameServer', { server: mine });
    await goes('mine');
    await waitFor(() => tabs() === 0, { what: 'the settings to be closed' });
    person.answers['Remove the'] = 'Remove';
    await run('removeServer', { server: await server('my own') });
    await goes('my own');
  });

  it('of the user is removed and restored without showing the user settings that the editor wrote', async () => {
    await configure({ mine: { ...fixture('content'), start: 'onDemand' }, other: { url: 'https://other.example' } });
    await server('mine');
    await closeEditors();
    await waitFor(() => !vscode.workspace.textDocuments.some(isUserSettings), { what: 'the user settings to be left' });
    const shown: string[] = [];
    const watching = vscode.window.tabGroups.onDidChangeTabs(({ opened }) =>
      shown.push(...opened.map(({ label }) => label)),
    );
    person.answers['Remove the'] = 'Remove';
    person.answers['The MCP server "mine" was removed'] = 'Undo';
    await run('removeServer', { server: await server('mine') });
    await goes('mine');
    await server('mine');
    await run('disableServer', { server: await server('mine') });
    await waitFor(async () => (await server('mine')).definition.entry?.enabled === false, {
      what: 'it to be disabled',
    });
    watching.dispose();
    assert.deepEqual(shown, []);
  });

  it('of the user is repaired in place, with comments kept and no editor left open', async () => {
    const { command, args, env } = fixture('content');
    await configure({ mine: { comand: command, args, env }, other: { command: 'never-there', enabled: false } });
    await writeInUserSettings(['"mine"', '/* first */ '], ['"args"', '// inside\n'], ['"other"', '// second\n']);
    const mine = await reaches('mine', 'failed');
    const { path } = mine.definition.problems.find(({ meant }) => meant === 'command') ?? assert.fail('no mistake');
    const remedy = { kind: 'rename', path, to: 'command' };
    await run('applyRemedy', 'mine', remedy);
    await waitFor(() => mine.state.kind === 'ready' || mine.state.kind === 'needsTrust', { what: 'it to be mended' });
    const tabs = () => vscode.window.tabGroups.all.flatMap(group => group.tabs).length;
    await waitFor(() => tabs() === 0, { what: 'the settings to be closed' });
    await eventually(async () =>
      assert.match(
        (await userSettings('"mine"')).getText(),
        /\/\* first \*\/ "mine": \{\s*"command":[\s\S]*\/\/ inside\s*"args"[\s\S]*\/\/ second\s*"other"/,
      ),
    );
    await run('disableServer', { server: mine });
    await waitFor(() => mine.definition.entry?.enabled === false, { what: 'it to be disabled' });
    await waitFor(() => tabs() === 1, { what: 'nothing but what was open before' });
    assert.equal(vscode.window.activeTextEditor?.document.isDirty, false);
  });

  it('that is missing from its file is reported, with Add Server… offered', async () => {
    const one = await server('one');
    const gone = { server: { ...one, id: 'gone', definition: { ...one.definition, name: 'gone' } } };
    await run('openServerSettings', gone);
    await person.said(/The settings entry for "gone" was not found in its file\./);
    await run('disableServer', gone);
    await waitFor(() => person.asked.filter(said => said.includes('"gone" was not found')).length === 2, {
      what: 'the reason again',
    });
  });

  it('is revealed without changing its file', async () => {
    await run('openServerSettings', { server: await server('two') });
    await eventually(() => {
      const { document: shown, selection } = vscode.window.activeTextEditor!;
      assert.equal(shown.getText(selection), '"two"');
      assert.equal(shown.isDirty, false);
      assert.equal(shown.getText(), text());
    });
  });
});
