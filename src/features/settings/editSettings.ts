import vscode = require('vscode');

import { t, verbatim } from '../../editor/window';
import type { DefinitionSource } from '../../host/definition';
import type { LocateOptions } from './core/locateSetting';
import { difference } from './core/settingsEdit';
import { isUserSettings, optionsFor, type SettingsFiles } from './settingsFiles';

/** A settings file before and after something was changed in it. */
export interface SettingsChange {
  readonly source: DefinitionSource;
  readonly before: string;
  readonly after: string;
}

/**
 * Changes the text of the settings file that servers of this source come from, and saves it. User settings have to be shown
 * for that; if they were not open before, they are closed again.
 * @param rewrite makes the new text; undefined when what it would change is not there.
 * @returns undefined when nothing was changed: it is not there, or extensions cannot write the user's settings in this window.
 * @throws Error when the file has unsaved changes, which must not be saved along with ours, or is read-only.
 */
export async function editSettings(
  files: Pick<SettingsFiles, 'documentOf'>,
  source: DefinitionSource,
  rewrite: (text: string, options: LocateOptions) => string | undefined | Promise<string | undefined>,
): Promise<SettingsChange | undefined> {
  const closeOpened = rememberTabs();
  const document = await files.documentOf(source);
  try {
    if (!document) return undefined;
    const before = document.getText();
    const after = await rewrite(before, optionsFor(document));
    if (after === undefined) return undefined;
    if (document.isDirty || document.getText() !== before) {
      throw new Error(verbatim('{0} has unsaved changes. Save or revert them, then try again.', document.uri.fsPath));
    }
    if (before === after || ((await replace(document, before, after)) && (await save(document)))) {
      return { source, before, after };
    }
    if (isUserSettings(document)) return undefined;
    throw new Error(t('The settings file could not be changed. Is it read-only?'));
  } finally {
    if (source.scope === 'user') await closeOpened(document);
  }
}

/** Returns a function that closes tabs of a document opened since this call, unless it has unsaved changes. */
export function rememberTabs(): (document: vscode.TextDocument | undefined) => Promise<void> {
  const open = new Set(openTabs());
  return async document => {
    const shown = openTabs().filter(tab => !open.has(tab) && uriOf(tab)?.toString() === document?.uri.toString());
    if (!document?.isDirty) await vscode.window.tabGroups.close(shown);
  };
}

/** Edits the user's settings in their editor: in a remote window VS Code knows them by an address that we don't have. */
async function replace(document: vscode.TextDocument, before: string, after: string): Promise<boolean> {
  const { offset, length, content } = difference(before, after);
  const range = new vscode.Range(document.positionAt(offset), document.positionAt(offset + length));
  const editor = vscode.window.visibleTextEditors.find(shown => shown.document === document);
  if (editor) return editor.edit(change => change.replace(range, content));
  const edit = new vscode.WorkspaceEdit();
  edit.replace(document.uri, range, content);
  return vscode.workspace.applyEdit(edit);
}

/** False: the change was undone. */
async function save(document: vscode.TextDocument): Promise<boolean> {
  if (await document.save()) return true;
  if (vscode.window.activeTextEditor?.document !== document) return false;
  await vscode.commands.executeCommand('workbench.action.files.save');
  if (!document.isDirty) return true;
  await vscode.commands.executeCommand('workbench.action.files.revert');
  return false;
}

const openTabs = () => vscode.window.tabGroups.all.flatMap(({ tabs }) => tabs);
const uriOf = ({ input }: vscode.Tab) => (input instanceof vscode.TabInputText ? input.uri : undefined);
