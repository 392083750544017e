// Servers as people enter them, with npx: from the saved setting to their tools, and the memory of all their processes. Beside the
// same host, which leaves npx in place for an option that it does not know, and the editor's own client.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { Workbench } from '../drivers/workbench';
import { startNpmRegistry } from '../servers/npmRegistry';
import { waitFor } from '../servers/spawn';
import { Tag } from '../servers/tagged';
import { artifacts, remove, temporaryFolder } from '../setup/paths';
import { bareHost } from './bareHost';
import { installed, type NpmServer, npxServers, PACKAGED } from './npm/servers';
import { absolute, type BenchRow, median, relative } from './row';
import { configure, rowsWithTools, run, withWindow } from './window/measured';
import { wireServer } from './wire/rawClient';

const rounds = 5;
const coldRounds = 15;
/** What servers and the window have begun is over. */
const quietMs = 1_000;
/** Npx has this by default. */
const UNKNOWN_OPTION = '--loglevel=notice';
const TEN = [
  ...['everything', 'filesystem', 'memory', 'thinking', 'github', 'gitlab', 'slack', 'maps', 'hubspot', 'tavily-mcp'],
];

const servers = npxServers(PACKAGED);

const SIDES = ['ours', 'withNpx', 'editors'] as const;
type NpxSide = (typeof SIDES)[number];
interface Opened {
  /** From when an extension or the editor is told of the servers, until all tools are seen. */
  readonly ms: number;
  readonly processes: number;
  /** Resident memory of all of them. */
  readonly bytes: number;
}
type Measured = Readonly<Record<NpxSide, Opened[]>>;

export async function* rows(): AsyncGenerator<BenchRow> {
  yield* coldRows();
  for (const name of TEN) await installed(servers[name]!);
  yield* withWindow({}, async function* (w) {
    await w.wb.viewContainer('MCP');
    const one = await measured(w, ['memory'], 1);
    yield* rowsOf('npx: a server', one, { npx: 0.45, editors: 0.45 });
    const ten = await measured(w, TEN, 1 + TEN.length);
    yield* rowsOf('npx: ten servers', ten, { npx: 0.5, editors: 0.5 });
    writeFileSync(join(artifacts(), 'npx.md'), tableOf(one, ten));
  });
}

function* rowsOf(name: string, measured: Measured, budget: { npx: number; editors: number }): Generator<BenchRow> {
  const of = (side: NpxSide, key: keyof Opened) => measured[side].map(opened => opened[key] / (key === 'ms' ? 1 : 1e6));
  for (const [side, beside, limit] of [
    ['withNpx', 'beside npx', budget.npx],
    ['editors', "beside the editor's client", budget.editors],
  ] as const) {
    const ms = of('ours', 'ms');
    yield relative(`${name}, from saved settings to tools, ${beside}`, ms, 'ms', of(side, 'ms'), limit);
    yield relative(`${name}, memory of its processes, ${beside}`, of('ours', 'bytes'), 'MB', of(side, 'bytes'), 0.5);
  }
}

/** @param known how many programs npx has told when these are among them. */
async function measured(w: Workbench, names: readonly string[], known: number): Promise<Measured> {
  const all: Measured = { ours: [], withNpx: [], editors: [] };
  const tags = { ours: new Tag(), withNpx: new Tag(), editors: new Tag() };
  const tagged = (side: NpxSide, first: readonly string[] = []) =>
    Object.fromEntries(
      names.map(name => {
        const { command, args, env } = servers[name]!;
        return [name, { command, args: [...first, ...args], env: { ...env, ...tags[side].env } }] as const;
      }),
    );
  let tools = 0;
  const measures: Record<NpxSide, () => Promise<Opened>> = {
    ours: async () => {
      const opened = await openedOurs(w, tagged('ours'), tags.ours);
      tools = opened.tools;
      return opened;
    },
    withNpx: () => openedOurs(w, tagged('withNpx', [UNKNOWN_OPTION]), tags.withNpx),
    editors: async () => {
      const [from, to] = await run(w, 'startNew', tagged('editors'), tools);
      await setTimeout(quietMs);
      const opened = { ms: to - from, ...processesOf(tags.editors) };
      await run(w, 'stopNew');
      await ended(tags.editors);
      return opened;
    },
  };
  for (let round = -1; round < rounds; round++) {
    // The first round fills the caches.
    for (const side of round % 2 === 0 ? SIDES.toReversed() : SIDES) {
      const opened = await measures[side]();
      if (round >= 0) all[side].push(opened);
    }
    if (round < 0) await told(w, known);
  }
  const [ours, withNpx] = [all.ours.at(-1)!.processes, all.withNpx.at(-1)!.processes];
  if (withNpx < ours + 2 * names.length) throw new Error(`${ours} processes, and ${withNpx} with npx`);
  return all;
}

