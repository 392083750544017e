import { isObject } from '../../../base/isObject';

import vscode = require('vscode');

import { plain } from '../../../base/text';
import { webviewRoots } from '../../../editor/webview/webviewHtml';
import { window } from '../../../editor/window';
import { type ToolTarget, titleOf } from '../chooseTool';
import { ToolRuns } from '../core/page/toolRuns';
import { keyOfPlace, ToolPage, type ToolPageServices, type ToolPlace } from './toolPage';

/** The pages of tools: one for each, which is shown again rather than opened twice. */
export class ToolPages implements vscode.Disposable {
  readonly #pages = new Map<string, ToolPage>();
  readonly #services: ToolPageServices;

  constructor(needs: Omit<ToolPageServices, 'runs'>) {
    this.#services = { ...needs, runs: new ToolRuns() };
  }

  open({ server, tool }: ToolTarget): void {
    const place = { server: server.id, tool: tool.name };
    const open = this.#pages.get(keyOfPlace(place));
    if (open) {
      open.reveal();
      return;
    }
    const panel = window.createWebviewPanel(
      'mcpHost.tool',
      plain(titleOf(tool)),
      vscode.ViewColumn.Active,
      optionsOf(this.#services.extensionUri),
    );
    this.#show(panel, place);
  }

  /** Fills a page that was open before the window was reloaded. Nothing is run. */
  restore(panel: vscode.WebviewPanel, state: unknown): void {
    const { server, tool } = (isObject(state) ? state : {}) as Partial<Record<keyof ToolPlace, unknown>>;
    if (typeof server !== 'string' || typeof tool !== 'string' || this.#pages.has(keyOfPlace({ server, tool }))) {
      panel.dispose();
      return;
    }
    panel.webview.options = optionsOf(this.#services.extensionUri);
    this.#show(panel, { server, tool });
  }

  dispose(): void {
    for (const page of this.#pages.values()) page.dispose();
  }

  #show(panel: vscode.WebviewPanel, place: ToolPlace): void {
    const page = new ToolPage(panel, place, this.#services);
    this.#pages.set(keyOfPlace(place), page);
    page.onDidDispose(() => this.#pages.delete(keyOfPlace(place)));
  }
}

const optionsOf = (extension: vscode.Uri) => ({ enableScripts: true, localResourceRoots: webviewRoots(extension) });
