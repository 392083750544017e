// npm run bench [name …]: every test/bench/*.bench.ts in turn, each in a process of its own, one JSON object per row.
// A row over its budget is a row like any other; only a benchmark that crashed makes the exit code 1.
import { once } from 'node:events';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { inRepository } from './paths';
import { endWithStarter, spawnGroup, stopGroup } from './processes';
import { productVsix } from './vsix';

/** For one benchmark. */
const timeoutMs = 10 * 60_000;

async function main(wanted: string[]): Promise<void> {
  const folder = inRepository('out/bench');
  const vsix = await productVsix();
  const files = fs.readdirSync(folder).filter(file => file.endsWith('.bench.js'));
  for (const file of files.sort()) {
    const name = path.basename(file, '.bench.js');
    if (wanted.length > 0 && !wanted.includes(name)) continue;
    const why = await runBench(path.join(folder, file), vsix);
    if (!why) continue;
    console.error(`${name}: ${why}`);
    process.exitCode = 1;
  }
}

/** @returns why it ended badly, or undefined. */
async function runBench(file: string, vsix: string): Promise<string | undefined> {
  const child = spawnGroup(process.execPath, ['--expose-gc', inRepository('out/setup/benchChild.js'), file], {
    env: { ...process.env, TEST_VSIX: vsix, TEST_ARTIFACTS: inRepository('artifacts/bench') },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  let late = false;
  const timer = setTimeout(() => {
    late = true;
    void stopGroup(child, 10_000);
  }, timeoutMs);
  const [code, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null];
  clearTimeout(timer);
  await stopGroup(child);
  if (late) return `took longer than ${timeoutMs / 60_000} minutes`;
  return code === 0 ? undefined : `ended with ${code ?? signal}`;
}

endWithStarter();
main(process.argv.slice(2)).catch(error => {
  console.error(error);
  process.exitCode = 1;
});
