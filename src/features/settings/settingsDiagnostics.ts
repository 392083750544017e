import vscode = require('vscode');

import { Coalescer } from '../../base/coalescer';
import { visible } from '../../base/text';
import { errorText, localized } from '../../editor/errorText';
import type { ServerConnection, ServerSet, SourceProblems } from '../../host';
import type { DefinitionSource } from '../../host/definition';
import type { Problem } from '../../host/settings';
import { isUserSettings, type SettingsFiles } from './settingsFiles';

/** A problem, at its current place. */
export interface ShownProblem {
  source: DefinitionSource;
  problem: Problem;
  diagnostic: vscode.Diagnostic;
}

const LEVELS = {
  error: vscode.DiagnosticSeverity.Error,
  warning: vscode.DiagnosticSeverity.Warning,
  // The editor's "hint" severity shows as three dots that nobody notices.
  hint: vscode.DiagnosticSeverity.Information,
} as const satisfies Record<Problem['severity'], vscode.DiagnosticSeverity>;

/** Shows problems with server entries, and failed servers, at their place in the settings files. */
export class SettingsDiagnostics implements vscode.Disposable {
  readonly #collection = vscode.languages.createDiagnosticCollection('mcpHost');
  readonly #subscriptions: vscode.Disposable[];
  #sources: readonly SourceProblems[] = [];
  /** The failures that are shown. */
  readonly #failed = new Map<ServerConnection, ServerConnection['state']>();
  /** Many servers may fail at once, for example without a network. */
  readonly #refresh = new Coalescer(() => void this.update(this.#sources), { quietMs: 100, maxMs: 1_000 });

  constructor(
    private readonly files: SettingsFiles,
    private readonly servers: ServerSet,
    /** Hints about an entry. Requested only while its file is open. */
    private readonly hints: (server: ServerConnection) => readonly Problem[],
    /** A heading of `docs/authors.md`. */
    private readonly docs: (heading: string) => vscode.Uri,
  ) {
    this.#subscriptions = [
      this.#collection,
      servers.onDidChange(change => this.#onServer(change?.server)),
      vscode.workspace.onDidOpenTextDocument(document => this.#showOpen(document)),
    ];
  }

  /** Takes the problems of all sources, each time settings are read. */
  async update(sources: readonly SourceProblems[]): Promise<void> {
    this.#sources = sources;
    const { textDocuments } = vscode.workspace;
    for (const [uri] of this.#collection)
      if (!textDocuments.some(document => document.uri.toString() === uri.toString())) this.#collection.delete(uri);
    for (const document of textDocuments) this.#showOpen(document);
    for (const { source } of sources) {
      const uri = this.files.uriOf(source);
      if (!uri || this.#problemsOf(source).length === 0) continue;
      try {
        const document = await vscode.workspace.openTextDocument(uri);
        if (this.#sources === sources) this.#showIn(document, source);
      } catch {
        // The file has disappeared since it was read, which will bring another change of settings.
      }
    }
  }

  /** Shows the problems of a document that is open, if it has servers. */
  #showOpen(document: vscode.TextDocument): void {
    const uri = document.uri.toString();
    const source = isUserSettings(document)
      ? ({ scope: 'user' } as const)
      : this.#sources.map(one => one.source).find(one => this.files.uriOf(one)?.toString() === uri);
    if (source) this.#showIn(document, source);
    else if (this.#collection.has(document.uri)) this.#collection.delete(document.uri);
  }

  /** Something else is to be said of servers. */
  refresh(): Promise<void> {
    return this.update(this.#sources);
  }

  /** The problems in a range of a settings file, at their current places. */
  problemsIn(document: vscode.TextDocument, range: vscode.Range): ShownProblem[] {
    return this.#sources
      .filter(({ source }) => this.#isOf(document, source))
      .flatMap(({ source }) => this.#shownOf(source).map(problem => ({ source, problem })))
      .map(found => ({ ...found, diagnostic: this.#diagnostic(document, found.problem) }))
      .filter(({ diagnostic }) => diagnostic.range.intersection(range));
  }

  dispose(): void {
    this.#refresh.cancel();
    for (const subscription of this.#subscriptions) subscription.dispose();
  }

  #isOf(document: vscode.TextDocument, source: DefinitionSource): boolean {
    const uri = this.files.uriOf(source);
    return uri ? uri.toString() === document.uri.toString() : isUserSettings(document);
  }

  #onServer(server: ServerConnection | undefined): void {
    // Undefined: servers came or went.
    const failure = server && failureOf(server) && server.state;
    if (server && this.#failed.get(server) === failure) return;
    if (server && failure) this.#failed.set(server, failure);
    else if (server) this.#failed.delete(server);
    this.#refresh.trigger();
  }

  /** The problems of a source's entries, and of the servers that come from them. */
  #problemsOf(of: DefinitionSource): readonly Problem[] {
    return [
      ...this.#sources.filter(({ source }) => isSame(source, of)).flatMap(({ problems }) => problems),
      ...this.servers.all
        .filter(({ definition }) => isSame(definition.source, of))
        .flatMap(server => failureOf(server) ?? []),
    ];
  }

  /** The same, with what could be better. */
  #shownOf(source: DefinitionSource): readonly Problem[] {
    const servers = this.servers.all.filter(({ definition }) => isSame(definition.source, source));
    return [...this.#problemsOf(source), ...servers.flatMap(server => this.hints(server))];
  }

  #showIn(document: vscode.TextDocument, source: DefinitionSource): void {
    this.#collection.set(
      document.uri,
      this.#shownOf(source).map(problem => this.#diagnostic(document, problem)),
    );
  }

  #diagnostic(document: vscode.TextDocument, problem: Problem): vscode.Diagnostic {
    const { message, severity, code } = problem;
    const range = this.files.rangeOf(document, problem) ?? new vscode.Range(0, 0, 0, 0);
    const diagnostic = new vscode.Diagnostic(range, localized(message), LEVELS[severity]);
    diagnostic.source = 'MCP Host';
    if (code) diagnostic.code = code;
    if (problem.docs !== undefined) diagnostic.code = { value: problem.docs, target: this.docs(problem.docs) };
    return diagnostic;
  }
}

const isSame = (one: DefinitionSource, other: DefinitionSource) =>
  one.scope === other.scope && one.folder?.path === other.folder?.path;

/** The problem that a server has failed, unless its entry is at fault, which has problems of its own. */
function failureOf({ state, name }: ServerConnection): Problem | undefined {
  if (state.kind !== 'failed' || state.error.code === 'INVALID_SETTINGS') return undefined;
  return {
    severity: 'error',
    path: [name],
    onKey: true,
    message: visible(errorText(state.error, 1_000), 1_000),
    code: 'failed',
  };
}
