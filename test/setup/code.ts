// Takes the place of the desktop `code` executable for runTests() of @vscode/test-electron: understands the same
// arguments, runs the suite in the VS Code server, and exits with a code of the same meaning.
import * as path from 'node:path';
import { parseArgs } from 'node:util';
import { artifacts } from './paths';
import { endWithStarter } from './processes';
import { runInServer } from './runInServer';

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    strict: false, // the arguments for the desktop's window are of no interest here
    options: {
      extensionDevelopmentPath: { type: 'string', multiple: true },
      extensionTestsPath: { type: 'string' },
      'user-data-dir': { type: 'string' },
      'extensions-dir': { type: 'string' },
    },
  });
  const text = (value: unknown) => (typeof value === 'string' ? value : undefined);
  const [extension, ...others] = (values.extensionDevelopmentPath ?? []) as string[];
  const extensionTestsPath = text(values.extensionTestsPath);
  if (!extension || !extensionTestsPath) {
    throw new Error('--extensionDevelopmentPath and --extensionTestsPath are needed');
  }
  process.exitCode = await runInServer({
    extensions: [extension, ...others],
    extensionTestsPath,
    workspace: path.resolve(positionals[0] ?? '.'),
    userDataDir: text(values['user-data-dir']),
    extensionsDir: text(values['extensions-dir']),
    timeoutMs: Number(process.env.TEST_TIMEOUT_MS ?? 300_000),
    report: process.env.TEST_REPORT ?? '',
    artifacts: artifacts(),
  });
}

endWithStarter();
main().catch(error => {
  console.error(error);
  process.exitCode = 1;
});
