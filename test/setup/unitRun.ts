// The unit layer: its files in several processes at once, the longest first.
import * as os from 'node:os';
import * as path from 'node:path';
import { runInLanes } from './lanes';
import { inRepository, sourceOf, testFiles } from './paths';
import { portions } from './portions';
import { endWithStarter } from './processes';
import { expectedMs, rememberTimes } from './times';

async function main(): Promise<void> {
  const reports = process.env.TEST_REPORTS ?? inRepository('artifacts/unit');
  const { MOCHA_GREP, TEST_PROCESSES } = process.env;
  const atOnce = Number(TEST_PROCESSES) || os.availableParallelism();
  const msOf = expectedMs();
  const files = portions(
    testFiles(inRepository('out/unit')),
    file => msOf(sourceOf(file)),
    MOCHA_GREP ? atOnce : undefined,
  );
  const times = await runInLanes(
    files.map((portion, i) => ({
      program: ['mochaChild.js'],
      files: portion,
      report: path.join(reports, `unit-${i + 1}.json`),
      timeoutMs: 8 * 60_000,
    })),
    atOnce,
  );
  if (!MOCHA_GREP) rememberTimes(times);
}

endWithStarter();
main().catch(error => {
  console.error(error);
  process.exitCode = 1;
});
