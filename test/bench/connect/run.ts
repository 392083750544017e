import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { npmServerPath } from '../../servers/npm';
import { inRepository, remove, temporaryFolder } from '../../setup/paths';

/** Runs one script in a process of its own. @returns the milliseconds it took. */
export type Run = (script: 'ours' | 'bareSdk', ...args: string[]) => Promise<number>;

/** Bundles the reference like ours, and caches compiled code for both. */
export async function* withScripts<T>(use: (run: Run) => AsyncIterable<T>): AsyncGenerator<T> {
  const folder = temporaryFolder();
  try {
    const sdk = join(folder, 'sdk.js');
    await build({
      entryPoints: [inRepository('test/bench/connect/sdk.ts')],
      outfile: sdk,
      ...{ bundle: true, minify: true, platform: 'node', format: 'cjs', logLevel: 'error' },
    });
    yield* use(async (script, ...args) => {
      const file = inRepository('out/test/bench/connect', `${script}.js`);
      const bundle = script === 'ours' ? inRepository('dist/host.js') : sdk;
      const all = [file, bundle, folder, npmServerPath('everything'), ...args];
      const { stdout } = await promisify(execFile)(process.execPath, all, { timeout: 60_000 });
      return Number(stdout);
    });
  } finally {
    remove(folder);
  }
}
