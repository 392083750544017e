import { TextDocuments } from '../../editor/textDocuments';

import vscode = require('vscode');

/** Documents of earlier reviews that stay readable. */
const MAX_KEPT = 40;

/** Read-only documents for diffs and for reviews that do not fit into a dialog. */
export class ReviewDocuments implements vscode.Disposable {
  readonly #documents: TextDocuments;
  #last = 0;

  constructor(private readonly scheme: 'mcp-review' | 'mcp-question' = 'mcp-review') {
    this.#documents = new TextDocuments(scheme, MAX_KEPT);
  }

  /** @param preview whether the next document to be opened may replace it. */
  async show(title: string, text: string, preview = true): Promise<vscode.Uri> {
    const { document } = await vscode.window.showTextDocument(this.#add(title, text), { preview });
    // The end of a long line must not be out of sight.
    const wraps = vscode.workspace.getConfiguration('editor', document).get('wordWrap') !== 'off';
    if (!wraps) await vscode.commands.executeCommand('editor.action.toggleWordWrap');
    return document.uri;
  }

  /** Closes what was shown, after a decision. */
  async close(documents: readonly vscode.Uri[]): Promise<void> {
    const keys = new Set(documents.map(String));
    const isOne = ({ input }: vscode.Tab) => keys.has(String((input as { uri?: vscode.Uri } | undefined)?.uri));
    await vscode.window.tabGroups.close(vscode.window.tabGroups.all.flatMap(({ tabs }) => tabs).filter(isOne));
    for (const uri of documents) this.#documents.delete(uri);
  }

  async showDiff(title: string, before: string, now: string): Promise<void> {
    const [left, right] = [this.#add('before', before), this.#add('now', now)];
    await vscode.commands.executeCommand('vscode.diff', left, right, title, { preview: true });
  }

  dispose(): void {
    this.#documents.dispose();
  }

  #add(title: string, text: string): vscode.Uri {
    const path = `/${++this.#last}/${title.replace(/[\\/]/g, '_')}`;
    const uri = vscode.Uri.from({ scheme: this.scheme, path });
    this.#documents.set(uri, text);
    return uri;
  }
}
