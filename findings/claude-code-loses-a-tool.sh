#!/bin/sh
# Claude Code (`@anthropic-ai/claude-code` 2.1.332): which tools its model is offered of a server with `read.all` and `read_all`, two
# valid and different names (MCP 2025-11-25, server/tools#tool-names).
# Seen: the first alone, as `mcp__s__read_all`. Nothing says that the other one is missing.
# Exits with 1 when that changes. Needs npm and a Linux machine (x64); nothing leaves it but the installation.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{ "private": true }' >package.json
npm install --ignore-scripts --no-audit --no-fund --loglevel=error @anthropic-ai/claude-code@2.1.332 >/dev/null

cat >server.mjs <<'JS'
import { createInterface } from 'node:readline';
const tool = (name, description) => ({ name, description, inputSchema: { type: 'object' } });
const answers = {
  initialize: ({ protocolVersion }) => ({ protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 's', version: '1' } }),
  'tools/list': () => ({ tools: [tool('read.all', 'with a dot'), tool('read_all', 'with a line')] }),
  ping: () => ({}),
};
createInterface({ input: process.stdin }).on('line', line => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  const answer = answers[method]
    ? { result: answers[method](params) }
    : { error: { code: -32601, message: 'Method not found' } };
  console.log(JSON.stringify({ jsonrpc: '2.0', id, ...answer }));
});
JS

cat >run.mjs <<'JS'
import { spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
let offered = [];
const model = createServer(async (request, response) => {
  let body = '';
  for await (const chunk of request) body += chunk;
  if (!request.url.includes('/messages') || request.url.includes('count_tokens')) return response.writeHead(404).end('{}');
  const own = (JSON.parse(body).tools ?? []).filter(({ name }) => name.startsWith('mcp__'));
  if (own.length > 0) offered = own.map(({ name, description }) => `${name} (${description})`);
  const usage = { input_tokens: 1, output_tokens: 1 };
  const message = { id: 'm', type: 'message', role: 'assistant', model: 'm', content: [], stop_reason: null, stop_sequence: null, usage };
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const event of [
    { type: 'message_start', message },
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'done' } },
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason: 'end_turn', stop_sequence: null }, usage },
    { type: 'message_stop' },
  ])
    response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
  response.end();
}).listen(0, '127.0.0.1');
await new Promise(resolve => model.once('listening', resolve));
mkdirSync('home');
const servers = { s: { command: process.execPath, args: [`${process.cwd()}/server.mjs`] } };
writeFileSync('mcp.json', JSON.stringify({ mcpServers: servers }));
const program = `node_modules/@anthropic-ai/claude-code-${process.platform}-${process.arch}/claude`;
const env = {
  PATH: process.env.PATH,
  HOME: `${process.cwd()}/home`,
  ANTHROPIC_BASE_URL: `http://127.0.0.1:${model.address().port}`,
  ANTHROPIC_API_KEY: 'not-a-key',
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
  ENABLE_TOOL_SEARCH: 'false',
  MCP_CONNECTION_NONBLOCKING: 'false',
};
const claude = spawn(program, ['-p', 'Hello.', '--mcp-config', 'mcp.json'], { env, stdio: ['ignore', 'ignore', 'inherit'] });
await new Promise(resolve => claude.once('exit', resolve));
console.log(`@anthropic-ai/claude-code 2.1.332: of read.all and read_all the model is offered ${offered.join(', ')}`);
process.exit(offered.join() === 'mcp__s__read_all (with a dot)' ? 0 : 1);
JS
node run.mjs
