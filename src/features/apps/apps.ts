import { randomUUID } from 'node:crypto';

import vscode = require('vscode');

import { isObject } from '../../base/isObject';
import { plain, visible } from '../../base/text';
import { errorText } from '../../editor/errorText';
import { webviewHtml, webviewRoots } from '../../editor/webview/webviewHtml';
import { t, window } from '../../editor/window';
import { appOf, type ServerConnection } from '../../host';
import { PinStorage, type ReviewDocuments, type Trust } from '../trust';
import { type AppCall, type AppContext, AppFrame, type FrameOptions } from './appFrame';
import { askForApp } from './appQuestion';
import { AppAgreements } from './core/agreements';
import { type AppPage, pageOf } from './core/appPage';
import { policyOf } from './core/declaration';
import { KeptApps } from './keptApps';

/** Type of the tabs. */
const APP_VIEW = 'mcpHost.app';

interface AppsServices extends Omit<FrameOptions['services'], 'trust' | 'version'> {
  readonly context: vscode.ExtensionContext;
  readonly trust: Pick<Trust, 'askForCall' | 'calls' | 'pins'>;
  readonly documents: Pick<ReviewDocuments, 'showDiff'>;
}

interface OpenTab {
  readonly panel: vscode.WebviewPanel;
  readonly frame: AppFrame;
  /** What it shows: of each tool one tab is open. */
  readonly of: string;
}

/** The apps that are open in this window, each in a tab of its own (MCP Apps, spec: ext-apps 2026-01-26). */
export class Apps implements vscode.Disposable {
  readonly #agreements: AppAgreements;
  readonly #kept: KeptApps;
  readonly #tabs = new Set<OpenTab>();

  constructor(private readonly services: AppsServices) {
    const { context, trust } = services;
    this.#agreements = new AppAgreements(new PinStorage(context, 'apps'), trust.pins.mode);
    this.#kept = new KeptApps(context.workspaceState);
  }

  /** Shows the app of a call beside the active editor, if the person agrees to it. Never rejects: says what is wrong. */
  async open(call: AppCall, { preserveFocus = false } = {}): Promise<void> {
    const page = await this.#page(call);
    if (!page || !(await this.#isAgreed(call, page))) return;
    const of = `${call.server.id}\n${call.tool.name}`;
    const open = [...this.#tabs].find(tab => tab.of === of);
    const viewColumn = open?.panel.viewColumn ?? vscode.ViewColumn.Beside;
    if (open) await this.#close(open);
    const title = titleOf(call);
    const panel = window.createWebviewPanel(APP_VIEW, title, { viewColumn, preserveFocus }, this.#panelOptions);
    const key = randomUUID();
    this.#fill(panel, call, page, key);
    void this.#kept.keep(key, call);
  }

  /** Brings a tab of an earlier window back, with the input and the result that its app had. */
  async restore(panel: vscode.WebviewPanel, state: unknown): Promise<void> {
    const key = isObject(state) && typeof state.key === 'string' ? state.key : '';
    const call = await this.#kept.find(key, this.services.servers);
    const page = call && (await this.#page(call));
    // Nobody is asked while a window opens: who wants to see what has changed runs the tool again.
    if (!page || (await this.#agreements.of(call.server, page)).state !== 'agreed') {
      panel.dispose();
      return this.#kept.forget(key);
    }
    panel.webview.options = this.#panelOptions;
    this.#fill(panel, call, page, key);
  }

  /** Stops the app of the active tab, whatever it does: its tab is closed. */
  async stop(): Promise<void> {
    const tab = [...this.#tabs].find(({ panel }) => panel.active) ?? [...this.#tabs].at(-1);
    if (tab) tab.panel.dispose();
    else window.setStatusBarMessage(t('No app of an MCP server is open.'), 5_000);
  }

  /** What open apps want models to know with the next question. */
  context(): AppContext[] {
    return this.#said(({ context }) => context);
  }

  /** The same; it is given once. */
  takeContext(): AppContext[] {
    return this.#said(frame => frame.takeContext());
  }

  #said(by: (frame: AppFrame) => string): AppContext[] {
    return [...this.#tabs]
      .map(({ frame }) => ({ server: frame.server.id, text: by(frame) }))
      .filter(({ text }) => text);
  }

  /** The window closes: tabs stay, and are restored in the next. */
  dispose(): void {
    for (const { frame } of this.#tabs) frame.dispose();
    this.#tabs.clear();
  }

  get #panelOptions(): vscode.WebviewPanelOptions & vscode.WebviewOptions {
    return {
      enableScripts: true,
      enableForms: true,
      localResourceRoots: webviewRoots(this.services.context.extensionUri),
      // What a person does in an app is nowhere else.
      retainContextWhenHidden: true,
    };
  }

  async #page({ server, tool }: AppCall): Promise<AppPage | undefined> {
    const uri = appOf(tool) ?? '';
    try {
      const read = await server.readResource(uri);
      return pageOf(uri, read, server.catalog.resources.find(resource => resource.uri === uri)?._meta);
    } catch (error) {
      const why = errorText(error, 500);
      void window.showWarningMessage(t('The app of {0} is not shown: {1}', visible(tool.name, 80), why));
      return undefined;
    }
  }

  async #isAgreed(call: AppCall, page: AppPage): Promise<boolean> {
    const { server } = call;
    const agreement = await this.#agreements.of(server, page);
    if (agreement.state === 'agreed') return true;
    const asked = { server, title: titleOf(call), page };
    if (!(await askForApp(asked, agreement, this.services.documents))) return false;
    await this.#agreements.agree(server, page);
    return true;
  }

  #fill(panel: vscode.WebviewPanel, call: AppCall, page: AppPage, key: string): void {
    const { context } = this.services;
    const title = titleOf(call);
    const { version } = context.extension.packageJSON as { version: string };
    const options: FrameOptions = {
      call,
      page,
      title,
      mode: 'fullscreen',
      key,
      services: { ...this.services, version },
      close: () => void this.#close(tab),
    };
    const frame = new AppFrame(panel.webview, options);
    const tab: OpenTab = { panel, frame, of: `${call.server.id}\n${call.tool.name}` };
    this.#tabs.add(tab);
    const icon = (theme: string) => vscode.Uri.joinPath(context.extensionUri, 'media', `app-${theme}.svg`);
    panel.iconPath = { light: icon('light'), dark: icon('dark') };
    panel.onDidDispose(() => {
      // Not when the window closes, which leaves no time for it: the tab comes back.
      if (!this.#tabs.delete(tab)) return;
      frame.dispose();
      void this.#kept.forget(key);
    });
    panel.webview.html = webviewHtml(panel.webview, context.extensionUri, {
      title,
      script: 'app-view.js',
      styles: ['app.css'],
      policy: own => policyOf(page.declaration, own),
    });
  }

  async #close(tab: OpenTab): Promise<void> {
    await tab.frame.end();
    tab.panel.dispose();
  }
}

const titleOf = ({ tool }: { tool: AppCall['tool']; server: ServerConnection }) =>
  plain(visible(tool.title ?? tool.annotations?.title ?? tool.name, 80));
