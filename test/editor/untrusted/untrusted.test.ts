import * as assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { mock } from 'node:test';
import * as vscode from 'vscode';
import { startHttpFixture, waitFor } from '../../servers/spawn';
import { api, configure, fixture, logged, reaches, setting, watches } from '../window';

const inWorkspace = (name: string) => join(vscode.workspace.workspaceFolders![0]!.uri.fsPath, name);

describe('an untrusted workspace', () => {
  before(() => assert.equal(vscode.workspace.isTrusted, false));
  afterEach(() => configure(undefined));

  it('starts nothing from its settings, which are not read @untrusted.starts-settings-read', async () => {
    const { servers } = await api();
    await waitFor(() => servers.phase === 'empty', { what: 'settings to be read' });
    await configure({ mine: fixture('hostile') });
    await reaches('mine', 'ready');
    assert.deepEqual(
      servers.all.map(({ id }) => id),
      ['mine'],
    );
    assert.ok(!existsSync(inWorkspace('evil')));
  });

  it('neither reads nor starts a test file, and asks nothing @untrusted.neither-reads-starts', async () => {
    const { tests } = await api();
    await tests().find();
    await watches(inWorkspace(''));
    const file = inWorkspace('evil.mcptest.json');
    const server = fixture('hostile');
    writeFileSync(file, JSON.stringify({ server, tests: [{ name: 'a', steps: [{ list: 'tools' }] }] }));
    const { items, run } = { items: tests().items, run: tests().run.bind(tests()) };
    const item = await waitFor(() => items.get(vscode.Uri.file(file).toString()), { what: 'its row' });
    await tests().resolve(item);
    await vscode.workspace.openTextDocument(file);
    const unread = 'This workspace is not trusted, so its test files are not read.';
    assert.deepEqual([item.error, item.children.size], [unread, 0]);
    // Nor questions for models.
    writeFileSync(inWorkspace('evil.mcpeval.yaml'), 'questions: 1');
    const { uri } = await vscode.workspace.openTextDocument(inWorkspace('evil.mcpeval.yaml'));
    assert.deepEqual(vscode.languages.getDiagnostics(uri), []);
    rmSync(uri.fsPath);
    const asked: unknown[] = [];
    const original = vscode.window.showWarningMessage;
    Object.assign(vscode.window, { showWarningMessage: async (message: string) => void asked.push(message) });
    try {
      const token = new vscode.CancellationTokenSource().token;
      const counts = await run(new vscode.TestRunRequest([item]), token);
      assert.deepEqual([counts, asked], [{ passed: 0, failed: 1, skipped: 0 }, []]);
    } finally {
      Object.assign(vscode.window, { showWarningMessage: original });
      rmSync(file);
    }
  });

  it('runs no conformance suite, and asks nothing', async () => {
    const http = await startHttpFixture();
    const said: string[] = [];
    const { showInformationMessage, showWarningMessage } = vscode.window;
    const answer = async (message: string, ...actions: unknown[]) => {
      said.push(message);
      return actions.find(action => action === 'Run Conformance Suite…');
    };
    Object.assign(vscode.window, { showInformationMessage: answer, showWarningMessage: answer });
    try {
      await configure({ remote: { type: 'http', url: http.url('/mcp') } });
      const server = await reaches('remote', 'ready');
      await vscode.commands.executeCommand('mcpHost.checkServer', { server, way: 'problems' });
      const refusal = 'This workspace is not trusted, so the conformance suite is not run against "remote".';
      assert.deepEqual([said.length, said.at(-1)], [2, refusal]);
    } finally {
      Object.assign(vscode.window, { showInformationMessage, showWarningMessage });
      await http.stop();
    }
  });

  it('watches, builds and debugs no server of the user, and reports that @untrusted.watches-builds-debugs', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'outside-'));
    try {
      const build = `"${process.execPath}" -e "require('node:fs').writeFileSync('built', '')"`;
      const dev = { watch: '*.json', build, debug: 'node' };
      const watchers = mock.method(vscode.workspace, 'createFileSystemWatcher');
      const debuggers = mock.method(vscode.debug, 'startDebugging');
      const told: string[][] = [];
      mock.method(vscode.window, 'showInformationMessage', async (...texts: string[]) => void told.push(texts));
      await configure({ mine: { ...fixture('hostile'), cwd: folder, dev } });
      const server = await reaches('mine', 'ready');
      const { state } = server;
      const { tree } = await api();
      const row = tree.getChildren().find(one => one.server === server) ?? assert.fail('it has no row');
      const { value } = tree.resolveTreeItem(tree.getTreeItem(row), row).tooltip as vscode.MarkdownString;
      const tooltip = value.replace(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code))).replaceAll('\\', '');
      assert.match(tooltip, /Its files are not watched, because this workspace is not trusted\./);
      await logged('mine', /its files are not watched: this workspace is not trusted/);
      assert.deepEqual(
        watchers.mock.calls.filter(({ arguments: [pattern] }) => JSON.stringify(pattern).includes(folder)),
        [],
      );
      await vscode.commands.executeCommand('mcpHost.debugServer', { server });
      assert.deepEqual(told, [
        ['"mine" can\'t be debugged, because this workspace is not trusted.', 'Manage Workspace Trust'],
      ]);
      assert.equal(debuggers.mock.callCount(), 0);
      assert.equal(server.state, state, 'it runs on');
      assert.deepEqual([(await api()).servers.get('evil'), existsSync(inWorkspace('evil'))], [undefined, false]);
      assert.ok(!existsSync(join(folder, 'built')));
    } finally {
      mock.restoreAll();
      rmSync(folder, { recursive: true });
    }
  });

  it("is not the working folder of a user's server", async () => {
    await configure({ mine: fixture('hostile') });
    const { definition } = await reaches('mine', 'ready');
    assert.match((definition.entry?.type === 'stdio' && definition.entry.cwd) || '', /[\\/]folders[\\/]mine-\w{8}$/);
  });

  it('provides no setting value to servers of the user, and does not start those that ask for one', async () => {
    const entry = fixture('hostile');
    await configure({ mine: { ...entry, env: { ...entry.env, VALUE: '${config:editor.wordSeparators}' } } });
    const { definition, state } = await reaches('mine', 'needsTrust');
    assert.ok('error' in state);
    assert.match(state.error.message, /it uses \$\{config:editor\.wordSeparators\}, which depends on this workspace/);
    const value = definition.entry?.type === 'stdio' ? definition.entry.env.VALUE : undefined;
    assert.ok(value && !value.includes('from the workspace'), String(value));
  });

  it('shares none of its folders as roots, whatever the user settings say @untrusted.shares-none-folders', async () => {
    const roots = ['${workspaceFolder}', inWorkspace('')];
    await configure({ all: fixture('hostile', '--roots'), listed: { ...fixture('hostile', '--roots'), roots } });
    for (const id of ['all', 'listed']) {
      await reaches(id, 'ready');
      await logged(id, /"roots": ?\[\]|roots shared with it: none/);
      assert.doesNotMatch(await logged(id, /roots/), /roots shared with it: file/);
    }
  });

  it("blocks a user's server that leads into it anywhere: the row names reason and remedy @untrusted.blocks-user-server", async () => {
    writeFileSync(inWorkspace('.env'), 'NODE_OPTIONS=--require ./evil.cjs');
    writeFileSync(
      inWorkspace('evil.cjs'),
      `require('node:fs').writeFileSync(${JSON.stringify(inWorkspace('evil'))}, '')`,
    );
    const folder = inWorkspace('.').replace(/[/\\]$/, '');
    const outside = mkdtempSync(join(tmpdir(), 'outside-'));
    symlinkSync(folder, join(outside, 'link'), 'junction');
    writeFileSync(join(outside, 'mine.env'), `NODE_OPTIONS=--require ${folder}/evil.cjs`);
    const { command, args, env } = fixture('hostile');
    const mine = { command, args, env };
    const leading: Record<string, [entry: object, why: RegExp]> = {
      cwd: [{ ...mine, cwd: folder }, /its "cwd" points into/],
      envFile: [{ ...mine, cwd: tmpdir(), envFile: join(folder, '.env') }, /its "envFile" points into/],
      command: [{ command: join(folder, 'run.sh'), args: [] }, /its "command" points into/],
      script: [{ ...mine, args: ['${workspaceFolder}/evil.cjs'] }, /it uses \$\{workspaceFolder\}, which depends on/],
      data: [{ ...mine, env: { ...env, DATA: '${workspaceFolder}' } }, /it uses \$\{workspaceFolder\}/],
      option: [{ ...mine, args: [`--require=${folder}/evil.cjs`, ...args] }, /its "args" points into/],
      link: [{ ...mine, args: ['--require', join(outside, 'link', 'evil.cjs'), ...args] }, /its "args" points into/],
      relative: [{ ...mine, cwd: outside, args: ['link/evil.cjs'] }, /its "args" points into/],
      node: [
        { ...mine, env: { ...env, NODE_OPTIONS: `--require ${folder}/evil.cjs` } },
        /its variable NODE_OPTIONS points/,
      ],
      python: [{ ...mine, env: { ...env, PYTHONPATH: folder } }, /its variable PYTHONPATH points into/],
      path: [{ ...mine, env: { ...env, PATH: `${folder}${delimiter}/bin` } }, /its variable PATH points into/],
      held: [{ ...mine, envFile: join(outside, 'mine.env') }, /its variable NODE_OPTIONS points into/],
      socket: [{ url: `unix://${folder}/server.sock` }, /its "url" points into/],
    };
    await configure(Object.fromEntries(Object.entries(leading).map(([id, [entry]]) => [id, entry])));
    for (const [id, [, why]] of Object.entries(leading)) {
      const { state } = await reaches(id, 'needsTrust');
      assert.ok('error' in state);
      assert.match(state.error.message, why, `${id}: ${state.error.message}`);
      assert.match(state.error.message, /this workspace, which is not trusted\. Trust the workspace/, id);
    }
    // What has nothing to do with it starts beside them.
    await configure({ mine: { ...mine, cwd: outside } });
    await reaches('mine', 'ready');
    assert.ok(!existsSync(inWorkspace('evil')));
    rmSync(outside, { recursive: true });
  });

  it('has no part in values that are filled in later @untrusted.part-values-filled', async () => {
    const { command, args, env } = fixture('hostile');
    const where = { type: 'pickString', id: 'where', options: [inWorkspace('evil.cjs')] };
    await setting('inputs', [where]);
    try {
      await configure({ asked: { command, args: [...args, '--says=${input:where}'], env } });
      const { definition } = await reaches('asked', 'needsInput');
      const { servers, trust } = await api();
      await trust().inputs.store(definition.source, definition.inputs!.definitions[0]!, inWorkspace('evil.cjs'));
      await servers.get('asked')!.start('its input was entered');
      const { state } = await reaches('asked', 'needsTrust');
      assert.match('error' in state ? state.error.message : '', /its "args" points into this workspace/);
    } finally {
      await setting('inputs', undefined);
    }
  });
});
