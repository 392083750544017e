import vscode = require('vscode');

/** Read-only documents of one scheme, whose texts this window makes. */
export class TextDocuments implements vscode.TextDocumentContentProvider, vscode.Disposable {
  readonly #texts = new Map<string, string>();
  readonly #changed = new vscode.EventEmitter<vscode.Uri>();
  readonly onDidChange = this.#changed.event;
  readonly #registration: vscode.Disposable;

  /**
   * @param most how many are kept: those that were set last.
   * @param gone the text of all others; undefined: they cannot be opened.
   */
  constructor(
    scheme: string,
    private readonly most = Number.POSITIVE_INFINITY,
    private readonly gone?: string,
  ) {
    this.#registration = vscode.workspace.registerTextDocumentContentProvider(scheme, this);
  }

  /** Gives a document its text, also where it is open. */
  set(uri: vscode.Uri, text: string): void {
    this.delete(uri);
    this.#texts.set(String(uri), text);
    for (const old of [...this.#texts.keys()].slice(0, Math.max(0, this.#texts.size - this.most)))
      this.#texts.delete(old);
    this.#changed.fire(uri);
  }

  delete(uri: vscode.Uri): void {
    this.#texts.delete(String(uri));
  }

  provideTextDocumentContent(uri: vscode.Uri): string | undefined {
    return this.#texts.get(String(uri)) ?? this.gone;
  }

  dispose(): void {
    this.#registration.dispose();
    this.#changed.dispose();
  }
}
