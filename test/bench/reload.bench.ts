// From a changed file of a server to the server that is back with all its lists, and to a test of it that has passed: the demo
// server, as `dev.watch` restarts it.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { readTestFile } from '../../src/features/authors/core/readTestFile';
import { runTests } from '../../src/features/authors/core/runTests';
import { testedServer } from '../../src/features/authors/core/testServer';
import { UNGUARDED } from '../../src/features/authors/core/testSession';
import { Reloader } from '../../src/features/dev/core/reloader';
import { programPorts } from '../setup/itsServer';
import { inRepository, remove, temporaryFolder } from '../setup/paths';
import { TestHost } from '../unit/host/testHost';
import { absolute, type BenchRow } from './row';

const TIMES = 7;
const TESTS = inRepository('src', 'demo', 'demo.mcptest.yaml');

/** Runs the test of the demo server that calls, reads, gets and completes. @throws when it does not pass. */
async function pass(): Promise<void> {
  const { file, problems } = readTestFile(readFileSync(TESTS, 'utf8'), TESTS);
  assert.deepEqual(problems, []);
  const tested = testedServer(TESTS, file!, () => undefined);
  assert.ok('definition' in tested);
  const { tests } = await runTests(file!, {
    ports: programPorts,
    guard: UNGUARDED,
    path: TESTS,
    signal: new AbortController().signal,
    definition: tested.definition,
    tests: file!.tests.filter(({ name }) => name === 'adds, finds and deletes a note'),
  });
  assert.deepEqual(
    tests.map(({ status }) => status),
    ['passed'],
  );
}

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
      ...programPorts,
      log: () => {},
      changed: () => reloader.state?.kind === 'reloaded' && reloaded(performance.now()),
    });
    const times: number[] = [];
    const toPassed: number[] = [];
    for (let n = 0; n < TIMES; n++) {
      const end = new Promise<number>(resolve => {
        reloaded = resolve;
      });
      const start = performance.now();
      reloader.fileChanged();
      times.push((await end) - start);
      await pass();
      toPassed.push(performance.now() - start);
    }
    reloader.dispose();
    yield absolute('dev: from a saved file to the reloaded server', times, 'ms', 2_000);
    yield absolute('dev: from a saved file to a passed test of the reloaded server', toPassed, 'ms', 2_000);
  } finally {
    await host.close();
    remove(folder);
  }
}
