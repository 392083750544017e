// Takes the place of the desktop `code` executable for runTests() of @vscode/test-electron: understands the same arguments, runs the
// suite in the extension host of the VS Code server, bounded in time, and exits with a code of the same meaning.
import * as fs from 'node:fs';
import * as net from 'node:net';
import * as path from 'node:path';
import { parseArgs } from 'node:util';
import { remoteUri, workbenchUrl } from './browser';
import { artifacts, remove, temporaryFolder } from './paths';
import { patience } from './patience';
import { atExit, endWithStarter } from './processes';
import { readReport } from './report';
import { startServer, type VSCodeServer } from './server';
import { openUndriven, type UndrivenPage } from './undriven';

interface RunInServerOptions {
  /** Folders of the extension that is under test, and of others. */
  extensions: [string, ...string[]];
  extensionTestsPath: string;
  /** Folder or `.code-workspace` file. */
  workspace: string;
  userDataDir?: string;
  extensionsDir?: string;
  timeoutMs: number;
  /** The file that the suite writes its result to (report.ts). */
  report: string;
  /** Gets a picture and the logs of a run that failed. */
  artifacts: string;
}

interface Outcome {
  code: number;
  why?: string;
}

/** How long a window may take until its suite begins. */
const startMs = 120_000;

/**
 * Resolves with 0 when the suite's tests passed, 1 when some failed, 124 when time was up, 70 when the page or the browser crashed
 * and 71 when the extension host did: only the suite's own report proves an end.
 */
async function runInServer(options: RunInServerOptions): Promise<number> {
  const folder = temporaryFolder();
  const forget = atExit(() => remove(folder));
  const [log, output] = [path.join(folder, 'window.log'), path.join(folder, 'output')];
  let server: VSCodeServer | undefined;
  let page: UndrivenPage | undefined;
  try {
    const { userDataDir, extensionsDir, workspace, timeoutMs } = options;
    const suite = await listen(output);
    // The address of the page has room for one only.
    const [extension, ...unpacked] = options.extensions;
    const env = { TEST_OUTPUT: output };
    server = await startServer({ driver: true, debugs: true, userDataDir, extensionsDir, unpacked, env });
    const tests: [string, string][] = [
      ['extensionDevelopmentPath', remoteUri(server, extension)],
      ['extensionTestsPath', remoteUri(server, options.extensionTestsPath)],
    ];
    page = await openUndriven(workbenchUrl(server, workspace, tests), path.join(folder, 'profile'), log);
    const { code, why } = await Promise.race<Outcome>([
      suite.ended.then(() => resultOf(options.report)),
      page.gone.then(() => ({ code: 70, why: 'The page of the workbench crashed.' })),
      late(suite.begun, startMs * patience()).then(() => ({ code: 71, why: 'The suite did not begin.' })),
      late(suite.ended, timeoutMs).then(() => ({ code: 124, why: `No result within ${timeoutMs / 1000} s.` })),
    ]);
    if (why) console.error(why);
    if (code !== 0) await keepEvidence(page, log, options.artifacts);
    return code;
  } finally {
    await page?.close();
    await server?.stop();
    forget();
    remove(folder);
  }
}

/** Prints what the suite says there. It has ended when its process has, in whatever way. */
async function listen(output: string): Promise<{ begun: Promise<void>; ended: Promise<void> }> {
  const [begun, ended] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const listener = net.createServer(socket => {
    begun.resolve();
    socket.pipe(process.stdout, { end: false });
    socket.on('error', () => undefined).once('close', () => ended.resolve());
  });
  await new Promise<void>(resolve => listener.listen(output, resolve));
  listener.unref();
  return { begun: begun.promise, ended: ended.promise };
}

/** Resolves after a time, unless the other promise does before. */
function late(event: Promise<void>, ms: number): Promise<void> {
  return new Promise(resolve => {
    const timer = setTimeout(resolve, ms);
    void event.then(() => clearTimeout(timer));
  });
}

function resultOf(report: string): Outcome {
  const { finished, files } = readReport(report);
  if (!finished) return { code: 71, why: 'The extension host ended before the suite did.' };
  return { code: Object.values(files).some(({ failures }) => failures.length > 0) ? 1 : 0 };
}

async function keepEvidence(page: UndrivenPage, log: string, folder: string): Promise<void> {
  fs.mkdirSync(folder, { recursive: true });
  fs.copyFileSync(log, path.join(folder, 'window.log'));
  await page.screenshot().then(
    picture => fs.writeFileSync(path.join(folder, 'window.png'), picture),
    () => undefined, // it has crashed
  );
}

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
