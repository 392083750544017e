// How cost grows with servers, their tools, and windows that are open at once: to be asked for by name. The table goes to
// artifacts/bench/growth.md. Rows that would need more memory than there is are left out.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { freemem } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { artifacts, inRepository } from '../setup/paths';
import type { Grown } from './growth/window';
import { absolute, type BenchRow, median } from './row';

const SERVERS = [1, 10, 50, 200];
const TOOLS = [10, 300, 3_000];
const WINDOWS = [1, 4];
/** Of a server, in bytes. */
const SERVER_SIZE = 50e6;

export async function* rows(): AsyncGenerator<BenchRow> {
  const table = [
    '| windows | servers | tools of each | start | memory | at rest | first search | search |',
    '|---|---|---|---|---|---|---|---|',
  ];
  for (const windows of WINDOWS)
    for (const servers of SERVERS)
      for (const tools of TOOLS) {
        if (windows * servers * SERVER_SIZE > freemem()) continue;
        const grown = await Promise.all(Array.from({ length: windows }, () => grow(servers, tools)));
        const all = await Promise.all(grown.map(({ figures }) => figures));
        for (const { end } of grown) await end();
        const of = (key: keyof Grown, digits = 0) => median(all.map(one => one[key])).toFixed(digits);
        const cells = [
          windows,
          servers,
          tools,
          `${of('startMs')} ms`,
          `${of('memory')} MB`,
          `${of('restPercent', 2)} %`,
        ];
        table.push(`| ${[...cells, `${of('firstSearchMs')} ms`, `${of('searchMs', 1)} ms`].join(' | ')} |`);
        console.error(table.at(-1));
        if (windows === 1 && servers === 50 && tools === 300)
          yield absolute('growth: memory of 50 servers with 300 tools each', Number(of('memory')), 'MB', 400);
      }
  const file = join(artifacts(), 'growth.md');
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `${table.join('\n')}\n`);
}

/** A window keeps its servers until all have been measured. */
function grow(servers: number, tools: number): { figures: Promise<Grown>; end(): Promise<unknown> } {
  const args = ['--expose-gc', inRepository('out/test/bench/growth/window.js'), String(servers), String(tools)];
  const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  const exit = once(child, 'exit');
  const line = once(createInterface({ input: child.stdout }), 'line');
  const died = exit.then(([code]) => Promise.reject(new Error(`A window with ${servers} servers ended with ${code}.`)));
  died.catch(() => undefined);
  return {
    figures: Promise.race([line.then(([text]) => JSON.parse(text) as Grown), died]),
    end: () => {
      child.stdin.write('\n');
      return exit;
    },
  };
}
