// The editor layer: mocha inside a real extension host, in a window for each fixture workspace, and in two for the one
// that most files run in, where two can be open at once.
// node editorRun.js window <workspace>: one window, with the files of TEST_FILES.
import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import { runTests } from '@vscode/test-electron';
import { chooseHost, desktopExecutable } from './host';
import { type Portion, runInLanes } from './lanes';
import { artifacts, inRepository, remove, sourceOf, temporaryFolder, testFiles } from './paths';
import { portions } from './portions';
import { atExit, endWithStarter } from './processes';
import { type Settings, userSettings } from './settings';
import { expectedMs, rememberTimes } from './times';
import { copyWorkspace } from './workspaces';

/** User settings of a workspace's window, written before it starts. */
const settings: Record<string, Settings> = {
  untrusted: {
    'security.workspace.trust.enabled': true,
    'security.workspace.trust.startupPrompt': 'never',
    'security.workspace.trust.banner': 'never',
  },
  // Else the editor reads certificates from files of the system, which no test may change.
  network: { 'http.systemCertificatesNode': true },
};

/** What a workspace's window has in its environment besides. */
const environments: Record<string, NodeJS.ProcessEnv> = {
  network: { NO_PROXY: 'unproxied.test', SSL_CERT_FILE: inRepository('test/servers/tls/ca.pem') },
};

/** Folders of extensions that a workspace's window has besides. */
const extensions: Record<string, string[]> = { sampling: [inRepository('test/setup/demo-model')] };

/**
 * `test/editor/<name>/` runs in the workspace `test/workspaces/<name>/` where there is one of that name; every other
 * test runs in `test/workspaces/editor/`.
 */
function windows(atOnce: number): [workspace: string, files: string[]][] {
  const runs = new Map<string, string[]>();
  for (const file of testFiles(inRepository('out/editor'))) {
    const [folder = ''] = path.relative(inRepository('out/editor'), file).split(path.sep);
    const workspace = fs.existsSync(inRepository('test/workspaces', folder)) ? folder : 'editor';
    runs.set(workspace, [...(runs.get(workspace) ?? []), file]);
  }
  const msOf = expectedMs();
  const all = [...runs].flatMap(([workspace, files]): [string, string[]][] => {
    const shares =
      workspace === 'editor'
        ? portions(files, file => msOf(sourceOf(file)), process.env.MOCHA_GREP ? 1 : atOnce)
        : [files];
    // In a window, files come in the order of their names.
    return shares.map(share => [workspace, share.sort()]);
  });
  return all.sort(([, a], [, b]) => b.length - a.length);
}

/** One window: fresh profile, copied workspace, the built extension and the suite. Rejects when it was not green. */
async function runInWindow(workspace: string): Promise<void> {
  const host = await chooseHost();
  const folder = temporaryFolder();
  const cancelRemove = atExit(() => remove(folder));
  const [userDataDir, extensionsDir] = [path.join(folder, 'user'), path.join(folder, 'extensions')];
  fs.mkdirSync(path.join(userDataDir, 'User'), { recursive: true });
  fs.writeFileSync(
    path.join(userDataDir, 'User', 'settings.json'),
    JSON.stringify(userSettings(settings[workspace]), null, 2),
  );
  try {
    await runTests({
      vscodeExecutablePath: host === 'desktop' ? await desktopExecutable() : inRepository('test/setup/code.mjs'),
      extensionDevelopmentPath: [inRepository(), ...(extensions[workspace] ?? [])],
      extensionTestsPath: inRepository('out/setup/editorSuite.js'),
      extensionTestsEnv: {
        ...environments[workspace],
        TEST_HOST: host,
        TEST_FILES: process.env.TEST_FILES,
        TEST_REPORT: process.env.TEST_REPORT,
        TEST_ARTIFACTS: path.join(artifacts(), path.parse(process.env.TEST_REPORT ?? workspace).name),
        // The stand-in for the executable is a Node script: it is to run with the Node that runs this.
        PATH: [path.dirname(process.execPath), process.env.PATH].join(path.delimiter),
      },
      launchArgs: [
        copyWorkspace(workspace, path.join(folder, workspace)),
        `--user-data-dir=${userDataDir}`,
        `--extensions-dir=${extensionsDir}`,
        '--disable-extensions',
      ],
    });
  } finally {
    cancelRemove();
    remove(folder);
  }
}

async function main(): Promise<void> {
  const [, workspace] = process.argv.slice(2);
  if (workspace) return runInWindow(workspace);
  const host = await chooseHost();
  console.log(`VS Code: ${host}`);
  if (host === 'desktop') await desktopExecutable(); // downloaded once
  // A desktop has one focus, which several windows would take from each other.
  // On two cores, two windows gain nothing: each has a browser and a server of its own.
  const atOnce =
    host === 'desktop'
      ? 1
      : Math.min(2, Number(process.env.TEST_PROCESSES) || Math.ceil(os.availableParallelism() / 3));
  const reports = process.env.TEST_REPORTS ?? artifacts();
  const all = windows(atOnce).map(
    ([name, files], i): Portion => ({
      program: ['editorRun.js', 'window', name],
      files,
      report: path.join(reports, `${name}-${i + 1}.json`),
      timeoutMs: 18 * 60_000,
    }),
  );
  const times = await runInLanes(all, atOnce);
  if (!process.env.MOCHA_GREP) rememberTimes(times);
}

endWithStarter();
main().catch(error => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});
