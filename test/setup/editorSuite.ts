// `extensionTestsPath` of the editor layer: what runs inside the extension host, of either kind.
import * as net from 'node:net';
import * as path from 'node:path';
import * as vscode from 'vscode';
import { runMocha } from './mochaRun';
import { inRepository, testFiles } from './paths';

/**
 * An error that nobody catches ends the test that runs, as mocha does it. One that an extension of the editor throws (its debugger of
 * Node does, once for each try to reach a program that has ended) is none of ours: it is only printed.
 */
function leaveOthersErrors(): void {
  if (process.hasUncaughtExceptionCaptureCallback()) return;
  const extensions = path.join(vscode.env.appRoot, 'extensions') + path.sep;
  const events: NodeJS.EventEmitter = process;
  process.setUncaughtExceptionCaptureCallback(error => {
    const { stack = '' } = error;
    const isOurs = [inRepository('dist'), inRepository('out')].some(folder => stack.includes(folder + path.sep));
    if (stack.includes(extensions) && !isOurs) console.error('Not caught by an extension of the editor:', error);
    else events.emit('uncaughtException', error, 'uncaughtException');
  });
}

/** Called by VS Code. Without `TEST_FILES`, as from the debugger, every editor test runs. Rejects when a test failed. */
export async function run(): Promise<void> {
  process.env.TEST_EDITOR_VERSION = vscode.version;
  leaveOthersErrors();
  const { TEST_FILES, TEST_REPORT: report, TEST_OUTPUT: output } = process.env;
  // What the extension host of a desktop writes to the console appears in the terminal; that of a server's does not.
  const terminal = output ? net.connect(output) : undefined;
  const print = (line: string) => {
    if (terminal) terminal.write(`${line}\n`);
    else console.log(line);
  };
  const files = TEST_FILES ? (JSON.parse(TEST_FILES) as string[]) : testFiles(inRepository('out/test/editor'));
  const { files: results } = await runMocha({ files, timeoutMs: 120_000, report, print }).finally(() =>
    terminal?.end(),
  );
  const failed = Object.values(results).flatMap(({ failures }) => failures);
  if (failed.length > 0) throw new Error(`${failed.length} of the editor tests failed`);
}
