// The editor's own MCP client on the same servers, in the same VS Code: both are driven from one extension host, in turn.
// What a window needs besides (an open chat, a model) is left out for both.

import type { Side } from './native/clients';
import { type BenchRow, relative } from './row';
import { lagWhile } from './window/lag';
import { run, withWindow } from './window/measured';

const messages = 10_000;

export const rows = (): AsyncGenerator<BenchRow> =>
  withWindow({}, async function* (w) {
    const connect = await inTurn({ rounds: 9, warmUps: 2 }, side => run(w, 'connect', side));
    yield relative('connect, native: server-everything, tools listed', connect.ours, 'ms', connect.editors, 0.8);

    const call = await inTurn({ rounds: 5, warmUps: 1 }, side => run(w, 'call', side));
    yield relative('call, native: from the extension host', call.ours, 'ms', call.editors, 0.1);

    const storm = await inTurn({ rounds: 3, warmUps: 0 }, side => run(w, 'storm', side));
    // At most 4, where the editor asks a thousand times.
    yield relative('list storm, native: re-lists after 1,000 list_changed', storm.ours, 'times', storm.editors, 0.004);

    const lag = { ours: [] as number[], editors: [] as number[] };
    const windowLag = { ours: [] as number[], editors: [] as number[] };
    const flood = await inTurn({ rounds: 5, warmUps: 1 }, async side => {
      let tookMs = 0;
      const inWindow = await lagWhile(w.page, async () => {
        const flood = await run(w, 'flood', side, messages);
        lag[side].push(flood.lagMs);
        tookMs = flood.tookMs;
      });
      windowLag[side].push(inWindow);
      return tookMs;
    });
    const name = 'log flood, native: 10,000 messages';
    yield relative(name, flood.ours, 'ms', flood.editors, 1);
    yield relative(`${name}, lag of the extension host`, lag.ours.slice(1), 'ms', lag.editors.slice(1), 1.3);
    yield relative(`${name}, lag of the window`, windowLag.ours.slice(1), 'ms', windowLag.editors.slice(1), 1);
  });

/** Both sides in turn; each is first as often as the other. */
async function inTurn(
  { rounds, warmUps }: { rounds: number; warmUps: number },
  measureSide: (side: Side) => Promise<number>,
): Promise<Record<Side, number[]>> {
  const values: Record<Side, number[]> = { ours: [], editors: [] };
  for (let round = -warmUps; round < rounds; round++) {
    const order: Side[] = round % 2 === 0 ? ['ours', 'editors'] : ['editors', 'ours'];
    for (const side of order) {
      const value = await measureSide(side);
      if (round >= 0) values[side].push(value);
    }
  }
  return values;
}
