// Takes the place of the desktop `code` executable for runTests() of @vscode/test-electron: understands the same arguments, runs the
// suite in the extension host of the VS Code server, bounded in time, and exits with a code of the same meaning.
import * as fs from 'node:fs';
import * as path from 'node:path';
import { format, parseArgs } from 'node:util';
import type { Browser, Page } from 'playwright-core';
import { launchBrowser, remoteUri, workbenchUrl } from './browser';
import { artifacts } from './paths';
import { endWithStarter } from './processes';
import { readReport, suiteLine } from './report';
import { startServer, type VSCodeServer } from './server';

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
  /** Log files of the window. */
  logs?: { relativePath: string; contents: string }[];
}

/**
 * Resolves with 0 when the suite's `run()` resolved, 1 when it rejected, 124 when time was up, 70 when the page crashed
 * and 71 when the extension host did: the page reports that as 0 too, so only the suite's own report proves an end.
 */
async function runInServer(options: RunInServerOptions): Promise<number> {
  let server: VSCodeServer | undefined;
  let browser: Browser | undefined;
  try {
    const { userDataDir, extensionsDir } = options;
    // The address of the page has room for one only.
    const [, ...unpacked] = options.extensions;
    const started = await Promise.allSettled([
      startServer({ driver: true, debugs: true, userDataDir, extensionsDir, unpacked }).then(s => (server = s)),
      launchBrowser().then(b => (browser = b)),
    ]);
    for (const start of started) if (start.status === 'rejected') throw start.reason;
    const page = await browser!.newPage({ viewport: { width: 1400, height: 900 } });
    const log: string[] = [];
    const outcome = await runInPage(page, server!, options, log);
    if (outcome.code === 0 && !readReport(options.report)?.finished) {
      Object.assign(outcome, { code: 71, why: 'The extension host ended before the suite did.' });
    }
    if (outcome.why) console.error(outcome.why);
    if (outcome.code !== 0) await keepEvidence(page, outcome, log, options.artifacts);
    return outcome.code;
  } finally {
    await browser?.close().catch(() => undefined);
    await server?.stop();
  }
}

/** The page calls these two functions: one for each line that is printed, the other with the end of the run. */
async function runInPage(
  page: Page,
  server: VSCodeServer,
  options: RunInServerOptions,
  log: string[],
): Promise<Outcome> {
  let timer: NodeJS.Timeout | undefined;
  try {
    const outcome = new Promise<Outcome>((resolve, reject) => {
      page
        .exposeFunction('codeAutomationExit', (code: number, logs: Outcome['logs']) => resolve({ code, logs }))
        .catch(reject);
      page.once('crash', () => resolve({ code: 70, why: 'The page of the workbench crashed.' }));
      const { timeoutMs } = options;
      timer = setTimeout(() => resolve({ code: 124, why: `No result within ${timeoutMs / 1000} s.` }), timeoutMs);
    });
    await page.exposeFunction('codeAutomationLog', (type: string, args: unknown[]) => {
      const text = format(...args);
      log.push(`${type}: ${text}`);
      if (text.startsWith(suiteLine)) console.log(text.slice(suiteLine.length));
    });
    const tests: [string, string][] = [
      ['extensionDevelopmentPath', remoteUri(server, options.extensions[0])],
      ['extensionTestsPath', remoteUri(server, options.extensionTestsPath)],
    ];
    await page.goto(workbenchUrl(server, options.workspace, tests), { waitUntil: 'commit' });
    return await outcome;
  } finally {
    clearTimeout(timer);
  }
}

async function keepEvidence(page: Page, { logs = [] }: Outcome, log: string[], folder: string): Promise<void> {
  fs.mkdirSync(folder, { recursive: true });
  fs.writeFileSync(path.join(folder, 'window.log'), log.join('\n'));
  for (const { relativePath, contents } of logs) {
    const file = path.join(folder, 'logs', relativePath);
    fs.mkdirSync(path.dirname(file), { recursive: true });
    fs.writeFileSync(file, contents);
  }
  await page.screenshot({ path: path.join(folder, 'window.png') }).catch(() => undefined);
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
