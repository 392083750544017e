import { join } from 'node:path';
import * as vscode from 'vscode';

const NAME = 'notebook';

/**
 * Writes the demo server into settings: the workspace's when a trusted folder is open, for its notes live there, else the
 * user's.
 * It runs with the editor's own Node, so nothing needs to be installed.
 */
export async function addDemoServer(extensionPath: string): Promise<void> {
  const target = vscode.workspace.workspaceFolders
    ? vscode.ConfigurationTarget.Workspace
    : vscode.ConfigurationTarget.Global;
  const configuration = vscode.workspace.getConfiguration('mcpHost');
  const inspected = configuration.inspect<Record<string, unknown>>('servers');
  const present = target === vscode.ConfigurationTarget.Global ? inspected?.globalValue : inspected?.workspaceValue;
  const entry = {
    command: process.execPath,
    args: [join(extensionPath, 'dist', 'demo-server.js')],
    env: { ELECTRON_RUN_AS_NODE: '1' },
  };
  await configuration.update('servers', { ...present, [NAME]: entry }, target);
  await vscode.commands.executeCommand('mcpHost.servers.focus');
}
