// How long it takes from saving a test file until `mcptest.js`, started then, has told that its test of the demo server passes.
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { inRepository, remove, temporaryFolder } from '../setup/paths';
import { absolute, type BenchRow } from './row';

const rounds = 12;
/** The first of them fill caches. */
const warmUp = 2;

export async function* rows(): AsyncIterable<BenchRow> {
  const folder = temporaryFolder();
  try {
    const file = join(folder, 'demo.mcptest.json');
    const server = { command: process.execPath, args: [inRepository('dist', 'demo-server.js')] };
    const measured: number[] = [];
    for (let round = 0; round < rounds; round++) {
      const step = { call: 'add_note', arguments: { name: `note-${round}`, text: 'x' }, expect: { contains: 'Added' } };
      const started = performance.now();
      writeFileSync(file, JSON.stringify({ server, emptyFolder: true, tests: [{ name: 'adds', steps: [step] }] }));
      // Rejects unless it passes.
      await promisify(execFile)(process.execPath, [inRepository('dist', 'mcptest.js'), file]);
      if (round >= warmUp) measured.push(performance.now() - started);
    }
    yield absolute('tests: from saving to green, one test of the demo server', measured, 'ms', 2_000);
  } finally {
    remove(folder);
  }
}
