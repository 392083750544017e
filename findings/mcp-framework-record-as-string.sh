#!/bin/sh
# mcp-framework 0.2.22 lists a z.record() argument as a string, and refuses strings for it.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{ "private": true, "type": "module" }' >package.json
npm install --ignore-scripts --no-audit --no-fund --loglevel=error mcp-framework@0.2.22 zod@3.25.76
mkdir -p dist/tools
cat >dist/tools/SumTool.js <<'JS'
import { MCPTool } from 'mcp-framework';
import { z } from 'zod';
export default class SumTool extends MCPTool {
  name = 'sum';
  description = 'Adds numbers';
  schema = z.object({ numbers: z.record(z.number()).describe('Numbers by name') });
  async execute({ numbers }) {
    return String(Object.values(numbers).reduce((sum, one) => sum + one, 0));
  }
}
JS
cat >server.mjs <<'JS'
import { MCPServer } from 'mcp-framework';
await new MCPServer({ name: 'example', version: '1.0.0', basePath: `${process.cwd()}/dist` }).start();
JS
cat >check.mjs <<'JS'
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
const child = spawn(process.execPath, ['server.mjs'], { stdio: ['pipe', 'pipe', 'ignore'] });
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
const listed = tools[0].inputSchema.properties.numbers;
const call = async (id, numbers) => {
  const { result, error } = await ask(id, 'tools/call', { name: 'sum', arguments: { numbers } });
  return { isRefused: Boolean(error || result.isError), text: JSON.stringify(error ?? result) };
};
const [asListed, asWritten] = [await call(3, 'a'), await call(4, { a: 1, b: 2 })];
child.kill();
const { version } = JSON.parse(readFileSync('node_modules/mcp-framework/package.json', 'utf8'));
console.log(`mcp-framework ${version}`);
console.log('written: z.record(z.number())');
console.log(`listed:  ${JSON.stringify(listed)}`);
console.log(`"a" -> ${asListed.text}`);
console.log(`{"a":1,"b":2} -> ${asWritten.text}`);
process.exit(listed.type === 'string' && asListed.isRefused && !asWritten.isRefused ? 0 : 1);
JS
node check.mjs
