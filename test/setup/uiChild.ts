// node uiChild.js: runs the ui test files of `TEST_FILES`, one after the other, in one browser.
import { closeSharedBrowser } from './browser';
import { saveEvidence } from './evidence';
import { runMocha } from './mochaRun';
import { inRepository } from './paths';
import { endIfKeptAlive, endWithStarter } from './processes';
import { closeSharedServer, shareServers } from './sharedServer';

/** For one test or hook: it ends what hangs. A busy machine takes long for a page and all its themes. */
const timeoutMs = 180_000;

async function main(): Promise<void> {
  const { TEST_FILES, TEST_REPORT: report = inRepository('artifacts/ui/ui.json') } = process.env;
  const files = JSON.parse(TEST_FILES ?? '[]') as string[];
  shareServers();
  const { failures } = await runMocha({ files, timeoutMs, report, onFailure: saveEvidence });
  process.exitCode = failures > 0 ? 1 : 0;
  await closeSharedBrowser();
  await closeSharedServer();
  endIfKeptAlive();
}

endWithStarter();
main().catch(error => {
  console.error(error);
  process.exit(1);
});
