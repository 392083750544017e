// A tool call through the gateway, over its socket, against its parts: the same call through ServerConnection, and a call to a
// server of the SDK, on such a socket, that answers itself.
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import * as http from 'node:http';
import { dirname, join } from 'node:path';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { CallToolRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { remove, temporaryFolder } from '../setup/paths';
import { raw } from '../setup/raw';
import { TestGateway, target } from '../unit/gateway/testGateway';
import { fixture } from '../unit/host/testHost';
import { type BenchRow, median, relative } from './row';

const rounds = 300;
const warmUps = 50;

export async function* rows(): AsyncGenerator<BenchRow> {
  const gateway = new TestGateway();
  const bare = await bareServer();
  try {
    await gateway.serve({ content: fixture('content') });
    const server = gateway.test.server('content');
    const tool = server.catalog.tools.find(({ name }) => name === 'count');
    if (!tool) throw new Error('the fixture has no tool "count"');
    const address = gateway.address('content');
    const through = await session(target(address), address.path, address.headers);
    const toBare = await session({ socketPath: bare.at }, '/', {});
    const times = { direct: [] as number[], bare: [] as number[], through: [] as number[] };
    for (let round = -warmUps; round < rounds; round++) {
      for (const [side, call] of [
        ['direct', () => raw(server).callTool(tool, {})],
        ['bare', () => toBare('tools/call', { name: 'count', arguments: {} })],
        ['through', () => through('tools/call', { name: 'count', arguments: {} })],
      ] as const) {
        const start = performance.now();
        await call();
        if (round >= 0) times[side].push(performance.now() - start);
      }
    }
    const floor = median(times.direct) + median(times.bare);
    yield relative(
      'gateway: a call, beside a direct one and one of the SDK over HTTP',
      times.through,
      'ms',
      floor,
      1.3,
    );
  } finally {
    bare.server.close();
    remove(dirname(bare.at));
    await gateway.close();
  }
}

async function bareServer(): Promise<{ server: http.Server; at: string }> {
  const mcp = new Server({ name: 'bare', version: '1' }, { capabilities: { tools: {} } });
  mcp.setRequestHandler(CallToolRequestSchema, () => ({ content: [] }));
  const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: randomUUID });
  await mcp.connect(transport);
  const server = http.createServer((request, response) => void transport.handleRequest(request, response));
  const at = join(temporaryFolder(), 'bare');
  await once(server.listen(at), 'listening');
  return { server, at };
}

type Send = (method: string, params: object) => Promise<string>;

/** A client as lean as can be, on one connection. */
async function session(
  at: ReturnType<typeof target>,
  path: string,
  given: Readonly<Record<string, string>>,
): Promise<Send> {
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
  const headers: Record<string, string> = {
    ...given,
    'Content-Type': 'application/json',
    Accept: 'application/json, text/event-stream',
  };
  let id = 0;
  const send: Send = (method, params) =>
    new Promise((resolve, reject) => {
      const options = { ...at, path, method: 'POST', headers, agent };
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
