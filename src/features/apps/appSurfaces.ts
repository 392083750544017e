import { randomUUID } from 'node:crypto';
import type { PlainText } from '../../base/text';
import { tabIcon, WebviewPage } from '../../editor/webviewPage';
import { t, window } from '../../editor/window';
import { type FromAppPage, fromAppPage, type ToAppPage } from './core/appMessages';
import type { AppPlace } from './core/appSession';
import { IN_VIEW, VIEW_KEY } from './core/keptKeys';

import vscode = require('vscode');

const APP_TAB = 'mcpHost.app';
const APP_VIEW = 'mcpHost.appView';

/** A webview that shows one app after another. */
export interface AppSurface {
  readonly place: AppPlace;
  readonly webview: vscode.Webview;
  /** By which what it shows is found again after a reload of the window. */
  readonly key: string;
  readonly isActive: boolean;
  entitle(title: PlainText): void;
  reveal(preserveFocus: boolean): void;
  close(): void;
  /** Called when it is closed, by the person or the editor. */
  onDidClose(gone: () => void): void;
}

/** A tab of its own beside the active editor. */
export function newTab(extension: vscode.Uri, title: PlainText, preserveFocus: boolean): AppSurface {
  const where = { viewColumn: vscode.ViewColumn.Beside, preserveFocus };
  // What a person does in an app is nowhere else.
  const panel = window.createWebviewPanel(APP_TAB, title, where, { retainContextWhenHidden: true });
  return tabOf(panel, extension, randomUUID());
}

export function tabOf(panel: vscode.WebviewPanel, extension: vscode.Uri, key: string): AppSurface {
  panel.iconPath = tabIcon(extension, 'app');
  return {
    place: 'tab',
    webview: panel.webview,
    key,
    get isActive() {
      return panel.active;
    },
    entitle: title => {
      panel.title = title;
    },
    reveal: preserveFocus => panel.reveal(undefined, preserveFocus),
    close: () => panel.dispose(),
    onDidClose: gone => void panel.onDidDispose(gone),
  };
}

/** The view in the panel. It is there as long as it shows an app. */
export class AppView {
  #surface: AppSurface | undefined;
  #arrival = Promise.withResolvers<AppSurface>();
  /** The last that the editor has made, until that is gone: it outlives its app. */
  #last: AppSurface | undefined;
  /** Whether an app is on its way to it. */
  #isAwaited = false;

  /** The editor has created it, or recreated it. @returns whether it was restored: then it shows its earlier app. */
  arrive(view: vscode.WebviewView): { readonly surface: AppSurface; readonly isRestored: boolean } {
    const surface: AppSurface = {
      place: 'view',
      webview: view.webview,
      key: VIEW_KEY,
      isActive: false,
      entitle: title => {
        view.description = title;
      },
      reveal: preserveFocus => view.show(preserveFocus),
      close: () => {
        this.#surface = undefined;
        // Its app ends, also where the editor keeps the view for the next.
        if (this.#last === surface) view.webview.html = '';
        void vscode.commands.executeCommand('setContext', IN_VIEW, false);
      },
      onDidClose: gone => void view.onDidDispose(gone),
    };
    surface.onDidClose(() => {
      if (this.#surface === surface) this.#surface = undefined;
      if (this.#last === surface) this.#last = undefined;
    });
    const isRestored = !this.#isAwaited;
    this.#surface = surface;
    this.#last = surface;
    this.#isAwaited = false;
    this.#arrival.resolve(surface);
    this.#arrival = Promise.withResolvers();
    return { surface, isRestored };
  }

  async show(preserveFocus: boolean): Promise<AppSurface> {
    if (this.#surface) {
      this.#surface.reveal(preserveFocus);
      return this.#surface;
    }
    this.#isAwaited = true;
    const { promise } = this.#arrival;
    await vscode.commands.executeCommand('setContext', IN_VIEW, true);
    await vscode.commands.executeCommand(`${APP_VIEW}.focus`, { preserveFocus });
    // The editor tells of one that it takes away before it answers. What is still there, it shows again.
    if (!this.#last) return promise;
    this.#isAwaited = false;
    this.#surface = this.#last;
    return this.#last;
  }
}

interface WaitingOptions {
  readonly extension: vscode.Uri;
  /** The person wants to see the app. */
  readonly show: () => Promise<void>;
}

/** The place of an app of an earlier window: nothing is asked, and no app calls a tool, while a window opens. */
export class WaitingApp {
  readonly #page: WebviewPage<ToAppPage, FromAppPage>;

  constructor({ webview }: Pick<AppSurface, 'webview'>, { extension, show }: WaitingOptions) {
    const content = { extension, title: t('MCP App'), script: 'app-view.js', styles: ['app.css'] };
    this.#page = new WebviewPage(
      { webview },
      {
        ...content,
        read: fromAppPage,
        receive: message => {
          if (message.type === 'ready') this.offer();
          if (message.type !== 'act') return;
          this.tell(t('Waiting for the MCP server of this app.'));
          return show();
        },
      },
    );
  }

  /** Offers to show the app. */
  offer(): void {
    const text = t('This app was open before the window was reloaded.');
    this.#page.post({ type: 'end', text, action: { name: 'show', label: t('Show App') } });
  }

  tell(text: string): void {
    this.#page.post({ type: 'end', text });
  }

  dispose(): void {
    this.#page.dispose();
  }
}
