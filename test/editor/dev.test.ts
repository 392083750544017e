import * as assert from 'node:assert/strict';
import { mkdir, mkdtemp, readFile, realpath, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import { mock } from 'node:test';
import * as vscode from 'vscode';
import { describeLaunches } from '../../src/features/trust/reviewText';
import { waitFor } from '../servers/spawn';
import { OWN_SERVER, tool } from '../unit/features/dev/ownServer';
import { debugSessions, stopDebugging } from './debugSessions';
import {
  allow,
  api,
  closeEditors,
  configure,
  eventually,
  loads,
  logged,
  problemsIn,
  raw,
  reaches,
  run,
  watches,
} from './window';

describe('a server under development', () => {
  let folder: string;
  const file = (name: string) => path.join(folder, name);

  beforeEach(async () => {
    folder = await realpath(await mkdtemp(path.join(tmpdir(), 'mcp-dev-')));
    await writeFile(file('server.mjs'), OWN_SERVER);
    await writeFile(file('tools.json'), JSON.stringify([tool('one'), tool('two')]));
  });
  afterEach(async () => {
    mock.restoreAll();
    await configure(undefined);
    await configure(undefined, vscode.ConfigurationTarget.Workspace);
    await stopDebugging();
    await closeEditors();
    await rm(folder, { recursive: true, force: true });
  });

  /** Writes a file in one step: one that is emptied first and then written has changed twice, for whoever looks in between. */
  async function replace(name: string, text: string): Promise<void> {
    await writeFile(file(`${name}.new`), text);
    await rename(file(`${name}.new`), file(name));
  }

  const entry = (dev: object) => ({ ...run('server.mjs'), cwd: folder, dev });

  async function row(): Promise<{ description: string; tooltip: string }> {
    const { tree } = await api();
    const found = tree.getChildren().find(({ server }) => server.id === 'own') ?? assert.fail('it has no row');
    const item = tree.getTreeItem(found);
    const { value } = tree.resolveTreeItem(item, found).tooltip as vscode.MarkdownString;
    return {
      description: String(item.description),
      tooltip: value.replace(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code))).replaceAll('\\', ''),
    };
  }

  async function pid(id = 'own'): Promise<number | undefined> {
    const { state } = (await api()).servers.get(id)!;
    return state.kind === 'ready' ? state.pid : undefined;
  }

  async function says(pattern: RegExp): Promise<string> {
    let said = '';
    const isSaid = async () => {
      said = (await row()).description;
      return pattern.test(said);
    };
    await waitFor(isSaid, { what: () => `${pattern} in its row, which says ${said}` });
    return (await row()).tooltip;
  }

  it('restarts when a file is saved, and its row names the changes', async () => {
    await configure({ own: entry({ watch: '*.json' }), other: run(file('server.mjs')) });
    await loads('own');
    const before = await pid();
    const document = await vscode.workspace.openTextDocument(file('tools.json'));
    const editor = await vscode.window.showTextDocument(document);
    const all = new vscode.Range(0, 0, document.lineCount, 0);
    const text = JSON.stringify([tool('one', 'says more'), tool('three')]);
    assert.ok(await editor.edit(change => change.replace(all, text)));
    assert.ok(await document.save());
    const tooltip = await says(/^3 tools changed · .*2 tools/);
    assert.notEqual(await pid(), before);
    assert.match(tooltip, /Reloaded at .*, in \d+\.\d s/);
    for (const line of ['− Tool removed: two.', '+ Tool added: three.', '~ tools/one/description:'])
      assert.ok(tooltip.includes(line), `${line} in ${tooltip}`);
    const log = await logged('own', /reloaded in/);
    assert.equal(log.match(/starting: its files changed/g)?.length, 1, 'once, whoever told of the save');
  });

  it('restarts when another program writes a file, except in node_modules', async () => {
    await mkdir(file('node_modules'));
    // It names the folder itself, so what happens there concerns it.
    const inModules = { ...run('server.mjs'), cwd: folder, dev: { watch: 'node_modules/a.json' } };
    await configure({ own: entry({ watch: '**/*.json' }), inModules });
    for (const name of ['own', 'inModules']) await loads(name);
    await watches(folder);
    await watches(file('node_modules'));
    const before = [await pid(), await pid('inModules')];
    await replace('node_modules/a.json', '{}');
    await waitFor(async () => ![undefined, before[1]].includes(await pid('inModules')), { what: 'a new process' });
    assert.equal(await pid(), before[0]);
    await replace('tools.json', JSON.stringify([tool('one')]));
    await says(/^1 tool changed · /);
    assert.notEqual(await pid(), before[0]);
  });

  it('is built before a restart if the person allowed it, and keeps running while the build fails @dev.built-restart-person', async () => {
    await writeFile(
      file('build.mjs'),
      `import { appendFileSync, readFileSync } from 'node:fs';
       appendFileSync('builds', 'x');
       try {
         JSON.parse(readFileSync('tools.json', 'utf8'));
       } catch (error) {
         console.log('tools.json(1,2): error TS1005: This is no JSON.');
         throw error;
       }`,
    );
    const dev = { watch: 'tools.json', build: 'node build.mjs' };
    await configure({ own: entry(dev) }, vscode.ConfigurationTarget.Workspace);
    await allow('own');
    await loads('own');
    await watches(folder);
    const before = await pid();
    await replace('tools.json', '[nonsense');
    const tooltip = await says(/^build failed · 2 tools/);
    assert.match(tooltip, /The build failed: it ended with code 1\. The server keeps running unchanged\./);
    assert.match(tooltip, /SyntaxError/);
    assert.equal(await pid(), before);
    await logged('own', /build: .*SyntaxError/);
    const settings = vscode.Uri.joinPath(vscode.workspace.workspaceFolders![0]!.uri, '.vscode', 'settings.json');
    const problems = () => problemsIn(settings).map(({ message }) => message);
    await eventually(() => assert.match(problems().join(), /The build failed: it ended with code 1\./));
    const tools = vscode.Uri.file(file('tools.json'));
    const places = () =>
      vscode.languages
        .getDiagnostics(tools)
        .map(({ message, range: { start } }) => [message, start.line, start.character]);
    await eventually(() => assert.deepEqual(places(), [['This is no JSON.', 0, 1]]));
    await replace('tools.json', JSON.stringify([tool('one')]));
    await says(/^1 tool changed · /);
    assert.notEqual(await pid(), before);
    assert.equal(await readFile(file('builds'), 'utf8'), 'xx');
    await eventually(() => assert.deepEqual([problems(), places()], [[], []], 'the next build has succeeded'));
    // Another build is another launch: it waits for the person.
    await configure({ own: entry({ ...dev, build: `${dev.build} --all` }) }, vscode.ConfigurationTarget.Workspace);
    await waitFor(async () => /--all/.test(JSON.stringify((await api()).servers.get('own')!.definition.entry)), {
      what: 'the new settings',
    });
    const { servers } = await api();
    const { consents } = (await api()).trust();
    const review = consents.review(servers.get('own')!.definition) ?? assert.fail('it needs no approval');
    assert.equal(review.answer, undefined);
    await replace('tools.json', JSON.stringify([tool('one'), tool('five')]));
    await logged('own', /its files changed, but .*needs approval/);
    assert.equal(await readFile(file('builds'), 'utf8'), 'xx');
  });

  it('can be debugged: a call waits at a breakpoint without a time limit', async () => {
    const entry = { ...run('server.mjs'), cwd: folder, dev: { debug: 'node' } };
    await configure({ own: { ...entry, timeouts: { startMs: 60_000, requestMs: 30_000, toolCallMs: 1 } } });
    const server = await loads('own');
    const before = await pid();
    const told: string[] = [];
    for (const kind of ['showErrorMessage', 'showWarningMessage', 'showInformationMessage'] as const)
      mock.method(vscode.window, kind, async (message: string) => void told.push(message));
    const line = OWN_SERVER.split('\n').findIndex(text => text.includes('JSON.stringify({ level, followed })'));
    const place = new vscode.Location(vscode.Uri.file(file('server.mjs')), new vscode.Position(line, 0));
    const breakpoint = new vscode.SourceBreakpoint(place);
    vscode.debug.addBreakpoints([breakpoint]);
    try {
      const over = vscode.commands.executeCommand('mcpHost.debugServer', { server });
      await waitFor(() => debugSessions().some(({ name }) => name === 'own'), { what: 'its debug session' });
      await reaches('own', 'ready');
      await loads('own');
      const debugged = await pid();
      assert.notEqual(debugged, before);
      await says(/^debugging · /);
      const called = raw(server).callTool(server.catalog.tools[0]!, {});
      const isStopped = () => vscode.debug.activeStackItem instanceof vscode.DebugStackFrame;
      await waitFor(isStopped, { what: 'the breakpoint to be hit' });
      await vscode.commands.executeCommand('workbench.action.debug.continue');
      assert.equal((await called).isError, undefined);
      await vscode.commands.executeCommand('workbench.action.debug.stop');
      await over;
      await waitFor(async () => ![undefined, debugged].includes(await pid()), { what: 'it to run without' });
      // The debugger of Node ends the process when it is stopped, which is no failure of the server.
      const log = await logged('own', /starting: it is no longer debugged[\s\S]*ready: own/);
      const since = log.slice(log.lastIndexOf('starting: you are debugging it'));
      assert.deepEqual(
        since.match(/starting: .*/g)?.map(line => line.trim()),
        ['starting: you are debugging it', 'starting: it is no longer debugged'],
      );
      assert.equal(since.match(/Debugger listening/g)?.length, 1);
      assert.doesNotMatch(since, /\[(error|warning)\]/);
      assert.deepEqual(told, []);
    } finally {
      vscode.debug.removeBreakpoints([breakpoint]);
    }
  });

  it('is debugged with settings of the workspace, which are part of what the person allows @dev.debugged-settings', async () => {
    const own = (mode: string) => ({ ...run('server.mjs'), cwd: folder, dev: { debug: { type: 'nobody', mode } } });
    await configure({ own: own('theirs') }, vscode.ConfigurationTarget.Workspace);
    await reaches('own', 'needsTrust');
    const { consents } = (await api()).trust();
    const { definition } = (await api()).servers.get('own')!;
    const text = describeLaunches([consents.review(definition)!], () => 'here');
    assert.match(text, /Settings of its debugger, which can start programs:\n\{"mode":"theirs","type":"nobody"\}/);
    await allow('own');
    const server = await loads('own');
    const before = await pid();
    const told: string[] = [];
    mock.method(vscode.window, 'showErrorMessage', async (message: string) => void told.push(message));
    await vscode.commands.executeCommand('mcpHost.debugServer', { server });
    assert.match(told.join(), /^"own" could not be debugged: no debugger of the type "nobody" is installed/);
    assert.equal(await pid(), before);
    await configure({ own: own('others') }, vscode.ConfigurationTarget.Workspace);
    await server.restart('its settings changed');
    await reaches('own', 'needsTrust');
  });
});
