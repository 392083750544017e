import { Owner } from '../../base/events';
import { TextDocuments } from '../../editor/textDocuments';

import vscode = require('vscode');

/** Shows a document, so that the end of a long line is not out of sight. */
export async function showWrapped(uri: vscode.Uri, options: vscode.TextDocumentShowOptions): Promise<void> {
  await vscode.window.showTextDocument(uri, options);
  const wraps = vscode.workspace.getConfiguration('editor', uri).get('wordWrap') !== 'off';
  if (!wraps) await vscode.commands.executeCommand('editor.action.toggleWordWrap');
}

/** Read-only documents for diffs and for reviews that do not fit into a dialog. */
export class ReviewDocuments extends Owner {
  readonly #documents: TextDocuments;

  constructor(scheme: 'mcp-review' | 'mcp-question' = 'mcp-review') {
    super();
    this.#documents = this.own(new TextDocuments(scheme));
  }

  async show(title: string, text: string): Promise<vscode.Uri> {
    const uri = this.#documents.add(title, text);
    await showWrapped(uri, { preview: true });
    return uri;
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
