import { StreamableHTTPTransport } from '@hono/mcp';
import { serve } from '@hono/node-server';
import { Hono } from 'hono';
import { makeServer } from './sdk1Server.mjs';

// A server for each request, because a bridge makes more than one session.
const app = new Hono();
app.all('/mcp', async context => {
  const transport = new StreamableHTTPTransport({ sessionIdGenerator: undefined });
  await makeServer().connect(transport);
  return transport.handleRequest(context);
});
serve({ fetch: app.fetch, port: Number(process.env.PORT), hostname: '127.0.0.1' });
