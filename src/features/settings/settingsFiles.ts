import vscode = require('vscode');

import type { DefinitionSource, Problem, ServerDefinition } from '../../host';
import { locate } from './core/locate';

/** A place within the value of one of our settings. */
type Place = Pick<Problem, 'path' | 'onKey' | 'setting'>;

/** The settings files that servers come from, and the places of entries in them. */
export class SettingsFiles {
  /** The file of a scope, if its path is known: VS Code does not tell where the user's settings are. */
  uriOf({ scope, folder }: DefinitionSource): vscode.Uri | undefined {
    if (scope === 'workspaceFolder') return folder && inFolder(vscode.Uri.file(folder.path));
    if (scope === 'user') return undefined;
    const first = vscode.workspace.workspaceFolders?.[0];
    return vscode.workspace.workspaceFile ?? (first && inFolder(first.uri));
  }

  /**
   * The range of `path`, relative to the value of its setting, in a document; that of the nearest ancestor if it is missing.
   */
  rangeOf(document: vscode.TextDocument, { path, onKey, setting }: Place): vscode.Range | undefined {
    const codeWorkspace = document.uri.path.endsWith('.code-workspace');
    const found = locate(document.getText(), path, {
      codeWorkspace,
      ...(onKey && { onKey }),
      ...(setting && { setting }),
    });
    return (
      found && new vscode.Range(document.positionAt(found.offset), document.positionAt(found.offset + found.length))
    );
  }

  /** The document that servers of this source come from; the user's settings have to be opened in an editor for that. */
  async documentOf(source: DefinitionSource): Promise<vscode.TextDocument | undefined> {
    const uri = this.uriOf(source);
    if (uri) return vscode.workspace.openTextDocument(uri);
    await this.#openUserSettings();
    // Not `activeTextEditor`, because an editor in a dialog does not count as one.
    const documents = vscode.workspace.textDocuments.filter(isUserSettings);
    return documents.find(document => document.getText().includes('mcpHost'));
  }

  /** Opens the settings entry of a server and selects its name. */
  async reveal({ name, source, problems }: ServerDefinition): Promise<void> {
    const uri = this.uriOf(source);
    const editor = uri ? await vscode.window.showTextDocument(uri) : await this.#openUserSettings();
    const place = problems.find(({ severity }) => severity === 'error') ?? { path: [name], onKey: true };
    const range = editor && this.rangeOf(editor.document, place);
    if (!editor || !range) return;
    editor.selection = new vscode.Selection(range.start, range.end);
    editor.revealRange(range, vscode.TextEditorRevealType.InCenterIfOutsideViewport);
  }

  /** Opens the settings at `mcpHost.servers`: the workspace's if it has some, otherwise the user's. */
  async open(): Promise<void> {
    const { workspaceValue } = vscode.workspace.getConfiguration('mcpHost').inspect('servers') ?? {};
    const command =
      workspaceValue === undefined ? 'workbench.action.openSettingsJson' : 'workbench.action.openWorkspaceSettingsFile';
    await vscode.commands.executeCommand(command, { revealSetting: { key: 'mcpHost.servers', edit: true } });
  }

  /** The user's settings; in a remote window the entry may be in the settings of that machine instead. */
  async #openUserSettings(): Promise<vscode.TextEditor | undefined> {
    for (const command of ['workbench.action.openSettingsJson', 'workbench.action.openRemoteSettingsFile']) {
      await vscode.commands.executeCommand(command).then(undefined, () => {
        // A local window has no remote settings.
      });
      const editor = vscode.window.activeTextEditor;
      if (editor?.document.getText().includes('mcpHost.servers')) return editor;
    }
    return vscode.window.activeTextEditor;
  }
}

/** Whether a document is the user's settings (of this machine or the remote one). */
export function isUserSettings({ uri, languageId }: vscode.TextDocument): boolean {
  return languageId === 'jsonc' && /\/(User|Machine)\/(profiles\/[^/]+\/)?settings\.json$/.test(uri.path);
}

function inFolder(folder: vscode.Uri): vscode.Uri {
  return vscode.Uri.joinPath(folder, '.vscode', 'settings.json');
}
