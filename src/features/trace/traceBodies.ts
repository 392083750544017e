import vscode = require('vscode');

import { prettyJson } from './core/prettyJson';

/** Scheme of the read-only documents of messages. */
const TRACE_SCHEME = 'mcp-trace';
/** How much of opened messages stays readable, in characters in total. */
const MAX_KEPT = 50_000_000;

/** Messages as read-only JSON documents, for the folding, search and comparison of editors. */
export class TraceBodies implements vscode.TextDocumentContentProvider, vscode.Disposable {
  readonly #texts = new Map<string, string>();
  readonly #registration = vscode.workspace.registerTextDocumentContentProvider(TRACE_SCHEME, this);
  #last = 0;

  /** @param name of the tab, without extension. May be text from a server. */
  async show(name: string, text: string): Promise<void> {
    const file =
      name
        .replace(/[^\w.@-]+/g, ' ')
        .trim()
        .slice(0, 80) || 'message';
    const path = `/${++this.#last}/${file}.json`;
    this.#texts.set(path, prettyJson(text));
    this.#forget();
    const uri = vscode.Uri.from({ scheme: TRACE_SCHEME, path });
    const document = await vscode.workspace.openTextDocument(uri);
    await vscode.window.showTextDocument(document, { preview: true });
  }

  provideTextDocumentContent({ path }: vscode.Uri): string | undefined {
    return this.#texts.get(path);
  }

  dispose(): void {
    this.#registration.dispose();
  }

  #forget(): void {
    let size = 0;
    for (const [path, text] of [...this.#texts].reverse()) {
      size += text.length;
      if (size > MAX_KEPT && size > text.length) this.#texts.delete(path);
    }
  }
}
