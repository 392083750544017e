// A server whose suggestions say when it made them: for measuring how long they take to the screen.
import { completable, McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import * as z from 'zod';

serveStdio(() => {
  const server = new McpServer({ name: 'clock', version: '1.0.0' });
  const when = completable(z.string(), typed => [`${typed} was answered at ${Date.now()}`]);
  server.registerPrompt('clock', { title: 'Clock', argsSchema: z.object({ when }) }, args => ({
    messages: [{ role: 'user', content: { type: 'text', text: args.when } }],
  }));
  return server;
});
