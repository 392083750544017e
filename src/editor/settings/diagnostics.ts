import * as vscode from 'vscode';
import type { Problem, SourceProblems } from '../../host';
import { isUserSettings, type SettingsFiles } from './settingsFiles';

/** Shows what is wrong with server entries at their place in the settings files. */
export class SettingsDiagnostics implements vscode.Disposable {
  readonly #collection = vscode.languages.createDiagnosticCollection('mcpHost');
  readonly #subscriptions: vscode.Disposable[];
  #sources: readonly SourceProblems[] = [];

  constructor(private readonly files: SettingsFiles) {
    this.#subscriptions = [
      this.#collection,
      vscode.workspace.onDidOpenTextDocument(document => {
        if (isUserSettings(document)) this.#showIn(document, this.#ofUser());
      }),
    ];
  }

  /** Takes the problems of all sources, anew each time settings are read. */
  async update(sources: readonly SourceProblems[]): Promise<void> {
    this.#sources = sources;
    this.#collection.clear();
    for (const document of vscode.workspace.textDocuments.filter(isUserSettings))
      this.#showIn(document, this.#ofUser());
    for (const { source, problems } of sources) {
      const uri = this.files.uriOf(source);
      if (!uri || problems.length === 0) continue;
      try {
        const document = await vscode.workspace.openTextDocument(uri);
        if (this.#sources === sources) this.#showIn(document, problems);
      } catch {
        // The file went away since it was read; the next change of settings comes with it.
      }
    }
  }

  dispose(): void {
    for (const subscription of this.#subscriptions) subscription.dispose();
  }

  #ofUser(): readonly Problem[] {
    return this.#sources.filter(({ source }) => source.scope === 'user').flatMap(({ problems }) => problems);
  }

  #showIn(document: vscode.TextDocument, problems: readonly Problem[]): void {
    const diagnostics = problems.map(problem => {
      const { message, severity } = problem;
      const range = this.files.rangeOf(document, problem) ?? new vscode.Range(0, 0, 0, 0);
      const level = severity === 'error' ? vscode.DiagnosticSeverity.Error : vscode.DiagnosticSeverity.Warning;
      const diagnostic = new vscode.Diagnostic(range, message, level);
      diagnostic.source = 'MCP Host';
      return diagnostic;
    });
    this.#collection.set(document.uri, diagnostics);
  }
}
