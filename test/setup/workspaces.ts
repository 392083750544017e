// The fixture workspaces of test/workspaces/. Never opened where they are: VS Code and the tests write into them.
import * as fs from 'node:fs';
import * as path from 'node:path';
import { inRepository } from './paths';

/**
 * Copies a fixture workspace.
 * @returns what VS Code is to open: the folder, or the `.code-workspace` file in it.
 */
export function copyWorkspace(name: string, target: string): string {
  fs.cpSync(inRepository('test/workspaces', name), target, { recursive: true });
  const file = fs.readdirSync(target).find(entry => entry.endsWith('.code-workspace'));
  return file ? path.join(target, file) : target;
}

/**
 * Copies the sample workspace, and wires it to the demo server of this build and to server-everything. Both are
 * started with the Node that runs this, so that the sample works whatever Node is on the PATH.
 * @returns the folder to open.
 */
export function sampleWorkspace(target: string): string {
  copyWorkspace('sample', target);
  const file = path.join(target, '.vscode/settings.json');
  const settings = JSON.parse(fs.readFileSync(file, 'utf8')) as Record<string, unknown>;
  const server = (script: string) => ({ command: process.execPath, args: [inRepository(script)] });
  settings['mcpHost.servers'] = {
    notebook: server('dist/demo-server.js'),
    everything: server('node_modules/@modelcontextprotocol/server-everything/dist/index.js'),
  };
  fs.writeFileSync(file, JSON.stringify(settings, null, 2));
  return target;
}
