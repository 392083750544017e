import vscode = require('vscode');

import type { HostError } from '../../base/errors';
import { Owner } from '../../base/events';
import { phrase } from '../../base/phrase';
import { Coalescer } from '../../base/queue';
import { visible } from '../../base/text';
import { errorText, localized } from '../../editor/errorText';
import type { RowMarks } from '../../editor/serverRows';
import type { ServerConnection, ServerSet, SourceProblems } from '../../host';
import type { DefinitionSource } from '../../host/definition';
import type { Problem } from '../../host/settings';
import { isUserSettings, type SettingsFiles, type SettingsText, userSettingsScope } from './settingsFiles';

export interface ShownProblem {
  source: DefinitionSource;
  problem: Problem;
  diagnostic: vscode.Diagnostic;
}

interface DiagnosticsOptions {
  /** Results of something that was run, such as a check or a build, at their entry. */
  findingsOf(server: ServerConnection): readonly Problem[];
  /** Hints about an entry. Requested only while its file is open. */
  hints(server: ServerConnection): readonly Problem[];
  /** A heading of `docs/checks.md`. */
  docs(heading: string): vscode.Uri;
}

const LEVELS = {
  error: vscode.DiagnosticSeverity.Error,
  warning: vscode.DiagnosticSeverity.Warning,
  // The editor's "hint" severity shows as three dots that nobody notices.
  hint: vscode.DiagnosticSeverity.Information,
} as const satisfies Record<Problem['severity'], vscode.DiagnosticSeverity>;

/** Shows problems with server entries, and failed servers, at their place in the settings files. */
export class SettingsDiagnostics extends Owner {
  readonly #collection = this.own(vscode.languages.createDiagnosticCollection('mcpHost'));
  #sources: readonly SourceProblems[] = [];
  /** Where problems of user settings are shown that are not open. */
  #unopened: vscode.Uri | undefined;
  /** The failures that are shown, as JSON. */
  readonly #failed = new WeakMap<ServerConnection, string>();
  /** Many servers may fail at once, for example without a network. */
  readonly #refresh = this.own(new Coalescer(() => void this.update(this.#sources), { quietMs: 100, maxMs: 1_000 }));

  constructor(
    private readonly files: SettingsFiles,
    private readonly servers: ServerSet,
    /** How many changes of a server the person has not accepted yet. */
    private readonly marks: Pick<RowMarks, 'changes' | 'onDidChange'>,
    private readonly options: DiagnosticsOptions,
  ) {
    super();
    this.own(servers.onDidChange(change => this.#onServer(change?.server)));
    this.own(marks.onDidChange(() => this.#refresh.trigger()));
    this.own(vscode.workspace.onDidOpenTextDocument(document => this.#showOpen(document)));
  }

  /** Takes the problems of all sources, each time settings are read. */
  async update(sources: readonly SourceProblems[]): Promise<void> {
    this.#sources = sources;
    const { textDocuments } = vscode.workspace;
    for (const [uri] of this.#collection)
      if (!textDocuments.some(document => document.uri.toString() === uri.toString())) this.#collection.delete(uri);
    for (const document of textDocuments) this.#showOpen(document);
    for (const { source } of sources) {
      const problems = this.#problemsOf(source);
      if (problems.length === 0) continue;
      const uri = this.files.uriOf(source);
      if (!uri && textDocuments.some(isUserSettings)) continue;
      try {
        const document = uri
          ? await vscode.workspace.openTextDocument(uri)
          : await this.files.userSettings(problems.map(({ path: [name] }) => String(name)));
        if (!document || this.#sources !== sources) continue;
        if (!uri) this.#unopened = document.uri;
        this.#showIn(document, source);
      } catch {
        // The file has disappeared since it was read, which will bring another change of settings.
      }
    }
  }

  /** Shows the problems of a document that is open, if it has servers. */
  #showOpen(document: vscode.TextDocument): void {
    const uri = document.uri.toString();
    const scope = userSettingsScope(document);
    const source = scope
      ? { scope }
      : this.#sources.map(one => one.source).find(one => this.files.uriOf(one)?.toString() === uri);
    // The editor may have them under another address.
    if (source?.scope === 'user' && this.#unopened) this.#collection.delete(this.#unopened);
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
      .filter(({ source }) => this.files.isIn(document, source))
      .flatMap(({ source }) => this.#shownOf(source).map(problem => ({ source, problem })))
      .map(found => ({ ...found, diagnostic: this.#diagnostic(document, found.problem) }))
      .filter(({ diagnostic }) => diagnostic.range.intersection(range));
  }

  #onServer(server: ServerConnection | undefined): void {
    // Undefined: servers came or went.
    const failures = server && JSON.stringify(failuresOf(server));
    if (server && (this.#failed.get(server) ?? '[]') === failures) return;
    if (server) this.#failed.set(server, failures!);
    this.#refresh.trigger();
  }

  /** The problems of a source's entries, and of the servers that come from them. */
  #problemsOf(of: DefinitionSource): readonly Problem[] {
    return [
      ...this.#sources.filter(({ source }) => isSame(source, of)).flatMap(({ problems }) => problems),
      ...this.servers.all
        .filter(({ definition }) => isSame(definition.source, of))
        .flatMap(server => [
          ...failuresOf(server),
          ...changesOf(server, this.marks.changes(server)),
          ...this.options.findingsOf(server),
        ]),
    ];
  }

  /** Problems of a settings file, and hints at what could be better. */
  #shownOf(source: DefinitionSource): readonly Problem[] {
    const servers = this.servers.all.filter(({ definition }) => isSame(definition.source, source));
    return [...this.#problemsOf(source), ...servers.flatMap(server => this.options.hints(server))];
  }

  #showIn(document: SettingsText, source: DefinitionSource): void {
    this.#collection.set(
      document.uri,
      this.#shownOf(source).map(problem => this.#diagnostic(document, problem)),
    );
  }

  #diagnostic(document: SettingsText, problem: Problem): vscode.Diagnostic {
    const { message, severity, code } = problem;
    const range = this.files.rangeOf(document, problem) ?? new vscode.Range(0, 0, 0, 0);
    const diagnostic = new vscode.Diagnostic(range, localized(message), LEVELS[severity]);
    diagnostic.source = 'MCP Host';
    if (code) diagnostic.code = code;
    if (problem.docs !== undefined) diagnostic.code = { value: problem.docs, target: this.options.docs(problem.docs) };
    return diagnostic;
  }
}

export const isSame = (one: DefinitionSource, other: DefinitionSource) =>
  one.scope === other.scope &&
  one.folder?.path === other.folder?.path &&
  one.managed === other.managed &&
  one.projectFile === other.projectFile;

/** The problem that a server has changed what the person had accepted. */
function changesOf({ name }: ServerConnection, count: number): Problem[] {
  if (count === 0) return [];
  const message = phrase('"{0}" has changed since you accepted it. Choose "Review Changes…" on its row.', name);
  return [{ severity: 'warning', path: [name], onKey: true, message }];
}

/** The problem of a server that has failed, unless its entry has some, and those in the lists of a ready one. */
function failuresOf({ state, name, catalog }: ServerConnection): Problem[] {
  const problem = (severity: 'error' | 'warning', error: HostError): Problem => ({
    severity,
    path: [name],
    onKey: true,
    message: visible(errorText(error, 1_000), 1_000),
    code: 'failed',
  });
  if (state.kind === 'ready') return catalog.failures.map(error => problem('warning', error));
  if (state.kind !== 'failed' || state.error.code === 'INVALID_SETTINGS') return [];
  return [problem('error', state.error)];
}
