// Test files of servers, in the workspace and in the Test Explorer.
import { renameSync, rmSync, writeFileSync } from 'node:fs';
import * as vscode from 'vscode';
import { waitFor } from '../servers/spawn';
import { api, watches } from './window';

/** The folder of the workspace. */
export const folder = () => vscode.workspace.workspaceFolders![0]!.uri;
/** Paths of files that go after the tests. */
export const made: string[] = [];

/** Writes a file into the workspace, in one step, and waits until the Test Explorer shows it with so many tests. */
export async function testFile(name: string, text: string, count: number): Promise<vscode.TestItem> {
  const { tests } = await api();
  await tests().find();
  // Its watcher is asked for by then.
  await watches(folder().fsPath);
  const uri = vscode.Uri.joinPath(folder(), name);
  made.push(uri.fsPath);
  writeFileSync(`${uri.fsPath}.new`, text);
  renameSync(`${uri.fsPath}.new`, uri.fsPath);
  const item = () => tests().items.get(uri.toString());
  // As the Test Explorer does for a row that is opened.
  await tests().resolve(await waitFor(item, { what: `the row of ${name}` }));
  await waitFor(() => item()?.children.size === count, {
    what: () => `${count} tests of ${name}; there are ${item()?.children.size}`,
  });
  return item()!;
}

/** Runs tests, answering the review of what would be started. @returns the counts, and what was asked. */
export async function run(include: vscode.TestItem[], answer = 'Allow', source = new vscode.CancellationTokenSource()) {
  const original = vscode.window.showWarningMessage;
  const asked: string[] = [];
  Object.assign(vscode.window, {
    showWarningMessage: async (message: string, options?: vscode.MessageOptions) => {
      if (!options?.modal) return undefined;
      asked.push(`${message}\n${options.detail ?? ''}`);
      return answer;
    },
  });
  try {
    const counts = await (await api()).tests().run(new vscode.TestRunRequest(include), source.token);
    return { counts, asked };
  } finally {
    source.dispose();
    Object.assign(vscode.window, { showWarningMessage: original });
  }
}

/** An entry that runs a script, as JSON. */
export const node = (script: string) =>
  JSON.stringify({ command: process.execPath, args: [script], env: { ELECTRON_RUN_AS_NODE: '1' } });

export function forgetTestFiles(): void {
  for (const file of made) rmSync(file, { force: true, recursive: true });
}
