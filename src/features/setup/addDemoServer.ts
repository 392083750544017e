import vscode = require('vscode');

const NAME = 'notebook';

/**
 * Writes the demo server into the person's settings, where it works in each window, with notes of its own. It runs with the editor's
 * own Node, so nothing needs to be installed. Variables stand for paths that an update of the editor or of this extension changes.
 * @param id of this extension.
 */
export async function addDemoServer(id: string): Promise<void> {
  const section = vscode.workspace.getConfiguration('mcpHost');
  const present = section.inspect<Record<string, unknown>>('servers')?.globalValue;
  const entry = {
    command: '${execPath}',
    args: [`\${extensionInstallFolder:${id}}/dist/demo-server.js`, '--own-notes'],
    env: { ELECTRON_RUN_AS_NODE: '1' },
  };
  await section.update('servers', { ...present, [NAME]: entry }, vscode.ConfigurationTarget.Global);
  await vscode.commands.executeCommand('mcpHost.servers.focus');
}
