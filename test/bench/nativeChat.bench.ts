// Tools of one server as native chat calls them: through the editor's own client alone, and through its client and ours behind
// it. What a window needs besides (an open chat, a model) is left out for both.

import type { Workbench } from '../drivers/workbench';
import type { Side } from './native/clients';
import { absolute, type BenchRow, relative } from './row';
import { ready, run, withWindow } from './window/measured';
import { wireServer } from './wire/rawClient';

type ChatSide = Side | 'bareHttp';

const rounds = 3;
const lines = 100_000;
const large = 48 * 1024 * 1024;

const settings = {
  'mcpHost.servers': { wire: { command: process.execPath, args: [wireServer] } },
  'chat.tools.global.autoApprove': true,
};

export const rows = (): AsyncGenerator<BenchRow> =>
  withWindow({ settings }, async function* (w) {
    await ready(w, 1);
    // Once, the editor asks whether that setting is meant.
    await Promise.all([call(w, 'ours', 'echo', { text: 'hello' }), w.wb.answerModal('Enable')]);
    await call(w, 'editors', 'echo', { text: 'hello' });
    const results = await inTurn(['ours', 'editors', 'bareHttp'], side => call(w, side, 'large', { bytes: large }));
    yield relative('native chat: a result of 48 MB', results.ours, 'ms', results.editors, 0.25);
    yield relative('native chat: the same, beside a bare HTTP server', results.ours, 'ms', results.bareHttp, 1.3);
    const flood = { count: lines, level: 'info' };
    // The first runs code that is compiled only then.
    for (const side of ['ours', 'editors'] as const) await call(w, side, 'flood', flood);
    const floods = await inTurn(['ours', 'editors'], side => call(w, side, 'flood', flood));
    yield relative('native chat: a call with 100,000 log messages', floods.ours, 'ms', floods.editors, 0.5);
    const before = await run(w, 'memory');
    await w.wb.command('MCP Host: Show Protocol Trace');
    const traced: number[] = [];
    for (let round = 0; round < rounds; round++) traced.push(await call(w, 'ours', 'flood', flood));
    yield relative('native chat: the same with the trace shown', traced, 'ms', floods.ours, 1.2);
    const grown = ((await run(w, 'memory')).rss - before.rss) / 1e6;
    yield absolute('native chat: memory that it takes with the trace shown', grown, 'MB', 60);
  });

const call = (w: Workbench, side: ChatSide, tool: string, input: Record<string, unknown>) =>
  run(w, 'chat', side, tool, input);

async function inTurn<S extends ChatSide>(
  sides: readonly S[],
  measure: (side: S) => Promise<number>,
): Promise<Record<S, number[]>> {
  const values = Object.fromEntries(sides.map(side => [side, []])) as unknown as Record<S, number[]>;
  for (let round = 0; round < rounds; round++) for (const side of sides) values[side].push(await measure(side));
  return values;
}
