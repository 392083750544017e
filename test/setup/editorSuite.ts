// `extensionTestsPath` of the editor layer: what runs inside the extension host, of either kind.
import * as vscode from 'vscode';
import { runMocha } from './mochaRun';
import { inRepository, testFiles } from './paths';
import { suiteLine } from './report';

/** Called by VS Code. Without `TEST_FILES`, as from the debugger, every editor test runs. Rejects when a test failed. */
export async function run(): Promise<void> {
  process.env.TEST_EDITOR_VERSION = vscode.version;
  const { TEST_FILES, TEST_REPORT: report } = process.env;
  const files = TEST_FILES ? (JSON.parse(TEST_FILES) as string[]) : testFiles(inRepository('out/editor'));
  const print = (line: string) => console.log(suiteLine + line);
  const { failures } = await runMocha({ files, timeoutMs: 120_000, report, print });
  if (failures > 0) throw new Error(`${failures} of the editor tests failed`);
}
