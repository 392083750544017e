import * as assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import * as path from 'node:path';
import * as vscode from 'vscode';
import { fixturePath, waitFor } from '../servers/spawn';
import { api } from './window';

const folder = () => vscode.workspace.workspaceFolders![0]!.uri;
const made: string[] = [];

/** Writes a file into the workspace, and waits until the Test Explorer shows it with so many tests. */
async function testFile(name: string, text: string, count: number): Promise<vscode.TestItem> {
  const uri = vscode.Uri.joinPath(folder(), name);
  made.push(uri.fsPath);
  writeFileSync(uri.fsPath, text);
  const { tests } = await api();
  await tests().found;
  const item = () => tests().items.get(uri.toString());
  await waitFor(() => item()?.children.size === count, {
    what: () => `${count} tests of ${name}; there are ${item()?.children.size}`,
  });
  return item()!;
}

/** Runs tests, answering the review of what would be started. @returns the counts, and what was asked. */
async function run(include: vscode.TestItem[], answer = 'Allow') {
  const original = vscode.window.showWarningMessage;
  const asked: string[] = [];
  Object.assign(vscode.window, {
    showWarningMessage: async (message: string, options?: vscode.MessageOptions) => {
      if (!options?.modal) return undefined;
      asked.push(`${message}\n${options.detail ?? ''}`);
      return answer;
    },
  });
  const source = new vscode.CancellationTokenSource();
  try {
    const counts = await (await api()).tests().run(new vscode.TestRunRequest(include), source.token);
    return { counts, asked };
  } finally {
    source.dispose();
    Object.assign(vscode.window, { showWarningMessage: original });
  }
}

const node = (script: string) =>
  JSON.stringify({ command: process.execPath, args: [script], env: { ELECTRON_RUN_AS_NODE: '1' } });

describe('tests of servers', () => {
  after(() => {
    for (const file of made) rmSync(file, { force: true });
  });

  it('of the demo server come out as they do without an editor, after one question', async () => {
    const { extensionPath } = vscode.extensions.getExtension('mcp-host.mcp-host')!;
    const source = readFileSync(path.join(extensionPath, 'src', 'demo', 'demo.mcptest.yaml'), 'utf8');
    const server = `server: ${node(path.join(extensionPath, 'dist', 'demo-server.js'))}\n`;
    // As there, but for where the server is, and with a test that fails.
    const text = `${source.replace(/^server:\n(?: +.*\n)+/m, server)}\n  - { name: fails, steps: [{ call: none }] }\n`;
    const item = await testFile('demo.mcptest.yaml', text, 7);
    const { counts, asked } = await run([item]);
    assert.equal(asked.length, 1, asked.join('\n'));
    assert.match(asked[0]!, /demo-server\.js/);
    assert.match(asked[0]!, /demo\.mcptest\.yaml/);
    const headless = await new Promise<string>(resolve => {
      const args = [path.join(extensionPath, 'dist', 'mcptest.js'), item.uri!.fsPath];
      execFile(process.execPath, args, { env: { ...process.env, ELECTRON_RUN_AS_NODE: '1' } }, (_error, stdout) =>
        resolve(stdout),
      );
    });
    assert.match(headless, /\n6 passed, 1 failed, 0 skipped\n$/);
    assert.deepEqual(counts, { passed: 6, failed: 1, skipped: 0 });
    const [one] = [...item.children].map(([, child]) => child);
    const again = await run([one!]);
    assert.deepEqual(
      [again.asked, again.counts],
      [[], { passed: 1, failed: 0, skipped: 0 }],
      'one test, allowed before',
    );
  });

  it('do not start what the person does not allow', async () => {
    const text = `server: ${node(fixturePath('hostile'))}\ntests: [{ name: a, steps: [{ list: tools }] }]`;
    const item = await testFile('denied.mcptest.yaml', text, 1);
    assert.deepEqual((await run([item], 'Deny')).counts, { passed: 0, failed: 1, skipped: 0 });
  });

  it('follow their file, and mistakes in it are problems at their line', async () => {
    const test = (name: string) => `  - { name: ${name}, steps: [{ list: tools }] }\n`;
    const item = await testFile('changing.mcptest.yaml', `server: x\ntests:\n${test('a')}`, 1);
    await testFile('changing.mcptest.yaml', `server: x\ntests:\n${test('a')}${test('b')}`, 2);
    assert.deepEqual(
      [...item.children].map(([, { label, range }]) => [label, range?.start.line]),
      [
        ['a', 2],
        ['b', 3],
      ],
    );
    await testFile('changing.mcptest.yaml', `server: x\ntests:\n${test('a')}  - { name: c, step: [] }\n`, 0);
    const problems = () =>
      vscode.languages.getDiagnostics(item.uri!).map(({ message, range }) => [message, range.start.line]);
    assert.deepEqual(problems(), [
      ['"steps" is missing.', 3],
      ['"step" is unknown here. Did you mean "steps"?', 3],
    ]);
    rmSync(item.uri!.fsPath);
    const { tests } = await api();
    await waitFor(() => !tests().items.get(item.id), { what: 'the row to go with its file' });
    assert.deepEqual(problems(), []);
  });
});
