// uiChild.js: runs ui test files in one browser, those of each message.
import { closeSharedBrowser } from './browser';
import { saveEvidence } from './evidence';
import { runMocha } from './mochaRun';
import { endIfKeptAlive, endWithStarter } from './processes';
import { closeSharedServer, shareServers } from './sharedServer';

/** For one test or hook: it ends what hangs. A busy machine takes long for a page and all its themes. */
const timeoutMs = 300_000;

interface Wanted {
  files: string[];
  report: string;
}

/** Runs files, and says so when they are done. */
async function runFiles({ files, report }: Wanted): Promise<void> {
  const { failures } = await runMocha({ files, timeoutMs, report, onFailure: saveEvidence });
  if (failures > 0) process.exitCode = 1;
  process.send?.('done');
}

/** After the last portion: what is shared would keep this process alive. */
async function end(): Promise<void> {
  await closeSharedBrowser();
  await closeSharedServer();
  endIfKeptAlive();
}

function fail(error: unknown): never {
  console.error(error);
  process.exit(1);
}

endWithStarter();
shareServers();
process.on('message', (wanted: Wanted) => void runFiles(wanted).catch(fail));
process.once('disconnect', () => void end().catch(fail));
