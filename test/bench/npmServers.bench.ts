// Real servers of npm, one after the other: ours from the settings that are written to the row with its tools, the editor's own
// client from its start until extensions can see the tools. A server counts by its own ratio, as some need seconds to start.
import { setTimeout } from 'node:timers/promises';
import type { Workbench } from '../drivers/workbench';
import { type NpmServer, npmServers } from './npm/servers';
import { type BenchRow, median, relative } from './row';
import { configure, rowsWithTools, run, withWindow } from './window/measured';

const rounds = 3;
/** Between two servers: what the last one and the window have begun is over. */
const quietMs = 500;

interface Compared {
  readonly name: string;
  readonly ours: number;
  readonly editors: number;
}

export const rows = (): AsyncGenerator<BenchRow> =>
  withWindow({}, async function* (w) {
    const servers = await npmServers();
    await w.wb.viewContainer('MCP');
    const tools = new Map<string, number>();
    const times = Object.keys(servers).map(name => ({ name, ours: [] as number[], editors: [] as number[] }));
    for (let round = -1; round < rounds; round++)
      for (const { name, ours, editors } of times) {
        const server = servers[name]!;
        const sides = [
          async () => {
            const { ms, count } = await oursMs(w, name, server);
            tools.set(name, count);
            if (round >= 0) ours.push(ms);
          },
          async () => {
            const [from, to] = await run(w, 'startNew', { [name]: server }, tools.get(name)!);
            await run(w, 'stopNew');
            if (round >= 0) editors.push(to - from);
          },
        ];
        for (const measure of round % 2 === 0 ? sides.reverse() : sides) {
          await measure();
          await setTimeout(quietMs);
        }
      }
    const compared = times.map(({ name, ours, editors }) => ({ name, ours: median(ours), editors: median(editors) }));
    compared.sort((one, other) => ratioOf(one) - ratioOf(other));
    for (const one of compared)
      console.error(`${one.name}: ${ratioOf(one).toFixed(2)} (${one.ours}, ${one.editors} ms)`);
    yield rowOf(
      `${compared.length} real servers, from settings to the row: the median`,
      compared[compared.length >> 1]!,
      0.8,
    );
    yield rowOf('real servers: the one that does worst', compared.at(-1)!, 1.1);
  });

const ratioOf = ({ ours, editors }: Compared) => ours / editors;
const rowOf = (name: string, { ours, editors }: Compared, budget: number) =>
  relative(name, ours, 'ms', editors, budget);

async function oursMs(w: Workbench, name: string, server: NpmServer): Promise<{ ms: number; count: number }> {
  const shown = rowsWithTools(w, [name]);
  const from = Date.now();
  await configure(w, { [name]: server });
  const { at, tools } = await shown;
  await configure(w, {});
  await w.wb.tree('Servers').row(name).waitFor({ state: 'detached' });
  return { ms: at - from, count: tools };
}
