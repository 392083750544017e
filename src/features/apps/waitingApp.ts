import type * as vscode from 'vscode';
import { WebviewPage } from '../../editor/webviewPage';
import { t } from '../../editor/window';
import type { AppSurface } from './appSurfaces';
import { type FromAppPage, fromAppPage, type ToAppPage } from './core/appMessages';

interface WaitingOptions {
  readonly extension: vscode.Uri;
  /** The person wants to see the app. */
  readonly show: () => Promise<void>;
}

/**
 * The place of an app of an earlier window, before the person wants to see it again: nothing is asked while a window opens, and
 * no app calls a tool then.
 */
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