/** Resolves when npx has told so many programs. */
const told = (w: Workbench, count: number) => {
  const folder = join(w.server.logsDir, '../User/globalStorage/mcp-host.mcp-host/memory');
  const isStart = (file: string) => readFileSync(join(folder, file), 'utf8').includes('"stamps":');
  return waitFor(() => readdirSync(folder).filter(isStart).length >= count, {
    what: `${count} programs to be known`,
    timeoutMs: 120_000,
  });
};

/** Enters servers, waits for their tools, and removes them. */
async function openedOurs(
  w: Workbench,
  entered: Readonly<Record<string, NpmServer>>,
  tag: Tag,
): Promise<Opened & { tools: number }> {
  const names = Object.keys(entered);
  const shown = rowsWithTools(w, names);
  const from = await configure(w, entered);
  const { at, tools } = await shown;
  await setTimeout(quietMs);
  const opened = { ms: at - from, tools, ...processesOf(tag) };
  await configure(w, {});
  for (const name of names) await w.wb.tree('Servers').row(name).waitFor({ state: 'detached' });
  await ended(tag);
  return opened;
}

const ended = (tag: Tag) =>
  waitFor(() => tag.processes().length === 0, { what: 'the end of all processes', timeoutMs: 60_000 });

function processesOf(tag: Tag): Pick<Opened, 'processes' | 'bytes'> {
  const resident = (pid: number) => /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1];
  const all = tag.processes().map(pid => Number(resident(pid) ?? 0) * 1_024);
  return { processes: all.length, bytes: all.reduce((sum, bytes) => sum + bytes, 0) };
}

/** What a package costs that npx has to install first, from a registry on this machine. */
async function* coldRows(): AsyncGenerator<BenchRow> {
  const registry = await startNpmRegistry();
  registry.publish({ name: 'wire', version: '1.0.0', bin: { wire: `require(${JSON.stringify(wireServer)});` } });
  const measure = async (...options: string[]) => {
    const folder = temporaryFolder();
    const env = { npm_config_cache: folder, npm_config_registry: registry.url };
    const { host, configure } = bareHost();
    try {
      const listed = new Promise<void>((resolve, reject) =>
        host.onDidChangeServer(({ server: { state, catalog } }) => {
          if (state.kind === 'failed') reject(state.error);
          else if (catalog.list('tools').status === 'ready') resolve();
        }),
      );
      const from = performance.now();
      configure({ one: { command: 'npx', args: [...options, '-y', 'wire@1.0.0'], env } });
      await listed;
      return performance.now() - from;
    } finally {
      await host.dispose();
      remove(folder);
    }
  };
  const more: number[] = [];
  try {
    for (let round = -1; round < coldRounds; round++) {
      const sides = [() => measure(), () => measure(UNKNOWN_OPTION)];
      const times: number[] = [];
      for (const side of round % 2 === 0 ? [1, 0] : [0, 1]) times[side] = await sides[side]!();
      if (round >= 0) more.push(times[0]! - times[1]!);
    }
  } finally {
    await registry.close();
  }
  yield absolute('npx: a package that is not in the cache, longer by', more, 'ms', 20);
}

function tableOf(one: Measured, ten: Measured): string {
  const cells = (measured: Measured, key: keyof Opened, per: number, unit: string) =>
    SIDES.map(side => `${Math.round(median(measured[side].map(opened => opened[key])) / per)} ${unit}`).join(' | ');
  return [
    "| | MCP Host | npx in place | the editor's own client |",
    '|---|---|---|---|',
    `| a server: from saved settings to tools | ${cells(one, 'ms', 1, 'ms')} |`,
    `| its processes: memory | ${cells(one, 'bytes', 1e6, 'MB')} |`,
    `| ten servers: from saved settings to all tools | ${cells(ten, 'ms', 1, 'ms')} |`,
    `| their processes: memory | ${cells(ten, 'bytes', 1e6, 'MB')} |`,
  ].join('\n');
}
