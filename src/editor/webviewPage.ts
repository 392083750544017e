import { randomBytes } from 'node:crypto';
import { type Disposable, DisposableStore } from '../base/events';
import { count, messageReader } from '../base/messageReader';
import { plain } from '../base/text';
import { errorText } from './errorText';
import { type PageMedia, pagePolicy } from './pagePolicy';
import { window } from './window';

import vscode = require('vscode');

interface PageContent extends PageMedia {
  readonly extension: vscode.Uri;
  readonly title: string;
  /** In dist/. */
  readonly script: string;
  /** In media/, each on top of those before. */
  readonly styles: readonly string[];
  /** Returns the policy of a page that has another inside, which inherits it. `own` is where our files are. */
  readonly policy?: (own: string) => string;
}

interface PageOptions<From> extends PageContent {
  /** Reads a value from the page, which is trusted less than our own code. Undefined: no message of the page. */
  readonly read: (value: unknown) => From | undefined;
  /** Takes a message of the page. The first is `ready`: the page listens, and shows nothing yet. Errors are shown. */
  readonly receive: (message: From) => unknown;
  /** The page was hidden and therefore unloaded. It reports `ready` when it is back. */
  readonly onUnload?: () => void;
}

/** The place of a page: a tab, or a view that stays loaded. */
type PagePlace = Pick<vscode.WebviewPanel, 'webview'> &
  Partial<Pick<vscode.WebviewPanel, 'onDidChangeViewState' | 'options' | 'visible'>>;

/** Reads the acknowledgement that `webview/editor.ts` sends for a delivery. */
const readTaken = messageReader({ taken: { delivery: count } });

/**
 * The extension's side of a page. The page begins empty; its script builds everything from messages, as text. It loads a
 * script from dist/ and style sheets from media/, and can load or run nothing else. Its own side is `webview/editor.ts`.
 */
export class WebviewPage<To, From extends { readonly type: string }> implements Disposable {
  readonly #disposables = new DisposableStore();
  readonly #webview: vscode.Webview;
  #isReady = false;
  /** Deliveries that the page has not taken yet, by number. */
  readonly #deliveries = new Map<number, () => void>();
  #lastDelivery = 0;

  constructor(
    place: PagePlace,
    private readonly options: PageOptions<From>,
  ) {
    const { webview } = place;
    this.#webview = webview;
    webview.options = {
      enableScripts: true,
      localResourceRoots: ['dist', 'media'].map(folder => vscode.Uri.joinPath(options.extension, folder)),
    };
    this.#disposables.add(webview.onDidReceiveMessage((value: unknown) => void this.#receive(value)));
    const watching = place.onDidChangeViewState?.(() => {
      if (place.visible || place.options?.retainContextWhenHidden) return;
      this.#isReady = false;
      this.#forgetDeliveries();
      options.onUnload?.();
    });
    if (watching) this.#disposables.add(watching);
    webview.html = webviewHtml(webview, options);
  }

  /** The page is loaded and listens. */
  get isReady(): boolean {
    return this.#isReady;
  }

  /** Sends a message. One to a page that is not loaded is dropped, because the page gets everything after `ready`. */
  post(message: To): void {
    if (this.#isReady) void this.#webview.postMessage(message);
  }

  /**
   * Sends a message, and resolves when the page has taken and drawn it, or is gone. A sender of many messages waits for each, so
   * that a slow page holds up nothing but itself: what it has not taken is queued nowhere.
   */
  deliver(message: To & object): Promise<void> {
    if (!this.#isReady) return Promise.resolve();
    const delivery = ++this.#lastDelivery;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#deliveries.set(delivery, resolve);
    void this.#webview.postMessage({ ...message, delivery });
    return promise;
  }

  dispose(): void {
    this.#isReady = false;
    this.#forgetDeliveries();
    this.#disposables.dispose();
  }

  #forgetDeliveries(): void {
    for (const resolve of this.#deliveries.values()) resolve();
    this.#deliveries.clear();
  }

  async #receive(value: unknown): Promise<void> {
    const taken = readTaken(value);
    if (taken) {
      this.#deliveries.get(taken.delivery)?.();
      this.#deliveries.delete(taken.delivery);
      return;
    }
    const message = this.options.read(value);
    if (message?.type === 'ready') {
      this.#isReady = true;
      this.#forgetDeliveries();
    }
    // Until then, messages are from a page that the webview showed before.
    if (!message || !this.#isReady) return;
    try {
      await this.options.receive(message);
    } catch (error) {
      void window.showErrorMessage(plain(errorText(error, 1_000)));
    }
  }
}

export function tabIcon(extension: vscode.Uri, name: string): vscode.WebviewPanel['iconPath'] {
  const icon = (theme: string) => vscode.Uri.joinPath(extension, 'media', `${name}-${theme}.svg`);
  return { light: icon('light'), dark: icon('dark') };
}

function webviewHtml(
  webview: vscode.Webview,
  { extension, title, script, styles, policy, ...media }: PageContent,
): string {
  const nonce = randomBytes(16).toString('base64');
  const uri = (...path: string[]) => escaped(webview.asWebviewUri(vscode.Uri.joinPath(extension, ...path)).toString());
  const csp = policy?.(webview.cspSource) ?? pagePolicy(webview.cspSource, nonce, media);
  return `<!DOCTYPE html>
<html lang="${escaped(vscode.env.language)}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${escaped(csp)}">
<title>${escaped(title)}</title>
${styles.map(style => `<link rel="stylesheet" href="${uri('media', style)}">`).join('\n')}
</head>
<body>
<main></main>
<script nonce="${nonce}" src="${uri('dist', script)}"></script>
</body>
</html>`;
}

function escaped(text: string): string {
  return text.replace(/[&<>"]/g, character => `&#${character.charCodeAt(0)};`);
}
