import vscode = require('vscode');

import { t, window } from '../../editor/window';
import type { ServerSet } from '../../host';
import { statusOf } from './statusBarText';

/** How many servers are ready, fail, or wait for a person; a click lists what waits. Hidden while no server is configured. */
export class ServerStatusBar implements vscode.Disposable {
  readonly #item = window.createStatusBarItem('mcpHost.status', vscode.StatusBarAlignment.Right, 90);
  readonly #subscription: vscode.Disposable;

  constructor(private readonly servers: ServerSet) {
    this.#item.name = t('MCP Servers');
    this.#item.command = 'mcpHost.showWaiting';
    this.#subscription = servers.onDidChange(() => this.#update());
    this.#update();
  }

  dispose(): void {
    this.#subscription.dispose();
    this.#item.dispose();
  }

  #update(): void {
    if (this.servers.all.length === 0) {
      this.#item.hide();
      return;
    }
    const { text, tooltip, label, isWarning } = statusOf(this.servers.all);
    this.#item.text = text;
    this.#item.tooltip = tooltip;
    this.#item.backgroundColor = isWarning ? new vscode.ThemeColor('statusBarItem.warningBackground') : undefined;
    this.#item.accessibilityInformation = { label };
    this.#item.show();
  }
}
