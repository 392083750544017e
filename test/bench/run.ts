// npm run bench [name …] [-- --compare old.jsonl] [--gate] [--record]: every test/bench/*.bench.ts in turn, each in a process of
// its own, one JSON object per row, which are also kept in artifacts/bench/rows.jsonl. A row over its budget is a row like any
// other, unless it is to pass the gate. `--record` writes to docs/performance.md, and adds a run of all to docs/performance.
// npm run bench -- --lock [folder …]: renews the lock files of packages that benchmarks install (onDemand.ts).
import { once } from 'node:events';
import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import { packageFolders, renewLock } from '../setup/onDemand';
import { inRepository } from '../setup/paths';
import { endWithStarter, run, spawnGroup, stopGroup } from '../setup/processes';
import { productVsix } from '../setup/vsix';
import { compared, readRows } from './compared';
import { complaints, readHistory, record } from './history';
import { writePage, writeTable } from './page';
import type { BenchRow } from './row';

/** For one benchmark. */
const timeoutMs = 30 * 60_000;
/** What takes long or needs packages of npm: only when it is named. */
const BY_NAME = ['growth', 'lint', 'npmServers', 'peers'];
const artifacts = inRepository('artifacts/bench');

async function main(args: string[]): Promise<void> {
  const { values: options, positionals: wanted } = parseArgs({
    args,
    options: {
      compare: { type: 'string' },
      gate: { type: 'boolean' },
      record: { type: 'boolean' },
      lock: { type: 'boolean' },
    },
    allowPositionals: true,
  });
  if (options.lock) {
    for (const folder of packageFolders) if (wanted.length === 0 || wanted.includes(folder)) await renewLock(folder);
    return;
  }
  const before = options.compare === undefined ? undefined : readRows(options.compare);
  const history = readHistory();
  const names = namesOf(wanted);
  const last = history.at(-1)?.seconds ?? {};
  const rows: BenchRow[] = [];
  const seconds: Record<string, number> = {};
  const vsix = await productVsix();
  for (const [i, name] of names.entries()) {
    const left = names.slice(i).reduce((sum, other) => sum + (last[other] ?? 0), 0);
    console.error(`[${i + 1}/${names.length}] ${name}${left > 0 ? ` (about ${Math.ceil(left / 60)} min left)` : ''}`);
    const started = performance.now();
    const why = await runBench(name, vsix, line => {
      console.log(line);
      rows.push(JSON.parse(line));
    });
    seconds[name] = Math.round((performance.now() - started) / 1_000);
    if (why) fail(`${name}: ${why}`);
  }
  fs.mkdirSync(artifacts, { recursive: true });
  fs.writeFileSync(path.join(artifacts, 'rows.jsonl'), rows.map(row => `${JSON.stringify(row)}\n`).join(''));
  if (before) console.log(compared(before, rows));
  if (options.gate) for (const complaint of complaints(rows, history)) fail(complaint);
  if (!options.record) return;
  for (const name of wanted) writeTable(name);
  if (wanted.length > 0) return;
  const commit = (await run('git', ['rev-parse', '--short', 'HEAD'], { timeoutMs: 10_000 })).trim();
  const machine = `${os.cpus().length} × ${os.cpus()[0]?.model.trim()}, Node ${process.versions.node}`;
  record({ date: new Date().toISOString(), commit, machine, seconds, rows });
  await writePage();
}

/** The benchmarks of these names, or all but those that have to be named. @throws Error for a name that none has. */
function namesOf(wanted: readonly string[]): string[] {
  const files = fs.readdirSync(inRepository('out/test/bench')).filter(file => file.endsWith('.bench.js'));
  const all = files.map(file => path.basename(file, '.bench.js')).sort();
  const unknown = wanted.find(name => !all.includes(name));
  if (unknown) throw new Error(`There is no benchmark ${unknown}: ${all.join(', ')}.`);
  return all.filter(name => (wanted.length > 0 ? wanted.includes(name) : !BY_NAME.includes(name)));
}

function fail(why: string): void {
  console.error(why);
  process.exitCode = 1;
}

/** @returns why it ended badly, or undefined. */
async function runBench(name: string, vsix: string, onRow: (line: string) => void): Promise<string | undefined> {
  const args = [
    '--expose-gc',
    inRepository('out/test/bench/child.js'),
    inRepository(`out/test/bench/${name}.bench.js`),
  ];
  const child = spawnGroup(process.execPath, args, {
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
