// From a changed file of a server to the server that is back, with all its lists: the demo server, as `dev.watch` restarts it.
import { Reloader } from '../../src/features/dev/core/reloader';
import { absolute, type BenchRow } from '../setup/benchRow';
import { inRepository, remove, temporaryFolder } from '../setup/paths';
import { TestHost } from '../unit/host/testHost';

const TIMES = 7;

export async function* rows(): AsyncIterable<BenchRow> {
  const folder = temporaryFolder();
  const host = new TestHost();
  try {
    host.configure({
      notebook: {
        command: process.execPath,
        args: [inRepository('dist', 'demo-server.js')],
        cwd: folder,
        dev: { watch: '**' },
      },
    });
    const server = await host.loads('notebook');
    let reloaded: (ms: number) => void = () => {};
    const reloader: Reloader = new Reloader(server, {
      admit: async ({ entry }) => ({ entry: entry! }),
      shellPath: async () => undefined,
      log: () => {},
      changed: () => reloader.state?.kind === 'reloaded' && reloaded(performance.now()),
    });
    const times: number[] = [];
    for (let n = 0; n < TIMES; n++) {
      const end = new Promise<number>(resolve => {
        reloaded = resolve;
      });
      const start = performance.now();
      reloader.fileChanged();
      times.push((await end) - start);
    }
    reloader.dispose();
    yield absolute('dev: from a saved file to the reloaded server', times, 'ms', 2_000);
  } finally {
    await host.close();
    remove(folder);
  }
}
