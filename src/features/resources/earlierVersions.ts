import vscode = require('vscode');

import type { ResourceAddress } from './core/resourceAddress';
import { resourceUri } from './uri';

/** Scheme of earlier versions of resources, the left side of a comparison. */
const EARLIER_SCHEME = 'mcp-earlier';
/** Beyond this many, the oldest texts are dropped, in case the editor does not report that it closed them. */
const MAX_KEPT = 20;

/** Earlier texts of resources, read-only, kept as long as an editor shows them. */
export class EarlierVersions implements vscode.TextDocumentContentProvider, vscode.Disposable {
  readonly #texts = new Map<string, string>();
  readonly #disposable: vscode.Disposable;
  #count = 0;

  constructor() {
    this.#disposable = vscode.Disposable.from(
      vscode.workspace.registerTextDocumentContentProvider(EARLIER_SCHEME, this),
      vscode.workspace.onDidCloseTextDocument(({ uri }) => this.#texts.delete(uri.toString())),
    );
  }

  /** Keeps a text. Its name determines the language, as for the resource. */
  keep({ serverId, uri }: ResourceAddress, name: string, text: string): vscode.Uri {
    const kept = resourceUri(serverId, { uri, name }).with({ scheme: EARLIER_SCHEME, query: String(++this.#count) });
    this.#texts.set(kept.toString(), text);
    const [oldest] = this.#texts.size > MAX_KEPT ? this.#texts.keys() : [];
    if (oldest !== undefined) this.#texts.delete(oldest);
    return kept;
  }

  provideTextDocumentContent(uri: vscode.Uri): string {
    return this.#texts.get(uri.toString()) ?? '';
  }

  dispose(): void {
    this.#disposable.dispose();
    this.#texts.clear();
  }
}
