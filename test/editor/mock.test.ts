import * as assert from 'node:assert/strict';
import { mkdtemp, readFile, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import { mock } from 'node:test';
import * as vscode from 'vscode';
import { inRepository } from '../setup/paths';
import { closeEditors, configure, eventually, loads, raw, run } from './window';

const SECRET = 'hunter2-and-more';

describe('a session saved as a mock server', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await realpath(await mkdtemp(path.join(tmpdir(), 'mcp-mock-')));
  });
  afterEach(async () => {
    mock.restoreAll();
    await configure(undefined);
    await closeEditors();
    await rm(folder, { recursive: true, force: true });
  });

  /** What a tool answers to these arguments. */
  async function answer(id: string, name: string, args: Record<string, unknown>) {
    const server = await loads(id);
    const tool = server.catalog.tools.find(one => one.name === name) ?? assert.fail(`${id} lacks ${name}`);
    const { content, structuredContent, isError } = await raw(server).callTool(tool, args);
    return { content, structuredContent, isError };
  }

  it('replays the same answers once configured, without secrets, and warns of them', async () => {
    const demo = run(inRepository('dist/demo-server.js'));
    await configure({ diary: { ...demo, cwd: folder, env: { ...demo.env, TOKEN: SECRET } } });
    const text = `The token is ${SECRET}.`;
    const added = await answer('diary', 'add_note', { name: 'plan', text });
    assert.ok(!added.isError);
    const listed = await answer('diary', 'list_notes', {});
    const again = await answer('diary', 'add_note', { name: 'plan', text });
    assert.ok(again.isError);

    const file = path.join(folder, 'diary-mock.mjs');
    const proposed: (vscode.SaveDialogOptions | undefined)[] = [];
    const told: string[] = [];
    mock.method(vscode.window, 'showSaveDialog', async (options?: vscode.SaveDialogOptions) => {
      proposed.push(options);
      return vscode.Uri.file(file);
    });
    mock.method(vscode.window, 'showWarningMessage', async (message: string) => void told.push(message));
    const server = await loads('diary');
    await vscode.commands.executeCommand('mcpHost.saveMockServer', { server });
    assert.equal(path.basename(proposed[0]?.defaultUri?.fsPath ?? ''), 'diary-mock.mjs');
    assert.match(
      told.find(message => message.startsWith('Saved')) ?? '',
      /^Saved \d+ answers from "diary"\. Read the file before you share it: .* Secrets were removed in \d+ places,/,
    );
    await eventually(() => assert.equal(vscode.window.activeTextEditor?.document.uri.fsPath, file));
    assert.ok(!(await readFile(file, 'utf8')).includes(SECRET));

    await configure({ mock: { ...run(file), cwd: folder } });
    const { catalog } = await loads('mock');
    assert.ok(catalog.prompts.length > 0 && catalog.resources.length > 0);
    const struckOut = { name: 'plan', text: 'The token is •••.' };
    assert.deepEqual(await answer('mock', 'add_note', struckOut), added);
    assert.deepEqual(await answer('mock', 'list_notes', {}), listed);
    assert.deepEqual(await answer('mock', 'add_note', struckOut), again);
    await assert.rejects(answer('mock', 'add_note', { name: 'other', text: 'new' }), /no such request in the recorded/);
  });
});
