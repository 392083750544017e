import { homedir, release } from 'node:os';

import vscode = require('vscode');

import { t, window } from '../../editor/window';
import type { ServerConnection, ServerSet } from '../../host';
import { serverOf } from '../servers';
import { diagnosticsReport } from './core/diagnosticsReport';
import { HealthPanel } from './healthPanel';

/** How servers are doing, for people and for bug reports. */
export class HealthCommands implements vscode.Disposable {
  readonly #panel: HealthPanel;

  constructor(
    private readonly servers: ServerSet,
    private readonly context: vscode.ExtensionContext,
    panel: ConstructorParameters<typeof HealthPanel>[2],
  ) {
    this.#panel = new HealthPanel(servers, context.extensionUri, panel);
  }

  /** From the palette, shows the server that was shown last, or the first; the page has a list of all. */
  show(argument: unknown): void {
    this.#panel.open(serverOf(argument));
  }

  /** Copies the report about one server, or, from the palette, about all. */
  async copyDiagnostics(argument: unknown): Promise<void> {
    const server = serverOf(argument);
    const report = this.report(server ? [server] : this.servers.all);
    await vscode.env.clipboard.writeText(report);
    void window.showInformationMessage(
      t(
        'Copied the diagnostics. Values that may be secret and your folders are masked, but read the text before you share it.',
      ),
    );
  }

  /** A report on servers for finding a fault. See `diagnosticsReport`. */
  report(servers: readonly ServerConnection[], logOf?: (server: ServerConnection) => readonly string[]): string {
    const surroundings = {
      facts: this.#facts(),
      homeFolder: homedir(),
      workspaceFolders: (vscode.workspace.workspaceFolders ?? []).map(({ uri }) => uri.fsPath),
    };
    return diagnosticsReport(servers, surroundings, logOf);
  }

  dispose(): void {
    this.#panel.dispose();
  }

  #facts(): string[] {
    const { appName, appHost, remoteName, uiKind, language } = vscode.env;
    const ui = uiKind === vscode.UIKind.Web ? 'web' : 'desktop';
    return [
      `Extension: ${this.context.extension.packageJSON.version}`,
      `Editor: ${appName} ${vscode.version} (${ui}, ${appHost}${remoteName ? `, remote ${remoteName}` : ''}, ${language})`,
      `System: ${process.platform} ${process.arch} ${release()}`,
      `Node.js: ${process.versions.node}`,
      `Workspace: ${vscode.workspace.workspaceFolders?.length ?? 0} folders, ${vscode.workspace.isTrusted ? 'trusted' : 'not trusted'}`,
    ];
  }
}
