import * as vscode from 'vscode';
import type { ServerSet } from './serverSet';

/** How many servers are ready and how many fail; a click opens the view. Hidden while no server is configured. */
export class ServerStatusBar implements vscode.Disposable {
  readonly #item = vscode.window.createStatusBarItem('mcpHost.status', vscode.StatusBarAlignment.Right, 90);
  readonly #subscription: vscode.Disposable;

  constructor(private readonly servers: ServerSet) {
    this.#item.name = vscode.l10n.t('MCP Servers');
    this.#item.command = 'mcpHost.servers.focus';
    this.#subscription = servers.onDidChange(() => this.#update());
    this.#update();
  }

  dispose(): void {
    this.#subscription.dispose();
    this.#item.dispose();
  }

  #update(): void {
    const count = {
      stopped: 0,
      starting: 0,
      ready: 0,
      reconnecting: 0,
      failed: 0,
      needsTrust: 0,
      needsInput: 0,
      needsAuth: 0,
    };
    for (const server of this.servers.all) count[server.state.kind]++;
    if (this.servers.all.length === 0) {
      this.#item.hide();
      return;
    }
    const icon = count.starting + count.reconnecting > 0 ? '$(loading~spin)' : '$(plug)';
    this.#item.text = `${icon} ${count.ready}${count.failed > 0 ? ` $(error) ${count.failed}` : ''}`;
    this.#item.backgroundColor =
      count.failed > 0 ? new vscode.ThemeColor('statusBarItem.warningBackground') : undefined;
    this.#item.tooltip = [
      vscode.l10n.t('MCP servers: {0} ready, {1} failing', count.ready, count.failed),
      ...this.servers.all.map(({ id, state }) => `${id}: ${state.kind}`),
    ].join('\n');
    this.#item.accessibilityInformation = {
      label: vscode.l10n.t('MCP servers: {0} ready, {1} failing', count.ready, count.failed),
    };
    this.#item.show();
  }
}
