import * as assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { mock } from 'node:test';
import * as vscode from 'vscode';
import type { DetailNode } from '../../src/editor/serverRows';
import { npmServerPath } from '../servers/npm';
import { waitFor } from '../servers/spawn';
import { whyNot } from '../unit/host/sandbox/confined';
import { api, closeEditors, configure, eventually, fixture, loads, raw, run } from './window';

type Answer = string | undefined;

/** Writes of real servers in their sandboxes, and what a person is asked about them. */
describe('a confined server that writes', () => {
  const workspace = vscode.workspace.workspaceFolders![0]!.uri.fsPath;
  const top = join(workspace, 'confined');
  const asked: string[] = [];
  let answer: (question: string) => Answer;

  before(async function () {
    const why = await whyNot();
    if (why === undefined) return;
    console.log(`    Nothing can be confined on this machine: ${why}.`);
    this.skip();
  });
  beforeEach(() => {
    asked.length = 0;
    answer = () => undefined;
    for (const folder of ['src', 'lib']) mkdirSync(join(top, folder), { recursive: true });
    mock.method(vscode.window, 'showWarningMessage', async (message: string, ...actions: string[]) => {
      if (!message.includes('"files"')) return undefined;
      asked.push(message);
      const chosen = answer(message);
      assert.ok(chosen === undefined || actions.includes(chosen), `${chosen} is none of ${actions}`);
      return chosen;
    });
  });
  afterEach(async () => {
    mock.restoreAll();
    await configure(undefined);
    rmSync(top, { recursive: true, force: true });
  });

  /** Each has its own arguments, so that nothing of another test was allowed to it. */
  const files = (sandbox: unknown, id: string) => {
    const { env, ...entry } = run(npmServerPath('filesystem'), top, '--', id);
    return { files: { ...entry, env, sandbox } };
  };
  const write = async (path: string) => {
    const server = await loads('files');
    const tool = server.catalog.tools.find(({ name }) => name === 'write_file')!;
    return JSON.stringify(await raw(server).callTool(tool, { path: join(top, path), content: 'x' }));
  };
  const rows = async () => {
    const { servers, tree } = await api();
    const server = servers.get('files')!;
    const row = tree.getChildren().find(node => node.server === server)!;
    const confined = tree.getChildren(row).find(node => tree.getTreeItem(node).contextValue === 'sandbox');
    return (confined ? tree.getChildren(confined) : []) as (DetailNode & { place?: unknown; folder?: string })[];
  };
  const texts = async () => {
    const { tree } = await api();
    return (await rows()).map(row => {
      const { label, description } = tree.getTreeItem(row);
      return `${label}: ${description}`;
    });
  };

  /** Answers the question that a row opens. */
  const choose = async (row: DetailNode | undefined, answer: string) => {
    const question = mock.method(vscode.window, 'showQuickPick', async (rows: vscode.QuickPickItem[]) =>
      rows.find(({ label }) => label === answer),
    );
    await vscode.commands.executeCommand('mcpHost.changeSandbox', row);
    question.mock.restore();
  };

  it('is asked about folder by folder, and writes in those that were allowed, until that is taken back @sandbox.asked-folder-folder', async () => {
    await configure(files(true, 'asked'));
    answer = question => (question.includes('src/') ? 'Allow Folder' : 'Keep Blocked');
    assert.match(await write('src/a.txt'), /EROFS|read-only/i);
    await eventually(() => assert.deepEqual(asked.length, 1));
    assert.match(asked[0]!, /"files" is confined and wants to write in confined\/src\//);
    await waitFor(async () => !/EROFS|read-only/i.test(await write('src/a.txt')), { what: 'it to be restarted' });
    assert.equal(readFileSync(join(top, 'src/a.txt'), 'utf8'), 'x');
    assert.match(await write('lib/b.txt'), /EROFS|read-only/i);
    await eventually(async () =>
      assert.deepEqual(await texts(), [
        'Wants to write in confined/lib/: b.txt, stays blocked',
        'May write in confined/src/: allowed by you',
      ]),
    );
    await write('lib/c.txt');
    await eventually(async () => assert.equal((await texts()).length, 3));
    assert.equal(asked.filter(question => question.includes('lib/')).length, 1);
    const row = (await rows()).find(({ folder }) => folder !== undefined);
    await choose(row, 'Take Back');
    assert.match(await write('src/a.txt'), /EROFS|read-only/i);
  });

  it('has what others obey moved away when it makes it, which the person keeps or removes @sandbox.obey-moved-away', async () => {
    await configure(files({ write: [top] }, 'appeared'));
    await write('src/Makefile');
    await eventually(() => assert.equal(asked.length, 1));
    assert.match(asked[0]!, /^Makefile appeared in confined\/src\/, where "files" may write\./);
    assert.ok(!existsSync(join(top, 'src/Makefile')));
    assert.deepEqual(await texts(), ['Makefile appeared in confined/src/: moved away']);
    answer = () => 'Keep';
    await write('lib/package.json');
    await eventually(() => assert.equal(asked.length, 2));
    await eventually(() => assert.equal(readFileSync(join(top, 'lib/package.json'), 'utf8'), 'x'));
    await eventually(async () => assert.equal((await texts()).length, 1));
    const [row] = await rows();
    await choose(row, 'Remove');
    assert.deepEqual(await texts(), []);
    await write('lib/package.json');
    await write('src/AGENTS.md');
    await eventually(() => assert.ok(asked.some(question => question.startsWith('AGENTS'))));
    assert.ok(existsSync(join(top, 'lib/package.json')));
    assert.ok(!asked.slice(2).some(question => question.startsWith('package')));
  });

  it('has its markdown shown as plain text, because the editor draws pictures from anywhere that markdown names', async () => {
    await configure({ plain: { ...fixture('hostile'), sandbox: { network: [] } } });
    const server = await loads('plain');
    const resource = server.catalog.resources.find(({ uri }) => uri.endsWith('readme.md')) ?? assert.fail();
    await vscode.commands.executeCommand('mcpHost.openResource', { server, resource });
    const document = () => (vscode.window.activeTextEditor ?? assert.fail()).document;
    await eventually(() =>
      assert.deepEqual([document().languageId, document().uri.path.endsWith('.md.txt')], ['plaintext', true]),
    );
    const { uri } = document();
    await closeEditors();
    // Where settings make even that markdown, it is not given at all.
    const settings = vscode.workspace.getConfiguration('files');
    const { Workspace } = vscode.ConfigurationTarget;
    try {
      await settings.update('associations', { '*.txt': 'markdown' }, Workspace);
      await eventually(() => assert.rejects(async () => vscode.workspace.fs.readFile(uri), /would do more than show/));
    } finally {
      await settings.update('associations', undefined, Workspace);
    }
  });
});
