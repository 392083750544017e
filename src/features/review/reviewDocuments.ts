import vscode = require('vscode');

/** Documents of earlier reviews that stay readable. */
const MAX_KEPT = 40;

/** Read-only documents for diffs and for reviews that do not fit into a dialog. */
export class ReviewDocuments implements vscode.TextDocumentContentProvider, vscode.Disposable {
  readonly #texts = new Map<string, string>();
  readonly #registration: vscode.Disposable;
  #last = 0;

  constructor(private readonly scheme: 'mcp-review' | 'mcp-question' = 'mcp-review') {
    this.#registration = vscode.workspace.registerTextDocumentContentProvider(scheme, this);
  }

  /** @param preview whether the next document to be opened may replace it. */
  async show(title: string, text: string, preview = true): Promise<vscode.Uri> {
    const document = await vscode.workspace.openTextDocument(this.#add(title, text));
    await vscode.window.showTextDocument(document, { preview });
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
    for (const { path } of documents) this.#texts.delete(path);
  }

  async showDiff(title: string, before: string, now: string): Promise<void> {
    const [left, right] = [this.#add('before', before), this.#add('now', now)];
    await vscode.commands.executeCommand('vscode.diff', left, right, title, { preview: true });
  }

  provideTextDocumentContent({ path }: vscode.Uri): string | undefined {
    return this.#texts.get(path);
  }

  dispose(): void {
    this.#registration.dispose();
  }

  #add(title: string, text: string): vscode.Uri {
    const path = `/${++this.#last}/${title.replace(/[\\/]/g, '_')}`;
    this.#texts.set(path, text);
    for (const old of [...this.#texts.keys()].slice(0, -MAX_KEPT)) this.#texts.delete(old);
    return vscode.Uri.from({ scheme: this.scheme, path });
  }
}
