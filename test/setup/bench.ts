// npm run bench [name …] [-- --compare old.jsonl]: every test/bench/*.bench.ts in turn, each in a process of its own, one
// JSON object per row, which are also kept in artifacts/bench/rows.jsonl. How long each took, and what changed since an
// earlier run, is told at the end. A row over its budget is a row like any other; only a benchmark that crashed
// makes the exit code 1.
import { once } from 'node:events';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import { compared, readRows } from './benchCompare';
import type { BenchRow } from './benchRow';
import { inRepository } from './paths';
import { endWithStarter, spawnGroup, stopGroup } from './processes';
import { productVsix } from './vsix';

/** For one benchmark. */
const timeoutMs = 10 * 60_000;
const artifacts = inRepository('artifacts/bench');

async function main(args: string[]): Promise<void> {
  const { values, positionals: wanted } = parseArgs({
    args,
    options: { compare: { type: 'string' } },
    allowPositionals: true,
  });
  const before = values.compare === undefined ? undefined : readRows(values.compare);
  const rows: BenchRow[] = [];
  const seconds: [name: string, took: number][] = [];
  const folder = inRepository('out/test/bench');
  const vsix = await productVsix();
  const files = fs.readdirSync(folder).filter(file => file.endsWith('.bench.js'));
  for (const file of files.sort()) {
    const name = path.basename(file, '.bench.js');
    if (wanted.length > 0 && !wanted.includes(name)) continue;
    const started = performance.now();
    const why = await runBench(path.join(folder, file), vsix, line => {
      console.log(line);
      rows.push(JSON.parse(line));
    });
    seconds.push([name, Math.round((performance.now() - started) / 1_000)]);
    if (!why) continue;
    console.error(`${name}: ${why}`);
    process.exitCode = 1;
  }
  fs.mkdirSync(artifacts, { recursive: true });
  fs.writeFileSync(path.join(artifacts, 'rows.jsonl'), rows.map(row => `${JSON.stringify(row)}\n`).join(''));
  const all = seconds.reduce((sum, [, took]) => sum + took, 0);
  console.error(`${all} s: ${seconds.map(([name, took]) => `${name} ${took}`).join(', ')}`);
  if (before) console.log(compared(before, rows));
}

/** @returns why it ended badly, or undefined. */
async function runBench(file: string, vsix: string, onRow: (line: string) => void): Promise<string | undefined> {
  const child = spawnGroup(process.execPath, ['--expose-gc', inRepository('out/test/setup/benchChild.js'), file], {
    env: { ...process.env, TEST_VSIX: vsix, TEST_ARTIFACTS: artifacts },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  createInterface({ input: child.stdout! }).on('line', onRow);
  let late = false;
  const timer = setTimeout(() => {
    late = true;
    void stopGroup(child, 10_000);
  }, timeoutMs);
  const [code, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null];
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
