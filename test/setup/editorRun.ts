// node editorRun.js <workspace>: a window of the editor layer, which runs the files of `TEST_FILES` with mocha inside a real
// extension host. `test/editor/<name>/` runs in the workspace `test/workspaces/<name>/` where there is one of that name;
// every other test runs in `test/workspaces/editor/`.
import * as fs from 'node:fs';
import * as path from 'node:path';
import { runTests } from '@vscode/test-electron';
import { makeExampleExtension } from './apiSample';
import { bugsIn } from './evidence';
import { chooseHost, desktopExecutable } from './host';
import { artifacts, inRepository, remove, temporaryFolder } from './paths';
import { atExit, endWithStarter } from './processes';
import { type Settings, steady, userSettings } from './settings';
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

/** Folders of extensions that a workspace's window has besides. @param folder for those that are built. */
const extensions: Record<string, (folder: string) => string[]> = {
  extensions: folder => [
    ...['demo-model', 'api-user'].map(name => inRepository('test/extensions', name)),
    makeExampleExtension(path.join(folder, 'api-example')),
  ],
};

/** One window: fresh profile, copied workspace, the built extension and the suite. Rejects when it was not green. */
async function runInWindow(workspace: string): Promise<void> {
  const host = await chooseHost();
  const folder = temporaryFolder();
  const cancelRemove = atExit(() => remove(folder));
  const [userDataDir, extensionsDir] = [path.join(folder, 'user'), path.join(folder, 'extensions')];
  fs.mkdirSync(path.join(userDataDir, 'User'), { recursive: true });
  fs.writeFileSync(
    path.join(userDataDir, 'User', 'settings.json'),
    JSON.stringify(userSettings({ ...steady, ...settings[workspace] }), null, 2),
  );
  try {
    await runTests({
      vscodeExecutablePath: host === 'desktop' ? await desktopExecutable() : inRepository('test/setup/code.mjs'),
      extensionDevelopmentPath: [inRepository(), ...(extensions[workspace]?.(folder) ?? [])],
      extensionTestsPath: inRepository('out/test/setup/editorSuite.js'),
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
    const bugs = bugsIn(path.join(userDataDir, 'logs'));
    if (bugs.length > 0) throw new Error(bugs.join('\n'));
  } finally {
    cancelRemove();
    remove(folder);
  }
}

endWithStarter();
runInWindow(process.argv[2] ?? 'editor').catch(error => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});
