import * as assert from 'node:assert/strict';
import { mock } from 'node:test';
import * as vscode from 'vscode';
import { LanguageModelTools } from '../../src/features/languageModelTools/languageModelTools';
import { waitFor } from '../servers/spawn';
import { api, configure, eventually, fixture, loads, problemsIn, reaches, setting, watches } from './window';

const { Workspace } = vscode.ConfigurationTarget;
const settingsFile = () => vscode.Uri.joinPath(vscode.workspace.workspaceFolders![0]!.uri, '.vscode', 'settings.json');

/** A row of a list that a person is shown. */
type Row = vscode.QuickPickItem;

describe('profiles', () => {
  const profiles = async () => (await api()).profiles();
  const named = async (name: string) => {
    const { all } = await waitForProfile(name);
    return all.find(profile => profile.name === name);
  };
  const waitForProfile = async (name: string) => {
    const found = await profiles();
    await waitFor(() => found.all.some(profile => profile.name === name), { what: `the profile ${name}` });
    return found;
  };
  const use = async (name: string | undefined) =>
    (await profiles()).use(name === undefined ? undefined : await named(name));
  /** The tools that models are offered, as `server/tool`. */
  const offered = async () => {
    const { servers, offered } = await api();
    return servers.all.flatMap(server =>
      server.catalog.tools.filter(tool => offered().includes(server, tool)).map(({ name }) => `${server.id}/${name}`),
    );
  };

  before(async () => {
    await configure({ one: fixture('apps'), two: fixture('hostile', '--tools=3') });
    await loads('one');
    await loads('two');
  });
  afterEach(async () => {
    await use(undefined);
    await setting('profiles', undefined);
    await setting('profiles', undefined, Workspace);
    await setting('start', undefined);
    await configure(undefined, Workspace);
  });
  after(() => configure(undefined));

  it('narrow what models are offered everywhere, and are remembered for the workspace', async () => {
    const all = await offered();
    assert.ok(all.length > 5 && !all.includes('one/refresh'), all.join());
    await setting('profiles', { review: { tools: ['one/p*', 'one/refresh'] } });
    await use('review');
    // One for apps alone is offered to no model, whatever a profile says.
    assert.deepEqual(await offered(), ['one/plan']);
    const { servers, trust, offered: offers, context } = await api();
    const { askForCall, calls, flow, pins, requests } = trust();
    const tools = new LanguageModelTools({
      servers,
      trust: { askForCall, calls, flow, pins, requests },
      offered: offers(),
      asksLess: () => false,
      maxResultLength: () => 10_000,
      scale: async pictures => pictures,
    });
    const invoke = async (...[name, input]: Parameters<LanguageModelTools['prepare']>) => {
      const { content } = await tools.invoke(name, input, new vscode.CancellationTokenSource().token);
      return content.map(part => (part instanceof vscode.LanguageModelTextPart ? part.value : '')).join('\n');
    };
    const listed = (await invoke('listTools', {})).split('\n');
    assert.deepEqual(
      listed.map(line => (JSON.parse(line) as { tool: string }).tool),
      ['plan'],
    );
    const said = await invoke('callTool', { server: 'one', tool: 'say', arguments: {} });
    assert.match(said, /The tool say of MCP server "one" is not part of the profile "review"/);
    assert.deepEqual(context.workspaceState.get('profiles.chosen'), { name: 'review', scope: 'user', stopped: [] });
    await use(undefined);
    assert.deepEqual(await offered(), all);
  });

  it('of a workspace are only proposed; later changes count when the person switches again', async () => {
    const all = await offered();
    await setting('profiles', { team: { servers: ['two'] } }, Workspace);
    await waitForProfile('team');
    assert.deepEqual(await offered(), all);
    await use('team');
    assert.ok((await offered()).every(tool => tool.startsWith('two/')));
    await setting('profiles', { team: { servers: ['*'], stopOthers: true } }, Workspace);
    const found = await profiles();
    await waitFor(() => found.isOutdated, { what: 'the change to be noticed' });
    assert.ok((await offered()).every(tool => tool.startsWith('two/')));
    await use('team');
    assert.deepEqual(await offered(), all);
    assert.ok(!found.isOutdated);
    // The person's own changes at once.
    await setting('profiles', { mine: { servers: ['one'] } });
    await use('mine');
    await setting('profiles', { mine: { servers: ['two'] } });
    await waitFor(async () => (await offered()).every(tool => tool.startsWith('two/')), { what: 'the change' });
    // A workspace does not get under the name of it.
    await setting('profiles', { mine: { servers: ['*'] } }, Workspace);
    await waitFor(
      () =>
        problemsIn(settingsFile()).some(({ message }) =>
          /Your user settings have a profile of this name/.test(message),
        ),
      {
        what: 'the warning',
      },
    );
    assert.ok((await offered()).every(tool => tool.startsWith('two/')));
    await setting('profiles', undefined);
    await waitFor(async () => (await offered()).length === all.length, { what: 'the end of a profile that is gone' });
  });

  it('start and stop servers, except those that may not start', async () => {
    await configure({ theirs: fixture('hostile') }, Workspace);
    await reaches('theirs', 'needsTrust');
    await setting('profiles', {
      // Of a server without a consent, too.
      review: { servers: ['one', 'theirs'], startServers: true, stopOthers: true },
    });
    const { servers } = await api();
    await servers.get('one')!.stop('a test');
    const { started, stopped, waiting } = await use('review');
    const ids = (of: typeof started) => of.map(({ id }) => id);
    assert.deepEqual([ids(started), ids(stopped), ids(waiting)], [['one'], ['two'], ['theirs']]);
    await reaches('one', 'ready');
    await reaches('two', 'stopped');
    assert.equal(servers.get('theirs')!.state.kind, 'needsTrust');
    // Neither settings nor a request start it meanwhile.
    assert.equal(servers.get('two')!.startPolicy, 'never');
    assert.ok(!servers.get('two')!.isUsable);
    await setting('start', 'onDemand');
    await waitFor(() => servers.get('theirs')!.startPolicy === 'onDemand', { what: 'the setting' });
    assert.ok(!servers.get('two')!.isUsable);
    await setting('start', undefined);
    await use(undefined);
    await loads('two');
    assert.equal(servers.get('theirs')!.state.kind, 'needsTrust');
  });

  it('written wrongly are squiggled at their place', async () => {
    const text = `{
  // a comment
  "mcpHost.profiles": {
    "review": { "servers": ["twoo", "one"], "tools": ["one", "one/plan"], "modle": "x" },
    "off": {}
  }
}`;
    await configure({}, Workspace); // so that the folder is there
    await watches(vscode.Uri.joinPath(settingsFile(), '..').fsPath);
    await vscode.workspace.fs.writeFile(settingsFile(), Buffer.from(text));
    const document = await vscode.workspace.openTextDocument(settingsFile());
    const found = () =>
      problemsIn(settingsFile()).map(
        ({ range, severity, message }) =>
          `${vscode.DiagnosticSeverity[severity]} ${document.getText(range)} ${message}`,
      );
    const expected = [
      'Error "off" The name "off" is reserved for leaving a profile. Choose another name.',
      'Error "one" A tool is named with its server, as in one/*. For all tools of a server, name it in "servers".',
      'Warning "modle" Profiles have no property "modle". Did you mean "model"?',
      'Warning "twoo" No server is named "twoo". Did you mean "two"?',
    ];
    await eventually(() => assert.deepEqual(found().sort(), expected));
    await setting('profiles', undefined, Workspace);
    await waitFor(() => found().length === 0, { what: 'the squiggles to go' });
  });

  it('can be chosen for an agent in the list of approvals, whose row shows it', async () => {
    await setting('profiles', { small: { tools: ['one/plan'] } });
    await setting('profiles', { theirs: { servers: ['*'] } }, Workspace);
    await waitForProfile('theirs');
    const clients = (await api()).clients();
    const agent = { kind: 'agent', id: 'claude-code', name: 'Claude Code', details: [], fingerprint: 'f' } as const;
    const pressed = new vscode.EventEmitter<{ item: Row; button: vscode.QuickInputButton }>();
    const never = new vscode.EventEmitter<void>().event;
    /** The list of approvals, of which only buttons of rows are pressed. */
    const list = () => {
      const rows: { items: Row[] } = { items: [] };
      const events = { onDidAccept: never, onDidHide: never, onDidTriggerItemButton: pressed.event };
      const shown = Object.assign(rows, events, { show: () => lists.push(rows), dispose: () => {} });
      return shown as unknown as vscode.QuickPick<Row>;
    };
    const lists: { items: Row[] }[] = [];
    mock.method(vscode.window, 'showWarningMessage', async () => 'Allow');
    mock.method(vscode.window, 'createQuickPick', list);
    const choose = async (label: string) => {
      const before = lists.length;
      let offeredNames: string[] = [];
      const asked = mock.method(vscode.window, 'showQuickPick', async (rows: Row[]) => {
        offeredNames = rows.map(row => row.label);
        return rows.find(row => row.label === label);
      });
      const done = vscode.commands.executeCommand('mcpHost.manageTrust');
      const { items } = await waitFor(() => lists[before], { what: 'the list' });
      const item = items.find(row => row.label === agent.name) ?? assert.fail(JSON.stringify(items));
      const button = item.buttons?.find(({ tooltip }) => tooltip === 'Choose Profile…') ?? assert.fail('no button');
      pressed.fire({ item, button });
      await done;
      asked.mock.restore();
      assert.deepEqual(offeredNames, ['The profile that is in use', 'small'], 'none of the workspace');
      return item;
    };
    try {
      assert.equal(await clients.ask(agent), 'allowed');
      await choose('small');
      assert.equal(clients.profile(agent), 'small');
      const shown = await choose('The profile that is in use');
      assert.match(shown.description ?? '', /profile "small"/);
      assert.equal(clients.profile(agent), undefined);
    } finally {
      mock.restoreAll();
      await clients.revoke(agent);
    }
  });
});
