import vscode = require('vscode');

/** Web windows search the registry in the box of *Add Server…*. The command is hidden here. */
export const galleryOf = () => ({
  open: () => vscode.commands.executeCommand('mcpHost.addServer'),
  dispose: () => {},
});
