// A window that opens with ten real servers: from the start of its extension host until all are ready, and what that host has
// used until then. The editor's own client starts the same ten, as soon as it is asked. And what servers cost in memory.

import type { Workbench } from '../drivers/workbench';
import { type NpmServer, npmServers } from './npm/servers';
import { absolute, type BenchRow, relative } from './row';
import { configure, ready, run, withWindow } from './window/measured';
import { wireServer } from './wire/rawClient';

const rounds = 3;
const TEN = [
  ...['everything', 'filesystem', 'memory', 'github', 'gitlab', 'slack', 'notionhq', 'hubspot', 'tavily-mcp', 'brave'],
];

interface Opened {
  readonly ms: number;
  readonly processorMs: number;
  readonly tools: number;
}

export async function* rows(): AsyncGenerator<BenchRow> {
  const all = await npmServers();
  const ten = Object.fromEntries(TEN.map(name => [name, all[name]!]));
  const ours: Opened[] = [];
  const editors: Opened[] = [];
  for (let round = 0; round < rounds; round++) {
    ours.push(await once(withWindow({ settings: { 'mcpHost.servers': ten } }, w => openedOurs(w))));
    const { tools } = ours[0]!;
    editors.push(await once(withWindow({}, w => openedEditors(w, ten, tools))));
  }
  const of = (key: keyof Opened, measured: readonly Opened[]) => measured.map(opened => opened[key]);
  yield relative('a window with ten servers: all ready', of('ms', ours), 'ms', of('ms', editors), 1.1);
  const processor = [of('processorMs', ours), of('processorMs', editors)] as const;
  yield relative('a window with ten servers: processor of its extension host', processor[0], 'ms', processor[1], 1.25);
  yield* withWindow({}, memory);
}

async function once<T>(values: AsyncIterable<T>): Promise<T> {
  let only: T | undefined;
  for await (const value of values) only = value;
  return only!;
}

const startOf = (w: Workbench) => w.host.eval(() => performance.timeOrigin);

async function* openedOurs(w: Workbench): AsyncGenerator<Opened> {
  const at = await ready(w, TEN.length);
  const processorMs = await run(w, 'processor');
  await w.wb.viewContainer('MCP');
  // An empty view can be read, too: the editor's client would then have nothing to wait for.
  for (const name of TEN)
    await w.wb
      .tree('Servers')
      .row(name)
      .filter({ hasText: /tools?/ })
      .waitFor();
  const rows = await w.wb.tree('Servers').read();
  const tools = rows.reduce((sum, { description }) => sum + Number(/(\d+) tools?/.exec(description)?.[1] ?? 0), 0);
  yield { ms: at - (await startOf(w)), processorMs, tools };
}

async function* openedEditors(w: Workbench, ten: Record<string, NpmServer>, tools: number): AsyncGenerator<Opened> {
  const [, at] = await run(w, 'startNew', ten, tools);
  yield { ms: at - (await startOf(w)), processorMs: await run(w, 'processor'), tools };
}

/** On the heap of the extension host, after collection. */
async function* memory(w: Workbench): AsyncGenerator<BenchRow> {
  const heap = async (servers: number) => {
    const names = Array.from({ length: servers }, (_, i) => `wire-${i}`);
    await configure(
      w,
      Object.fromEntries(names.map(name => [name, { command: process.execPath, args: [wireServer] }])),
    );
    if (servers > 0) await ready(w, servers);
    return (await run(w, 'memory')).heap / 1e6;
  };
  const [none, one, ten, thirty] = [await heap(0), await heap(1), await heap(10), await heap(30)];
  yield absolute('heap of the extension host: the first server', one - none, 'MB', 10);
  yield absolute('heap of the extension host: nine more', ten - one, 'MB', 4.5);
  yield absolute('heap of the extension host: twenty more', thirty - ten, 'MB', 4);
}
