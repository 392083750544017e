import assert from 'node:assert/strict';
import { nameOfServer } from '../../../../../src/features/setup/core/serverNames';

describe('nameOfServer', () => {
  const names: [name: string, command: string, ...args: string[]][] = [
    ['filesystem', 'npx', '-y', '@modelcontextprotocol/server-filesystem', '/tmp'],
    ['filesystem', 'node', '/x/node_modules/@modelcontextprotocol/server-filesystem/dist/index.js', '/tmp'],
    ['playwright', 'npx', '@playwright/mcp@latest'],
    ['github', 'docker', 'run', '-i', '--rm', '-e', 'TOKEN', '-v', '/a:/b', 'ghcr.io/github/github-mcp-server:v1'],
    ['weather', 'uv', '--directory', '/srv/weather', 'run', 'main.py'],
    ['fetch', 'python', '-m', 'mcp_server_fetch'],
    ['serena', 'uvx', '--from', 'git+https://github.com/oraios/serena@main', 'serena', 'start-mcp-server'],
    ['example', 'npx', '-y', 'mcp-remote', 'https://mcp.example.com/sse'],
    ['notes', 'C:\\tools\\notes\\build\\index.exe'],
    ['notes', '/opt/my tools/bin/node', 'C:\\Program Files\\notes.js'],
    ['bash', 'bash', '-c', 'cd /srv/x && node ./y.js'],
    ['obsidian', 'uvx', 'mcp-obsidian'],
    ['context7', 'npx', '-y', '@upstash/context7-mcp@1.0'],
    ['server', 'node', 'server.js'],
  ];
  for (const [name, command, ...args] of names)
    it(`${name}: ${[command, ...args].join(' ')}`, () => assert.equal(nameOfServer({ command, args }), name));

  for (const [name, url] of [
    ['linear', 'https://mcp.linear.app/sse'],
    ['githubcopilot', 'https://api.githubcopilot.com/mcp/'],
    ['example', 'https://example.co.uk/mcp'],
    ['127.0.0.1-8080', 'http://127.0.0.1:8080/mcp'],
    ['localhost', 'http://localhost/mcp'],
  ])
    it(`${name}: ${url}`, () => assert.equal(nameOfServer({ url }), name));
});
