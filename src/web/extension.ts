import vscode = require('vscode');

import * as anywhere from '../extension';
import { useStorage } from './storage';

/** The extension in a web window, where it runs in the browser: servers are reached over HTTP, and no program is started. */
export function activate(context: vscode.ExtensionContext): ReturnType<typeof anywhere.activate> {
  useStorage(context.globalStorageUri);
  // What can't be done here is not offered.
  void vscode.commands.executeCommand('setContext', 'mcpHost.inBrowser', true);
  return anywhere.activate(context);
}

export const { deactivate } = anywhere;
