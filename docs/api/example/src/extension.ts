import type { McpHostExports } from '@mcp-host/api';
import * as vscode from 'vscode';
import { greet } from './greet';

export function activate({ extensionPath, subscriptions }: vscode.ExtensionContext): void {
  subscriptions.push(
    vscode.commands.registerCommand('mcpHostExample.greet', async () => {
      const extension = vscode.extensions.getExtension<McpHostExports>('mcp-host.mcp-host');
      if (!extension) throw new Error('Install MCP Host first.');
      const { getApi } = await extension.activate();
      const api = await getApi(1);
      return greet(api, `${extensionPath}/server/server.js`);
    }),
  );
}
