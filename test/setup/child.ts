// node child.js: runs the test files of each message, one after the other, and says so when it is done with one. It ends when it
// is disconnected. Files with a window share a browser and a VS Code server.
import { saveEvidence } from './evidence';
import { runMocha } from './mochaRun';
import { endIfKeptAlive, endWithStarter } from './processes';

interface Wanted {
  files: string[];
  report: string;
  hasWindow: boolean;
}

/** Closes what windows have left open: it would keep this process alive. */
let close = async (): Promise<void> => {};

async function runFiles({ files, report, hasWindow }: Wanted): Promise<void> {
  if (hasWindow) {
    const { closeSharedBrowser } = require('./browser') as typeof import('./browser');
    const { closeSharedServer, shareServers } = require('./server') as typeof import('./server');
    shareServers();
    close = async () => {
      await closeSharedBrowser();
      await closeSharedServer();
    };
  }
  // Ends what hangs. A busy machine takes long for a page and all its themes.
  const limits = hasWindow ? { timeoutMs: 300_000, onFailure: saveEvidence } : { timeoutMs: 60_000, isPatient: true };
  await runMocha({ files, report, ...limits });
  process.send?.('done');
}

function fail(error: unknown): never {
  console.error(error);
  process.exit(1);
}

endWithStarter();
process.on('message', (wanted: Wanted) => void runFiles(wanted).catch(fail));
process.once('disconnect', () => void close().then(endIfKeptAlive, fail));
