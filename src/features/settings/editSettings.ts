import { indentedJson } from '../../base/json';

import vscode = require('vscode');

import { type PlainText, plain } from '../../base/text';
import { errorText } from '../../editor/errorText';
import { textAt } from '../../editor/fileText';
import { machineValue, ownValue } from '../../editor/settingValues';
import { t, verbatim, window } from '../../editor/window';
import type { DefinitionSource } from '../../host/definition';
import type { LocateOptions } from './core/locateSetting';
import { difference, isWrittenByEditor, settingsValues, takeBack } from './core/settingsEdit';
import { isUserSettings, optionsFor, type SettingsFiles, type SettingsText } from './settingsFiles';

export type EditableFiles = Pick<SettingsFiles, 'documentOf' | 'userSettingsWith'>;

/** Takes a change back. False: nothing was done, because the same place has changed since. */
export type Undo = () => Promise<boolean>;

/** Makes the new text of settings; undefined when what it would change is not there. */
export type Rewrite = (
  text: string,
  options: LocateOptions,
  file?: vscode.Uri,
) => string | undefined | Promise<string | undefined>;

/**
 * Changes the text of the settings file that servers of this source come from, and saves it. User settings that have comments or
 * a layout of the person's have to be shown for that; if they were not open before, they are closed again.
 * @returns what takes it back; undefined when nothing was changed: it is not there, or extensions cannot write the user's settings in
 * this window.
 * @throws Error when the file has unsaved changes, which must not be saved along with ours, or is read-only.
 */
export async function editSettings(
  files: EditableFiles,
  source: DefinitionSource,
  rewrite: Rewrite,
): Promise<Undo | undefined> {
  const hidden = source.scope === 'user' ? await hiddenUserSettings(files) : undefined;
  if (hidden) return editHidden(files, source, hidden, rewrite);
  const closeOpened = rememberTabs();
  const document = await files.documentOf(source);
  try {
    if (!document) return undefined;
    const before = document.getText();
    const refuseUnsaved = () => {
      if (document.isDirty || document.getText() !== before)
        throw new Error(verbatim('{0} has unsaved changes. Save or revert them, then try again.', document.uri.fsPath));
    };
    // Before, as `rewrite` may store what belongs to the change; and after it, as it may take long.
    refuseUnsaved();
    const after = await rewrite(before, optionsFor(document), document.uri);
    if (after === undefined) return undefined;
    refuseUnsaved();
    if (before === after || ((await replace(document, before, after)) && (await save(document))))
      return undoOf(files, source, before, after);
    if (isUserSettings(document)) return undefined;
    throw new Error(t('The settings file could not be changed. Is it read-only?'));
  } finally {
    if (source.scope === 'user' || source.scope === 'machine') await closeOpened(document);
  }
}

/** The user's settings, where no editor shows them and the editor itself can change them without loss. */
async function hiddenUserSettings(files: EditableFiles): Promise<SettingsText | undefined> {
  if (vscode.workspace.textDocuments.some(isUserSettings)) return undefined;
  const settings = vscode.workspace.getConfiguration('mcpHost');
  const [servers, inputs] = [settings.inspect('servers'), settings.inspect('inputs')];
  if (machineValue(servers) !== undefined || machineValue(inputs) !== undefined) return undefined;
  const current = JSON.stringify({ servers: ownValue(servers), inputs: ownValue(inputs) });
  // The file of another profile may be at the usual place.
  return files.userSettingsWith(text => JSON.stringify(settingsValues(text)) === current && isWrittenByEditor(text));
}

async function editHidden(
  files: EditableFiles,
  source: DefinitionSource,
  file: SettingsText,
  rewrite: Rewrite,
): Promise<Undo | undefined> {
  const before = file.getText();
  const text = await rewrite(before, optionsFor(file), file.uri);
  if (text === undefined) return undefined;
  if ((await textAt(file.uri)) !== before)
    throw new Error(t('The settings changed while you were reading. Nothing was written. Try again.'));
  const [was, is] = [settingsValues(before), settingsValues(text)];
  const settings = vscode.workspace.getConfiguration('mcpHost');
  for (const key of ['inputs', 'servers'] as const) {
    if (JSON.stringify(was[key]) !== JSON.stringify(is[key]))
      await settings.update(key, is[key], vscode.ConfigurationTarget.Global);
  }
  return undoOf(files, source, before, (await textAt(file.uri)) ?? text);
}

const undoOf =
  (files: EditableFiles, source: DefinitionSource, before: string, after: string): Undo =>
  async () =>
    (await editSettings(files, source, now => takeBack(before, after, now))) !== undefined;

/** Says what was changed, and takes it back on request. Resolves when the notification closes. */
export async function offerUndo(message: PlainText, undo: Undo, show?: () => Promise<unknown>): Promise<void> {
  const [showIt, undoIt] = [t('Show'), t('Undo')];
  try {
    const answer = await window.showInformationMessage(message, ...(show ? [showIt, undoIt] : [undoIt]));
    if (answer === showIt) await show?.();
    if (answer !== undoIt || (await undo())) return;
    throw new Error(t('Nothing was undone, because the same place in the settings file has changed since.'));
  } catch (error) {
    void window.showErrorMessage(plain(errorText(error)));
  }
}

/** As `editSettings`, and where that cannot write the user's settings, as `updateSettings`. */
export async function changeSettings(
  files: EditableFiles,
  source: DefinitionSource,
  rewrite: Rewrite,
): Promise<Undo | undefined> {
  const undo = await editSettings(files, source, rewrite);
  return (
    undo ?? (source.scope === 'user' && source.managed === undefined ? updateSettings('user', rewrite) : undefined)
  );
}

/** Has the editor write our settings as a whole, and so without comments, where `editSettings` cannot. */
export async function updateSettings(scope: 'user' | 'workspace', rewrite: Rewrite): Promise<Undo | undefined> {
  const settings = vscode.workspace.getConfiguration('mcpHost');
  const [servers, inputs] = ['servers', 'inputs'].map(key => {
    const { globalValue, workspaceValue } = settings.inspect(key) ?? {};
    return scope === 'user' ? globalValue : workspaceValue;
  });
  const before = asText({ 'mcpHost.servers': servers, 'mcpHost.inputs': inputs });
  const rewritten = await rewrite(before, {});
  if (rewritten === undefined) return undefined;
  const changed = JSON.parse(rewritten) as Record<string, unknown>;
  const { Global, Workspace } = vscode.ConfigurationTarget;
  const target = scope === 'user' ? Global : Workspace;
  if (JSON.stringify(changed['mcpHost.inputs']) !== JSON.stringify(inputs))
    await settings.update('inputs', changed['mcpHost.inputs'], target);
  await settings.update('servers', changed['mcpHost.servers'], target);
  const after = asText(changed);
  return async () => (await updateSettings(scope, now => takeBack(before, after, now))) !== undefined;
}

const asText = ({ 'mcpHost.servers': servers, 'mcpHost.inputs': inputs }: Record<string, unknown>) =>
  indentedJson({ 'mcpHost.servers': servers, 'mcpHost.inputs': inputs });

/** Returns a function that closes tabs of a document opened since this call, unless it has unsaved changes. */
function rememberTabs(): (document: vscode.TextDocument | undefined) => Promise<void> {
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
