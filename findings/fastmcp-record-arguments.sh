#!/bin/sh
# fastmcp 4.20.16 lists a z.record() argument with "additionalProperties": false, which allows no members, and takes members.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{ "private": true, "type": "module" }' >package.json
npm install --ignore-scripts --no-audit --no-fund --loglevel=error fastmcp@4.20.16 zod@4.6.7
cat >server.mjs <<'JS'
import { FastMCP } from 'fastmcp';
import { z } from 'zod';
const server = new FastMCP({ name: 'example', version: '1.0.0' });
server.addTool({
  name: 'send',
  description: 'Sends headers',
  parameters: z.object({ headers: z.record(z.string(), z.string()) }),
  execute: async args => JSON.stringify(args),
});
await server.start({ transportType: 'stdio' });
JS
cat >check.mjs <<'JS'
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
const child = spawn(process.execPath, ['server.mjs'], { stdio: ['pipe', 'pipe', 'inherit'] });
const waiting = new Map();
createInterface({ input: child.stdout }).on('line', line => {
  const message = JSON.parse(line);
  waiting.get(message.id)?.(message);
});
const send = message => child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
const ask = (id, method, params) =>
  new Promise(resolve => {
    waiting.set(id, resolve);
    send({ id, method, params });
  });
const clientInfo = { name: 'finding', version: '1' };
await ask(1, 'initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo });
send({ method: 'notifications/initialized' });
const { tools } = (await ask(2, 'tools/list', {})).result;
const listed = tools[0].inputSchema.properties.headers;
const { result } = await ask(3, 'tools/call', { name: 'send', arguments: { headers: { 'X-A': '1' } } });
child.kill();
const { version } = JSON.parse(readFileSync('node_modules/fastmcp/package.json', 'utf8'));
console.log(`fastmcp ${version}`);
console.log(`written: z.record(z.string(), z.string())`);
console.log(`listed:  ${JSON.stringify(listed)}`);
console.log(`taken:   {"X-A":"1"} -> ${JSON.stringify(result)}`);
const isClosed = listed.additionalProperties === false && listed.properties === undefined;
process.exit(isClosed && !result.isError && result.content[0].text.includes('X-A') ? 0 : 1);
JS
node check.mjs
