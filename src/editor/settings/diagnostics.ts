import * as vscode from 'vscode';
import type { DefinitionSource, Problem, SourceProblems } from '../../host';
import { isUserSettings, type SettingsFiles } from './settingsFiles';

/** A secret in plain text, where it stands. */
export interface ShownSecret {
  source: DefinitionSource;
  problem: Problem;
  diagnostic: vscode.Diagnostic;
}

const LEVELS = {
  error: vscode.DiagnosticSeverity.Error,
  warning: vscode.DiagnosticSeverity.Warning,
  // The editor's own "hint" is three dots that nobody sees.
  hint: vscode.DiagnosticSeverity.Information,
} as const satisfies Record<Problem['severity'], vscode.DiagnosticSeverity>;

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

  /** The secrets that were found in a range of a settings file, wherever they stand there now. */
  secretsIn(document: vscode.TextDocument, range: vscode.Range): ShownSecret[] {
    return this.#sources
      .filter(({ source }) => this.#isOf(document, source))
      .flatMap(({ source, problems }) => problems.map(problem => ({ source, problem })))
      .filter(({ problem }) => problem.code === 'plainSecret')
      .map(found => ({ ...found, diagnostic: this.#diagnostic(document, found.problem) }))
      .filter(({ diagnostic }) => diagnostic.range.intersection(range));
  }

  dispose(): void {
    for (const subscription of this.#subscriptions) subscription.dispose();
  }

  #isOf(document: vscode.TextDocument, source: DefinitionSource): boolean {
    const uri = this.files.uriOf(source);
    return uri ? uri.toString() === document.uri.toString() : isUserSettings(document);
  }

  #ofUser(): readonly Problem[] {
    return this.#sources.filter(({ source }) => source.scope === 'user').flatMap(({ problems }) => problems);
  }

  #showIn(document: vscode.TextDocument, problems: readonly Problem[]): void {
    this.#collection.set(
      document.uri,
      problems.map(problem => this.#diagnostic(document, problem)),
    );
  }

  #diagnostic(document: vscode.TextDocument, problem: Problem): vscode.Diagnostic {
    const { message, severity, code } = problem;
    const range = this.files.rangeOf(document, problem) ?? new vscode.Range(0, 0, 0, 0);
    const diagnostic = new vscode.Diagnostic(range, message, LEVELS[severity]);
    diagnostic.source = 'MCP Host';
    if (code) diagnostic.code = code;
    return diagnostic;
  }
}
