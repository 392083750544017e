import vscode = require('vscode');

import type { DefinitionSource, Problem } from '../../../host';
import type { HostModule } from '../../../host/loadHost';
import { moveSecretToInput } from '../core/inputs/secretToInput';
import { type InputValues, inputKey } from './inputValues';

const { t } = vscode.l10n;

/**
 * Moves a secret from a settings file into the secret storage, with an input in its place, which then has its value already.
 */
export async function moveToInput(host: HostModule, values: InputValues, uri: unknown, place: unknown): Promise<void> {
  if (!(uri instanceof vscode.Uri)) return;
  const { source, problem } = place as { source: DefinitionSource; problem: Problem };
  const document = await vscode.workspace.openTextDocument(uri);
  const codeWorkspace = uri.path.endsWith('.code-workspace');
  const move = moveSecretToInput(document.getText(), problem.path, { codeWorkspace }, host.settingsReading);
  if (!move) throw new Error(t('The secret is no longer in the settings. Save the file and try again.'));
  const { input, value } = move;
  const { offset, length, content } = move.edit;
  const range = new vscode.Range(document.positionAt(offset), document.positionAt(offset + length));
  const edit = new vscode.WorkspaceEdit();
  edit.replace(uri, range, content);
  // First, so that the server finds it when it starts with the changed settings.
  await values.store(source, input, value);
  if (!(await vscode.workspace.applyEdit(edit))) {
    await values.forget(new Set([inputKey(source, input.id)]));
    throw new Error(t('The settings file could not be changed. Is it read-only?'));
  }
  await document.save();
}
