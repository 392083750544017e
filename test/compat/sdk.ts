// npm run compat -- sdk [version]: installs the newest SDK client 2.x (or the given version) into a temporary folder and runs
// the tests of what stands on it: the seam itself, connections, eras, calls, tasks, lists, and what servers ask. What broke is
// at the end.
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire, registerHooks } from 'node:module';
import * as path from 'node:path';
import { pathToFileURL } from 'node:url';
import { runMocha } from '../setup/mochaRun';
import { inRepository, remove, temporaryFolder, testFiles } from '../setup/paths';
import type { Outcome } from './part';

const SDK = '@modelcontextprotocol/client';

/** Tests that talk to servers through the SDK's client, below out/test/unit/host. */
const CORE =
  /^(sdk[\\/].*|calls|tasks|eras|elicitation|catalogItems|catalogPaging|changeStream|subscriptions|roots|remote|stdio|httpAnswers|faultsOfMessages|faultsOfRequests)\.test\.js$/;

/** @returns the version that was installed. */
function install(folder: string, wanted: string): string {
  writeFileSync(path.join(folder, 'package.json'), '{ "private": true }');
  const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';
  execFileSync(
    npm,
    ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error', `${SDK}@${wanted}`],
    {
      cwd: folder,
      stdio: ['ignore', 'ignore', 'inherit'],
      shell: process.platform === 'win32',
    },
  );
  return versionIn(folder);
}

function versionIn(folder: string): string {
  const text = readFileSync(path.join(folder, 'node_modules', SDK, 'package.json'), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}

/** The core's tests on another SDK client than the one that package.json has. */
export async function sdk([wanted = '2']: string[]): Promise<Outcome> {
  const folder = temporaryFolder();
  try {
    const version = install(folder, wanted);
    console.log(`The core on ${SDK} ${version} (package.json has ${versionIn(inRepository())})`);
    const { resolve } = createRequire(path.join(folder, 'index.js'));
    const names = [SDK, `${SDK}/stdio`, `${SDK}/validators/cf-worker`];
    const urls = new Map(names.map(name => [name, pathToFileURL(resolve(name)).href]));
    const hooks = registerHooks({
      resolve: (specifier, context, next) => {
        const url = urls.get(specifier);
        return url ? { url, shortCircuit: true } : next(specifier, context);
      },
    });
    const tests = inRepository('out', 'test', 'unit', 'host');
    const files = testFiles(tests).filter(file => CORE.test(path.relative(tests, file)));
    // What a busy machine makes late is not what is looked for.
    const results = Object.values((await runMocha({ files, timeoutMs: 60_000 })).files);
    const passed = results.reduce((sum, { passes }) => sum + passes, 0);
    const failed = results.reduce((sum, { failures }) => sum + failures.length, 0);
    const loaded = Object.keys(require.cache).filter(file => file.includes(path.join('node_modules', SDK)));
    if (loaded.length === 0 || loaded.some(file => file.startsWith(inRepository())))
      throw new Error(`the tests ran on another SDK: ${loaded}`);
    hooks.deregister();
    return {
      lines: [`sdk: ${SDK} ${version}: ${passed} passed, ${failed} failed`],
      passed,
      failed,
    };
  } finally {
    remove(folder);
  }
}
