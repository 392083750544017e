import * as vscode from 'vscode';
import type { ServerSet } from './editor/servers/serverSet';
import type { SettingsDiagnostics } from './editor/settings/diagnostics';

/** Quick fixes in settings files, a bundle of its own (esbuild.js): loaded when there is something to fix. */
export const loadFixes = () => require('./editor/settings/fixes') as typeof import('./editor/settings/fixes');

/** Offers quick fixes where settings files have problems of ours. */
export function registerFixes(diagnostics: SettingsDiagnostics, servers: ServerSet): vscode.Disposable {
  return vscode.languages.registerCodeActionsProvider(
    [{ pattern: '**/settings.json' }, { pattern: '**/*.code-workspace' }],
    {
      provideCodeActions: (document, range) => {
        const problems = diagnostics.problemsIn(document, range);
        return problems.length > 0 ? loadFixes().fixesOf(document, problems, servers) : undefined;
      },
    },
    { providedCodeActionKinds: [vscode.CodeActionKind.QuickFix] },
  );
}
