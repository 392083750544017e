// node mochaChild.js: unit tests in a process of their own, those of `TEST_FILES`.
import { runMocha } from './mochaRun';
import { inRepository } from './paths';
import { endIfKeptAlive, endWithStarter } from './processes';

async function main(): Promise<void> {
  const { TEST_FILES, TEST_REPORT } = process.env;
  const { failures } = await runMocha({
    files: JSON.parse(TEST_FILES ?? '[]') as string[],
    timeoutMs: 60_000,
    isPatient: true,
    report: TEST_REPORT ?? inRepository('artifacts/unit/unit.json'),
  });
  process.exitCode = failures > 0 ? 1 : 0;
  endIfKeptAlive();
}

endWithStarter();
main().catch(error => {
  console.error(error);
  process.exit(1);
});
