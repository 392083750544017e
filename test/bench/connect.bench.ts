// From a fresh process to the first server ready with its tools listed: our host bundle against a bare SDK client in
// legacy mode. The processes take turns; both bundles are minified, and compiled code is cached for both.
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { npmServerPath } from '../servers/npm';
import { type BenchRow, median, relative } from '../setup/benchRow';
import { inRepository, remove, temporaryFolder } from '../setup/paths';

const rounds = 9;
/** Cold: the era is probed on the server's own pipe. */
const budget = 1.15;

export async function* rows(): AsyncGenerator<BenchRow> {
  const folder = temporaryFolder();
  try {
    const sdk = join(folder, 'sdk.js');
    await build({
      entryPoints: [inRepository('test/bench/connect/sdk.ts')],
      outfile: sdk,
      ...{ bundle: true, minify: true, platform: 'node', format: 'cjs', logLevel: 'error' },
    });
    const run = runner(folder);
    const times = { ours: [] as number[], sdk: [] as number[] };
    for (let round = 0; round <= rounds; round++) {
      const ours = await run('ours', inRepository('dist/host.js'));
      const reference = await run('bareSdk', sdk);
      if (round === 0) continue; // fills the caches
      times.ours.push(ours);
      times.sdk.push(reference);
    }
    yield relative(
      'connect: to the first server ready, tools listed',
      median(times.ours),
      'ms',
      median(times.sdk),
      budget,
    );
  } finally {
    remove(folder);
  }
}

/** Runs one of the scripts in a process of its own. @returns the milliseconds it took. */
const runner = (cache: string) => async (script: string, bundle: string) => {
  const file = inRepository('out/bench/connect', `${script}.js`);
  const { stdout } = await promisify(execFile)(process.execPath, [file, bundle, cache, npmServerPath('everything')], {
    timeout: 30_000,
  });
  return Number(stdout);
};
