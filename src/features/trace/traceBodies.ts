import vscode = require('vscode');

import { prettyJson } from './core/prettyJson';

/** Scheme of the read-only documents of messages. */
const TRACE_SCHEME = 'mcp-trace';
/** How much of opened messages stays readable, in characters in total. */
const MAX_KEPT = 50_000_000;

interface NamedText {
  readonly name: string;
  readonly text: string;
}

/** Messages as read-only JSON documents, for the folding, search and comparison of editors. */
export class TraceBodies implements vscode.TextDocumentContentProvider, vscode.Disposable {
  readonly #texts = new Map<string, string>();
  readonly #registration = vscode.workspace.registerTextDocumentContentProvider(TRACE_SCHEME, this);
  #last = 0;

  /** @param name of the tab, without extension. May be text from a server. */
  async show(name: string, text: string): Promise<void> {
    const document = await vscode.workspace.openTextDocument(this.#add(name, text));
    await vscode.window.showTextDocument(document, { preview: true });
  }

  /** Shows how two differ. */
  async compare(left: NamedText, right: NamedText): Promise<void> {
    const [one, other] = [left, right].map(({ name, text }) => this.#add(name, text));
    await vscode.commands.executeCommand('vscode.diff', one, other, `${left.name} ↔ ${right.name}`);
  }

  provideTextDocumentContent({ path }: vscode.Uri): string | undefined {
    return this.#texts.get(path);
  }

  dispose(): void {
    this.#registration.dispose();
  }

  #add(name: string, text: string): vscode.Uri {
    const file =
      name
        .replace(/[^\w.@-]+/g, ' ')
        .trim()
        .slice(0, 80) || 'message';
    const path = `/${++this.#last}/${file}.json`;
    this.#texts.set(path, prettyJson(text));
    this.#forget();
    return vscode.Uri.from({ scheme: TRACE_SCHEME, path });
  }

  #forget(): void {
    let size = 0;
    for (const [path, text] of [...this.#texts].reverse()) {
      size += text.length;
      if (size > MAX_KEPT && size > text.length) this.#texts.delete(path);
    }
  }
}
