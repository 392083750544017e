import { Owner } from '../../base/events';
import { TextDocuments } from '../../editor/textDocuments';

import vscode = require('vscode');

/** Read-only documents for diffs and for reviews that do not fit into a dialog. */
export class ReviewDocuments extends Owner {
  readonly #documents: TextDocuments;

  constructor(scheme: 'mcp-review' | 'mcp-question' = 'mcp-review') {
    super();
    this.#documents = this.own(new TextDocuments(scheme));
  }

  /** @param preview whether the next document to be opened may replace it. */
  async show(title: string, text: string, preview = true): Promise<vscode.Uri> {
    const { document } = await vscode.window.showTextDocument(this.#documents.add(title, text), { preview });
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
    const [left, right] = [this.#documents.add('before', before), this.#documents.add('now', now)];
    await vscode.commands.executeCommand('vscode.diff', left, right, title, { preview: true });
  }
}
