// node uiChild.js: runs the ui test files whose names its starter (uiRun.ts) sends, one after the other, in one browser.
import * as path from 'node:path';
import { closeSharedBrowser } from './browser';
import { saveEvidence } from './evidence';
import { runMocha } from './mochaRun';
import { endIfKeptAlive, endWithStarter } from './processes';

/** For one test or hook: it ends what hangs. A busy machine takes long for a page and all its themes. */
const timeoutMs = 180_000;

async function runFile(file: string): Promise<void> {
  const report = path.join(process.env.TEST_REPORTS ?? '.', `ui-${path.basename(file, '.test.js')}.json`);
  const { failures } = await runMocha({ files: [file], timeoutMs, report, onFailure: saveEvidence });
  if (failures > 0) process.exitCode = 1;
  process.send?.('done');
}

function fail(error: unknown): never {
  console.error(error);
  process.exit(1);
}

endWithStarter();
process.on('message', (file: string) => runFile(file).catch(fail));
process.once('disconnect', () => {
  closeSharedBrowser().catch(fail);
  endIfKeptAlive();
});
