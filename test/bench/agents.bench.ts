// A tool call of an agent, through the bridge and its socket, against the same call through ServerConnection.

import { raw } from '../setup/raw';
import { AgentsHome } from '../unit/features/agents/core/testAgents';
import { fixture } from '../unit/host/testHost';
import { absolute, type BenchRow, median } from './row';

const rounds = 300;
const warmUps = 50;

export async function* rows(): AsyncGenerator<BenchRow> {
  const home = new AgentsHome();
  try {
    const window = await home.window().share({ content: fixture('content') });
    const server = window.test.server('content');
    const tool = server.catalog.tools.find(({ name }) => name === 'count');
    if (!tool) throw new Error('the fixture has no tool "count"');
    const send = await session(home);
    const times = { direct: [] as number[], through: [] as number[] };
    for (let round = -warmUps; round < rounds; round++) {
      for (const [side, call] of [
        ['direct', () => raw(server).callTool(tool, {})],
        ['through', () => send('tools/call', { name: 'content__count', arguments: {} })],
      ] as const) {
        const start = performance.now();
        await call();
        if (round >= 0) times[side].push(performance.now() - start);
      }
    }
    yield absolute(
      'agents: a call through the bridge takes longer by',
      median(times.through) - median(times.direct),
      'ms',
      2,
    );
  } finally {
    await home.close();
  }
}

/** A client as lean as can be: what is measured is the way, not an SDK. */
async function session(home: AgentsHome): Promise<(method: string, params: object) => Promise<unknown>> {
  const bridge = home.start();
  let id = 0;
  const waiting = new Map<number, (answer: { result?: unknown }) => void>();
  bridge.onLine(line => {
    const answer = JSON.parse(line);
    waiting.get(answer.id)?.(answer);
  });
  const send = async (method: string, params: object) => {
    const sent = ++id;
    const answer = await new Promise<{ result?: unknown }>(resolve => {
      waiting.set(sent, resolve);
      bridge.say({ jsonrpc: '2.0', id: sent, method, params });
    });
    if (!answer.result) throw new Error(JSON.stringify(answer));
    return answer.result;
  };
  await send('initialize', {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'bench', version: '1' },
  });
  bridge.say({ jsonrpc: '2.0', method: 'notifications/initialized' });
  return send;
}
