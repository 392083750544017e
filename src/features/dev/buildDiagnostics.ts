import vscode = require('vscode');

import type { ServerConnection } from '../../host';
import type { BuildProblem } from './core/buildProblems';

/** Shows the errors of failed builds at their lines, until the next build of the same server. */
export class BuildDiagnostics implements vscode.Disposable {
  readonly #collection = vscode.languages.createDiagnosticCollection('mcpHost.build');
  readonly #byServer = new Map<ServerConnection, readonly BuildProblem[]>();

  /** @param problems none: its last build has succeeded, or there is none any more. */
  set(server: ServerConnection, problems: readonly BuildProblem[]): void {
    const before = this.#byServer.get(server);
    if (before === problems || (!before && problems.length === 0)) return;
    if (problems.length > 0) this.#byServer.set(server, problems);
    else this.#byServer.delete(server);
    const byFile = Map.groupBy([...this.#byServer.values()].flat(), ({ file }) => file);
    this.#collection.clear();
    for (const [file, all] of byFile) this.#collection.set(vscode.Uri.file(file), all.map(diagnosticOf));
  }

  dispose(): void {
    this.#collection.dispose();
  }
}

function diagnosticOf({ line, column, isError, message, source }: BuildProblem): vscode.Diagnostic {
  const at = new vscode.Position(line - 1, column - 1);
  const { Error: error, Warning: warning } = vscode.DiagnosticSeverity;
  const diagnostic = new vscode.Diagnostic(new vscode.Range(at, at), message, isError ? error : warning);
  diagnostic.source = source;
  return diagnostic;
}
