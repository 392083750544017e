// npm run compat [version]: installs the newest SDK client 2.x (or the given version) into a temporary folder and runs the
// tests of what stands on it: the seam itself, connections, eras, calls, tasks, lists, and what servers ask. What broke is at
// the end. Needs the registry, so it is no part of `npm test`.
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import * as path from 'node:path';
import { pathToFileURL } from 'node:url';
import { runMocha } from './mochaRun';
import { inRepository, remove, temporaryFolder, testFiles } from './paths';
import { endWithStarter } from './processes';

const SDK = '@modelcontextprotocol/client';

/** Tests that talk to servers through the SDK's client, below out/unit/host. */
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

async function main([wanted = '2']: string[]): Promise<number> {
  const folder = temporaryFolder();
  try {
    const version = install(folder, wanted);
    console.log(`The core on ${SDK} ${version} (package.json has ${versionIn(inRepository())})`);
    const parentURL = pathToFileURL(path.join(folder, 'index.js')).href;
    registerHooks({
      resolve: (specifier, context, next) =>
        specifier === SDK || specifier.startsWith(`${SDK}/`)
          ? next(specifier, { ...context, parentURL })
          : next(specifier, context),
    });
    const tests = inRepository('out', 'unit', 'host');
    const files = testFiles(tests).filter(file => CORE.test(path.relative(tests, file)));
    const { passes, failures } = await runMocha({ files, timeoutMs: 10_000 });
    console.log(`${SDK} ${version}: ${passes} passed, ${failures} failed`);
    return failures > 0 ? 1 : 0;
  } finally {
    remove(folder);
  }
}

endWithStarter();
main(process.argv.slice(2)).then(
  code => process.exit(code),
  error => {
    console.error(error instanceof Error ? error.message : error);
    process.exit(1);
  },
);
