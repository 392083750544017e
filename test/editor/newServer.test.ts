import * as assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import { mock } from 'node:test';
import * as vscode from 'vscode';
import { inRepository } from '../setup/paths';
import { closeEditors, configure, eventually, loads, logged, reaches, watches } from './window';

describe('a new server', () => {
  let above: string;
  let folder: string;
  beforeEach(async () => {
    above = await realpath(await mkdtemp(path.join(tmpdir(), 'mcp-new-')));
    folder = path.join(above, 'word-counter');
    await vscode.workspace.fs.createDirectory(vscode.Uri.file(folder));
  });
  afterEach(async () => {
    mock.restoreAll();
    await configure(undefined);
    await closeEditors();
    await rm(above, { recursive: true, force: true });
  });

  /** Chooses *New Server* and a language, as a person does. */
  async function create(language: 'TypeScript' | 'Python'): Promise<string[]> {
    const told: string[] = [];
    const quickPick = vscode.window.createQuickPick;
    mock.method(vscode.window, 'createQuickPick', () => {
      const pick = quickPick.call(vscode.window);
      const row = () => pick.items.find(({ label }) => label === 'New Server');
      mock.method(pick, 'show', () => {
        Object.defineProperty(pick, 'selectedItems', { get: () => [row() ?? assert.fail('it is not offered')] });
        accept();
      });
      let accept = () => {};
      mock.method(pick, 'onDidAccept', (listener: () => void) => {
        accept = () => setImmediate(listener);
        return { dispose() {} };
      });
      return pick;
    });
    mock.method(vscode.window, 'showQuickPick', async (rows: readonly vscode.QuickPickItem[]) =>
      rows.find(({ label }) => label === language),
    );
    mock.method(vscode.window, 'showOpenDialog', async () => [vscode.Uri.file(folder)]);
    mock.method(vscode.window, 'showInputBox', async () => folder);
    mock.method(vscode.window, 'showInformationMessage', async (message: string) => void told.push(message));
    mock.method(vscode.window, 'showErrorMessage', async (message: string) => void told.push(message));
    await vscode.commands.executeCommand('mcpHost.addServer');
    return told;
  }

  it('is created in its own folder, names the next step, and starts after that', async () => {
    const told = await create('TypeScript');
    assert.match(told.join(), /^"word-counter" was created\. Next: npm install\./);
    const written = vscode.workspace.getConfiguration('mcpHost').inspect('servers')?.globalValue;
    assert.deepEqual(written, {
      'word-counter': {
        command: 'node',
        args: ['dist/server.js'],
        cwd: folder,
        dev: { watch: ['src/**/*.ts', 'package-lock.json'], build: 'npm run build' },
      },
    });
    const opened = () => vscode.window.activeTextEditor?.document.uri.fsPath;
    await eventually(() => assert.equal(opened(), path.join(folder, 'src', 'server.ts')));
    const { id, state } = await reaches('word-counter', 'failed');
    assert.equal('error' in state && state.error.reason, `packages are not installed in ${folder}`);
    const terminals: (vscode.TerminalOptions & { typed?: string })[] = [];
    mock.method(vscode.window, 'createTerminal', (options: vscode.TerminalOptions) => {
      terminals.push(options);
      return { show() {}, sendText: (typed: string) => Object.assign(options, { typed }) };
    });
    await vscode.commands.executeCommand('mcpHost.applyRemedy', id, {
      kind: 'installPackages',
      command: 'npm install',
      folder,
    });
    const [{ cwd, typed } = {}] = terminals;
    assert.deepEqual([(cwd as vscode.Uri).fsPath, typed], [folder, 'npm install']);
    await watches(folder);
    await symlink(inRepository('node_modules'), path.join(folder, 'node_modules'), 'junction');
    await writeFile(path.join(folder, 'package-lock.json'), '{}');
    await logged('word-counter', /build: /);
    const { catalog } = await loads('word-counter');
    assert.deepEqual(
      catalog.tools.map(({ name }) => name),
      ['count_words'],
    );
  });

  it('creates its folder, and says what to install where uv is missing', async () => {
    await rm(folder, { recursive: true });
    const { PATH, SHELL } = process.env;
    process.env.PATH = above;
    delete process.env.SHELL;
    try {
      const told = await create('Python');
      assert.match(told.join(), /^"word-counter" was created\. It needs uv, which is not installed\. Install uv/);
    } finally {
      process.env.PATH = PATH;
      if (SHELL !== undefined) process.env.SHELL = SHELL;
    }
    assert.deepEqual((await readdir(folder)).sort(), ['server.mcptest.yaml', 'server.py']);
  });

  it('never overwrites files of the person', async () => {
    await writeFile(path.join(folder, 'mine.txt'), 'mine');
    const told = await create('Python');
    assert.match(told.join(), /is not empty\. Select an empty folder\./);
    assert.deepEqual(await readdir(folder), ['mine.txt']);
    assert.equal(await readFile(path.join(folder, 'mine.txt'), 'utf8'), 'mine');
  });
});
