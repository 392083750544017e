import * as vscode from 'vscode';
import type { SettingsDiagnostics } from './diagnostics';

/** "Move to an input" on secrets that stand in plain text in a settings file. */
export class SecretFixes implements vscode.CodeActionProvider, vscode.Disposable {
  readonly #registration: vscode.Disposable;

  constructor(private readonly diagnostics: SettingsDiagnostics) {
    const files = ['**/settings.json', '**/*.code-workspace'].map(pattern => ({ pattern }));
    const providedCodeActionKinds = [vscode.CodeActionKind.QuickFix];
    this.#registration = vscode.languages.registerCodeActionsProvider(files, this, { providedCodeActionKinds });
  }

  provideCodeActions(document: vscode.TextDocument, range: vscode.Range): vscode.CodeAction[] {
    return this.diagnostics.secretsIn(document, range).map(({ source, problem, diagnostic }) => {
      const title = vscode.l10n.t('Move to an input');
      const action = new vscode.CodeAction(title, vscode.CodeActionKind.QuickFix);
      action.diagnostics = [diagnostic];
      action.isPreferred = true;
      action.command = { command: 'mcpHost.moveToInput', title, arguments: [document.uri, { source, problem }] };
      return action;
    });
  }

  dispose(): void {
    this.#registration.dispose();
  }
}
