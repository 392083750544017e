import { join } from 'node:path';

import vscode = require('vscode');

import { resolveDefinitions } from '../../host';
import type { Configuration } from '../settings';
import type { Consents } from '../trust';

const NAME = 'notebook';

/**
 * Writes the demo server into settings: the workspace's if a trusted folder is open, because its notes live there, otherwise
 * the user's. It runs with the editor's own Node, so nothing needs to be installed. Choosing the command is consent to
 * exactly this entry.
 */
export async function addDemoServer(
  extensionPath: string,
  configuration: Configuration,
  consents: Consents,
): Promise<void> {
  const inWorkspace = vscode.workspace.isTrusted && vscode.workspace.workspaceFolders !== undefined;
  const section = vscode.workspace.getConfiguration('mcpHost');
  const inspected = section.inspect<Record<string, unknown>>('servers');
  const present = inWorkspace ? inspected?.workspaceValue : inspected?.globalValue;
  const entry = {
    command: process.execPath,
    args: [join(extensionPath, 'dist', 'demo-server.js')],
    env: { ELECTRON_RUN_AS_NODE: '1' },
  };
  if (inWorkspace) {
    const { definitions } = resolveDefinitions([configuration.inWorkspace({ [NAME]: entry })]);
    const review = definitions[0] && consents.review(definitions[0]);
    if (review) await consents.allow(review);
  }
  const target = inWorkspace ? vscode.ConfigurationTarget.Workspace : vscode.ConfigurationTarget.Global;
  await section.update('servers', { ...present, [NAME]: entry }, target);
  await vscode.commands.executeCommand('mcpHost.servers.focus');
}
