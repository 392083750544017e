#!/bin/sh
# @mcp-ui/server 6.1.0 puts the bare address of an external page into a resource of the type of an HTML app.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{ "private": true, "type": "module" }' >package.json
npm install --ignore-scripts --no-audit --no-fund --loglevel=error @mcp-ui/server@6.1.0
cat >check.mjs <<'JS'
import { readFileSync } from 'node:fs';
import { createUIResource } from '@mcp-ui/server';
const { version } = JSON.parse(readFileSync('node_modules/@mcp-ui/server/package.json', 'utf8'));
const content = { type: 'externalUrl', iframeUrl: 'https://example.com/page' };
const { resource } = await createUIResource({ uri: 'ui://example/1', content, encoding: 'text' });
console.log(`@mcp-ui/server ${version}`);
console.log(`mimeType: ${resource.mimeType}`);
console.log(`text:     ${resource.text}`);
const isApp = resource.mimeType === 'text/html;profile=mcp-app';
process.exit(isApp && resource.text === 'https://example.com/page' ? 0 : 1);
JS
node check.mjs
