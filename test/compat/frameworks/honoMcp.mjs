import { StreamableHTTPTransport } from '@hono/mcp';
import { serve } from '@hono/node-server';
import { Hono } from 'hono';
import { makeServer } from './sdk1Server.mjs';

const app = new Hono();
const server = makeServer();
const transport = new StreamableHTTPTransport();
app.all('/mcp', async context => {
  if (!server.isConnected()) await server.connect(transport);
  return transport.handleRequest(context);
});
serve({ fetch: app.fetch, port: Number(process.env.PORT), hostname: '127.0.0.1' });
