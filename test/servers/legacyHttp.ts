// Servers of the legacy era over HTTP, each made with what people make them with. Prints `listening <port>` and serves /mcp until
// its stdin ends. Each has a tool `echo`.
//   node out/servers/legacyHttp.js <framework> [<status> | hang]
//     sdk        the SDK 1.x on Express, with sessions
//     stateless  the SDK 1.x on Express, a server for each request
//     lite       mcp-lite
//     plain      Node's http alone: whatever it does not know ends in a page with status 500
//   With a second argument, a proxy stands before it that lets only methods of the legacy era through: it answers others with
//   that status, or never.
import { randomUUID } from 'node:crypto';
import { request as forward, type IncomingMessage, type ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { createMcpExpressApp } from '@modelcontextprotocol/sdk/server/express.js';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import * as lite from 'mcp-lite';
import { z } from 'zod';
import { bodyOf, sendJson } from './raw/eventStream';
import { type Handler, listen } from './raw/listen';
import type { JsonObject, Message } from './raw/messages';
import { methods } from './raw/methods';

const info = { name: 'legacy', version: '1.0.0' };
const said = (text: string) => ({ content: [{ type: 'text' as const, text }] });

function sdkServer(): McpServer {
  const server = new McpServer(info);
  server.registerTool('echo', { inputSchema: { text: z.string() } }, async ({ text }) => said(text));
  return server;
}

/** As the SDK's own examples do it. */
function onExpress(transportFor: (request: IncomingMessage) => Promise<StreamableHTTPServerTransport>): Handler {
  const app = createMcpExpressApp();
  app.all('/mcp', async (request: IncomingMessage & { body?: unknown }, response: ServerResponse) => {
    const transport = await transportFor(request);
    await transport.handleRequest(request, response, request.body);
  });
  return async (request, response) => void app(request, response);
}

const frameworks: Readonly<Record<string, () => Handler>> = {
  sdk() {
    const sessions = new Map<string, StreamableHTTPServerTransport>();
    return onExpress(async request => {
      const known = sessions.get(String(request.headers['mcp-session-id']));
      if (known) return known;
      const transport = new StreamableHTTPServerTransport({
        sessionIdGenerator: randomUUID,
        onsessioninitialized: id => void sessions.set(id, transport),
      });
      await sdkServer().connect(transport);
      return transport;
    });
  },
  stateless: () =>
    onExpress(async () => {
      const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: undefined });
      await sdkServer().connect(transport);
      return transport;
    }),
  lite() {
    const server = new lite.McpServer(info);
    server.tool('echo', {
      inputSchema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
      handler: ({ text }: { text: string }) => said(text),
    });
    const handle = new lite.StreamableHttpTransport().bind(server);
    return async (request, response) => {
      const headers = Object.entries(request.headers).map(([name, value]) => [name, String(value)] as [string, string]);
      const { method = 'GET' } = request;
      const body = method === 'POST' ? { body: await bodyOf(request) } : {};
      const answer = await handle(new Request(`http://127.0.0.1${request.url}`, { method, headers, ...body }));
      response.writeHead(answer.status, Object.fromEntries(answer.headers));
      if (answer.body) Readable.fromWeb(answer.body as Parameters<typeof Readable.fromWeb>[0]).pipe(response);
      else response.end();
    };
  },
  plain: () => async (request, response) => {
    const { id, method, params } = JSON.parse((await bodyOf(request)) || '{}') as Partial<Message>;
    const answers: Readonly<Record<string, () => object>> = {
      initialize: () => ({ protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo: info }),
      ping: () => ({}),
      'tools/list': () => ({ tools: [{ name: 'echo', inputSchema: { type: 'object' } }] }),
      'tools/call': () => said(String((params?.arguments as JsonObject | undefined)?.text)),
    };
    if (id === undefined) return void response.writeHead(202).end();
    const result = answers[method ?? '']!();
    sendJson(response, 200, { jsonrpc: '2.0', id, result });
  },
};

/** Stands before a server, and answers what it does not know itself. */
function proxy(port: number, refuse: (response: ServerResponse) => void): Handler {
  return async (request, response) => {
    const body = await bodyOf(request);
    const method: unknown = request.method === 'POST' ? JSON.parse(body).method : undefined;
    const isKnown = typeof method !== 'string' || method.startsWith('notifications/') || method in methods;
    if (!isKnown) return refuse(response);
    const { url: path, headers } = request;
    const onward = forward({ port, path, method: request.method, headers }, answer => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    onward.on('error', () => response.destroy());
    response.on('close', () => onward.destroy());
    onward.end(body);
  };
}

async function main([framework = '', unknown]: readonly string[]): Promise<void> {
  const handle = frameworks[framework];
  if (!handle) throw new Error(`needs one of ${Object.keys(frameworks).join(', ')}`);
  const announced = { announce: true, exitOnStdinEnd: true };
  const port = await listen(handle(), unknown === undefined ? announced : {});
  if (unknown === undefined) return;
  const refuse = (response: ServerResponse) =>
    unknown === 'hang' ? undefined : void response.writeHead(Number(unknown)).end('<h1>Bad gateway</h1>');
  await listen(proxy(port, refuse), announced);
}

main(process.argv.slice(2)).catch((error: Error) => {
  console.error(error.message);
  process.exitCode = 64;
});
