// A tool call through the gateway, over its socket, against the same call through ServerConnection: what it takes longer.
import * as http from 'node:http';
import { absolute, type BenchRow, median } from '../setup/benchRow';
import { raw } from '../setup/raw';
import { TestGateway, target } from '../unit/gateway/testGateway';
import { fixture } from '../unit/host/testHost';

const rounds = 300;
const warmUps = 50;

export async function* rows(): AsyncGenerator<BenchRow> {
  const gateway = new TestGateway();
  try {
    await gateway.serve({ content: fixture('content') });
    const server = gateway.test.server('content');
    const tool = server.catalog.tools.find(({ name }) => name === 'count');
    if (!tool) throw new Error('the fixture has no tool "count"');
    const through = await session(gateway);
    const times = { direct: [] as number[], through: [] as number[] };
    for (let round = -warmUps; round < rounds; round++) {
      for (const [side, call] of [
        ['direct', () => raw(server).callTool(tool, {})],
        ['through', () => through('tools/call', { name: 'count', arguments: {} })],
      ] as const) {
        const start = performance.now();
        await call();
        if (round >= 0) times[side].push(performance.now() - start);
      }
    }
    yield absolute('gateway: a call takes longer by', median(times.through) - median(times.direct), 'ms', 1);
  } finally {
    await gateway.close();
  }
}

type Send = (method: string, params: object) => Promise<string>;

/** A client as lean as can be, on one connection. */
async function session(gateway: TestGateway): Promise<Send> {
  const address = gateway.address('content');
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
  const headers: Record<string, string> = {
    ...address.headers,
    'Content-Type': 'application/json',
    Accept: 'application/json, text/event-stream',
  };
  let id = 0;
  const send: Send = (method, params) =>
    new Promise((resolve, reject) => {
      const options = { ...target(address), path: address.path, method: 'POST', headers, agent };
      const request = http.request(options, answer => {
        const sessionId = answer.headers['mcp-session-id'];
        if (typeof sessionId === 'string') headers['mcp-session-id'] = sessionId;
        let text = '';
        answer.setEncoding('utf8').on('data', (part: string) => {
          text += part;
        });
        answer.on('end', () => (text.includes('"result"') ? resolve(text) : reject(new Error(text))));
      });
      request.on('error', reject);
      request.end(JSON.stringify({ jsonrpc: '2.0', id: id++, method, params }));
    });
  await send('initialize', {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'bench', version: '1' },
  });
  return send;
}
