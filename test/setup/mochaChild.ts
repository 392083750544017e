// node mochaChild.js <layer>: tests of the unit and ui layers in a process of their own: those of `TEST_FILES`, or all.
import * as path from 'node:path';
import { saveEvidence } from './evidence';
import { runMocha } from './mochaRun';
import { inRepository, testFiles } from './paths';
import { endWithStarter } from './processes';

/** How long a process may live on after its last test: enough for the close of idle sockets. */
const leakGraceMs = 10_000;

async function main([layer = 'unit']: string[]): Promise<void> {
  const { TEST_FILES, TEST_REPORT, TEST_REPORTS } = process.env;
  const { failures } = await runMocha({
    files: TEST_FILES ? (JSON.parse(TEST_FILES) as string[]) : testFiles(inRepository('out', layer)),
    timeoutMs: layer === 'ui' ? 90_000 : 30_000,
    report: TEST_REPORT ?? path.join(TEST_REPORTS ?? inRepository('artifacts', layer), `${layer}.json`),
    onFailure: saveEvidence,
  });
  process.exitCode = failures > 0 ? 1 : 0;
  setTimeout(() => {
    console.error('The tests are over, but something keeps their process alive:', process.getActiveResourcesInfo());
    process.exit(3);
  }, leakGraceMs).unref();
}

endWithStarter();
main(process.argv.slice(2)).catch(error => {
  console.error(error);
  process.exit(1);
});
