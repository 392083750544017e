// The same servers and the same calls through other clients of MCP, each in a process of its own, in turns. Whatever one of them
// can't do is told in its cell of the table (artifacts/bench/peers.md).
import { execFile } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { requireOnDemand } from '../setup/onDemand';
import { artifacts, inRepository } from '../setup/paths';
import type { PeerTask } from './peers/child';
import { PEERS, type PeerName } from './peers/peers';
import { type BenchRow, median, relative } from './row';

const rounds = 3;
const timeoutMs = 120_000;
/** What takes longer is done once. */
const slowMs = 20_000;

/** What is measured, and how often ours may take what the fastest of the others does. */
const TASKS: Record<PeerTask, { readonly title: string; readonly budget?: number }> = {
  connect: { title: 'connect to server-everything and list its tools', budget: 1.15 },
  one: { title: 'a call, one at a time', budget: 1 },
  hundred: { title: 'a call, 100 in flight', budget: 1 },
  large1: { title: 'a result of 1 MB', budget: 1 },
  large32: { title: 'a result of 32 MB', budget: 1 },
  lists: { title: '1,000 changes of the list of tools' },
  endless: { title: 'a cursor that never ends' },
  crash: { title: 'a server that crashes in a call' },
  logs: { title: 'a call with 100,000 log messages', budget: 1 },
};

type Figures = Record<PeerName, (number | string)[]>;

export async function* rows(): AsyncGenerator<BenchRow> {
  await requireOnDemand('peers');
  const names = Object.keys(PEERS) as PeerName[];
  const table = [`| | ${names.join(' | ')} |`, `|---|${names.map(() => '---|').join('')}`];
  for (const [task, { title, budget }] of Object.entries(TASKS)) {
    const figures = Object.fromEntries(names.map(name => [name, []])) as unknown as Figures;
    const slow = new Set<PeerName>();
    for (let round = 0; round < (budget ? rounds : 1); round++) {
      for (const name of round % 2 === 0 ? names : names.toReversed()) {
        if (slow.has(name)) continue;
        const start = performance.now();
        figures[name].push(await measure(name, task));
        if (performance.now() - start > slowMs) slow.add(name);
      }
    }
    table.push(`| ${title} | ${names.map(name => cell(figures[name])).join(' | ')} |`);
    const { 'MCP Host': ours, ...others } = figures;
    const best = Math.min(
      ...Object.values(others)
        .map(values => numbers(values))
        .filter(({ length }) => length > 0)
        .map(median),
    );
    if (budget) yield relative(`peers: ${title}`, numbers(ours), 'ms', best, budget);
  }
  const file = join(artifacts(), 'peers.md');
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `${table.join('\n')}\n`);
}

async function measure(peer: PeerName, task: string): Promise<number | string> {
  const child = inRepository('out/test/bench/peers/child.js');
  try {
    const { stdout } = await promisify(execFile)(process.execPath, [child, peer, task], {
      timeout: timeoutMs,
      killSignal: 'SIGKILL',
    });
    return JSON.parse(stdout) as number | string;
  } catch (error) {
    return (error as { killed?: boolean }).killed ? `no end in ${timeoutMs / 1_000} s` : 'crashes';
  }
}

const numbers = (figures: readonly (number | string)[]) => figures.filter(figure => typeof figure === 'number');

function cell(figures: readonly (number | string)[]): string {
  const measured = numbers(figures);
  const ms = measured.length > 0 ? median(measured) : 0;
  return measured.length > 0 ? `${ms < 10 ? ms.toPrecision(2) : Math.round(ms)} ms` : String(figures[0]);
}
