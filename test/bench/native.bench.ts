// The editor's own MCP client on the same servers, in the same VS Code: both are driven from one extension host, in turn.
// What a window needs besides (an open chat, a model) is left out for both.
import { type BenchRow, relative } from '../setup/benchRow';
import { inRepository } from '../setup/paths';
import { openWorkbench, type Workbench } from '../setup/workbench';
import type { Side } from './native/clients';
import type { NativeBench } from './native/extension';

const messages = 10_000;

export async function* rows(): AsyncGenerator<BenchRow> {
  const w = await openWorkbench({ workspace: 'editor', unpacked: [inRepository('test/bench/native')] });
  try {
    // Rejects when it could not be activated.
    await w.host.eval(async vscode => void (await vscode.extensions.getExtension('mcp-host-test.native')?.activate()));
    const connect = await inTurn({ rounds: 9, warmUps: 2 }, side => measure(w, 'connect', side));
    yield relative('connect, native: server-everything, tools listed', connect.ours, 'ms', connect.editors, 0.8);

    const call = await inTurn({ rounds: 5, warmUps: 1 }, side => measure(w, 'call', side));
    yield relative('call, native: from the extension host', call.ours, 'ms', call.editors, 0.1);

    const storm = await inTurn({ rounds: 3, warmUps: 0 }, side => measure(w, 'storm', side));
    // At most 4, where the editor asks a thousand times.
    yield relative('list storm, native: re-lists after 1,000 list_changed', storm.ours, 'times', storm.editors, 0.004);

    const lag = { ours: [] as number[], editors: [] as number[] };
    const windowLag = { ours: [] as number[], editors: [] as number[] };
    const flood = await inTurn({ rounds: 5, warmUps: 1 }, async side => {
      await w.page.evaluate(watchWindow);
      const { tookMs, lagMs } = await measure(w, 'flood', side, messages);
      lag[side].push(lagMs);
      windowLag[side].push(await w.page.evaluate(windowLagMs));
      return tookMs;
    });
    const name = 'log flood, native: 10,000 messages';
    yield relative(name, flood.ours, 'ms', flood.editors, 1);
    yield relative(`${name}, lag of the extension host`, lag.ours.slice(1), 'ms', lag.editors.slice(1), 1);
    yield relative(`${name}, lag of the window`, windowLag.ours.slice(1), 'ms', windowLag.editors.slice(1), 1);
  } finally {
    await w.close();
  }
}

/** Runs one round in the extension host. */
const measure = <K extends keyof NativeBench>(w: Workbench, what: K, ...args: Parameters<NativeBench[K]>) =>
  w.host.eval(
    (vscode, key, given) => {
      const bench = vscode.extensions.getExtension('mcp-host-test.native')?.exports;
      return bench[key](...given);
    },
    what,
    args,
  ) as ReturnType<NativeBench[K]>;

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

interface WatchedWindow {
  benchLag?: { timer: number; longest: number };
  setInterval(look: () => void, ms: number): number;
  clearInterval(timer: number): void;
}

/** Runs in the window: notes its longest turn from now on. */
function watchWindow(): void {
  const window = globalThis as unknown as WatchedWindow;
  let last = performance.now();
  const look = () => {
    const now = performance.now();
    watch.longest = Math.max(watch.longest, now - last);
    last = now;
  };
  const watch = { longest: 0, timer: window.setInterval(look, 1) };
  window.benchLag = watch;
}

/** Runs in the window. */
function windowLagMs(): number {
  const window = globalThis as unknown as WatchedWindow;
  if (!window.benchLag) throw new Error('The window is not watched.');
  window.clearInterval(window.benchLag.timer);
  return window.benchLag.longest;
}
