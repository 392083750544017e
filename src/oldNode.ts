import vscode = require('vscode');

import { registerCommands } from './editor/commands';
import { t, window } from './editor/window';

/** The Node version that every VS Code allowed by package.json brings; a VS Code server can be run with an older one. */
const NEEDED = 22;

/** Whether extensions run on a Node that lacks what the programs use. Web windows have no Node, and need none. */
export const isNodeTooOld = (): boolean => Number.parseInt(process.versions.node, 10) < NEEDED;

/** Replaces everything else where `isNodeTooOld`: a notification, a row, and every command name the remedy. */
export function tellOldNode({ extension, subscriptions }: vscode.ExtensionContext): void {
  const { node } = process.versions;
  const sentence = t(
    'MCP Host needs Node.js {0} or newer, but extensions run on {1} here. Update VS Code, or run its server with a newer Node.js.',
    NEEDED,
    node,
  );
  const row = new vscode.TreeItem(t('Node.js {0} is too old', node));
  row.iconPath = new vscode.ThemeIcon('error');
  row.tooltip = sentence;
  const treeDataProvider = { getChildren: () => [row], getTreeItem: (item: vscode.TreeItem) => item };
  const view = vscode.window.createTreeView('mcpHost.servers', { treeDataProvider });
  view.message = sentence;
  const refuse = () => {
    throw new Error(sentence);
  };
  subscriptions.push(
    view,
    registerCommands(extension, refuse, () => undefined),
  );
  void window.showErrorMessage(sentence);
}
