import vscode = require('vscode');

import { openCurrent, textAt } from '../../editor/fileText';
import { verbatim } from '../../editor/window';
import type { DefinitionSource, ServerDefinition } from '../../host/definition';
import type { Problem } from '../../host/settings';
import type { LocateOptions } from './core/locateSetting';

/** Loads the reader of JSON with comments, which most windows never need. */
const loadLocate = () => require('./core/locateSetting') as typeof import('./core/locateSetting');

/** The scheme under which the editor has settings of the user. */
const USER_DATA = 'vscode-userdata';

/** A settings file, whether or not it is open. */
export type SettingsText = Pick<vscode.TextDocument, 'getText' | 'positionAt' | 'uri'>;

/** A place within the value of one of our settings. */
type Place = Pick<Problem, 'path' | 'onKey' | 'setting'>;

/** The settings files that servers come from, and the places of entries in them. */
export class SettingsFiles {
  /** @param storage a folder that the editor has for this extension, beside the user's settings. */
  constructor(private readonly storage: vscode.Uri) {}

  /** The file of a scope, if its path is known: VS Code does not expose the path of the user's settings. */
  uriOf({ scope, folder, managed, projectFile }: DefinitionSource): vscode.Uri | undefined {
    if (managed) return vscode.Uri.file(managed);
    if (projectFile !== undefined) return projectFiles().find(uri => uri.toString() === projectFile);
    if (scope === 'workspaceFolder') return folder && inFolder(vscode.Uri.file(folder.path));
    if (scope === 'user' || scope === 'machine') return undefined;
    // Its manifest, for problems; it is never edited.
    if (scope === 'extension') return folder && vscode.Uri.joinPath(vscode.Uri.file(folder.path), 'package.json');
    const first = vscode.workspace.workspaceFolders?.[0];
    return vscode.workspace.workspaceFile ?? (first && inFolder(first.uri));
  }

  /** Whether servers of this source come from a document. */
  isIn(document: vscode.TextDocument, source: DefinitionSource): boolean {
    const uri = this.uriOf(source);
    return uri ? uri.toString() === document.uri.toString() : userSettingsScope(document) === source.scope;
  }

  /**
   * The user's settings as they are on disk: a document that is open would be in the way of whatever writes them. Undefined: they are
   * not where the editor usually has them, as in a profile of their own, or do not have all of these servers.
   */
  async userSettings(names: readonly string[]): Promise<SettingsText | undefined> {
    const { findEntry } = loadLocate();
    return this.userSettingsWith((text, options) => names.every(name => findEntry(text, name, options)));
  }

  /** The first text, of those where the editor usually has the user's settings, that is the one sought. */
  async userSettingsWith(
    isSought: (text: string, options: LocateOptions) => boolean,
  ): Promise<SettingsText | undefined> {
    const user = vscode.Uri.joinPath(this.storage, '..', '..', 'settings.json');
    const places = [
      user.with({ scheme: USER_DATA }),
      user,
      vscode.Uri.from({ scheme: USER_DATA, path: '/User/settings.json' }),
      vscode.Uri.joinPath(user, '..', '..', 'Machine', 'settings.json'),
    ];
    for (const place of places) {
      const text = await textAt(place);
      if (text && isSought(text, optionsFor({ uri: place }))) return textOf(place, text);
    }
    return undefined;
  }

  /** The range of `path`, relative to its setting's value, in a document; or of its nearest ancestor. */
  rangeOf(document: SettingsText, { path, onKey, setting }: Place): vscode.Range | undefined {
    const { locate } = loadLocate();
    const found = locate(document.getText(), path, {
      ...optionsFor(document),
      ...(onKey && { onKey }),
      ...(setting && { setting }),
    });
    return (
      found && new vscode.Range(document.positionAt(found.offset), document.positionAt(found.offset + found.length))
    );
  }

  /** @throws Error for servers of an extension or of the organization, which are in no file of the person. */
  expectOwn(source: DefinitionSource): void {
    if (source.managed) throw new Error(verbatim('Only your organization can change it: {0}', source.managed));
    if (source.scope === 'extension')
      throw new Error(
        verbatim('Only the extension {0}, which adds this server, can change it.', source.folder?.name ?? ''),
      );
  }

  /** The document of this source; the user's settings have to be opened for that. @throws as `expectOwn` */
  async documentOf(source: DefinitionSource): Promise<vscode.TextDocument | undefined> {
    this.expectOwn(source);
    const uri = this.uriOf(source);
    if (uri) return openCurrent(uri);
    await this.#openUserSettings(source);
    // Not `activeTextEditor`, because an editor in a dialog does not count as one.
    const documents = vscode.workspace.textDocuments.filter(document => userSettingsScope(document) === source.scope);
    return documents.find(document => document.getText().includes('mcpHost'));
  }

  /** Selects the name of a server's entry or what is wrong in it. @returns false when it is not in its file. */
  async reveal({ name, source, problems }: Pick<ServerDefinition, 'name' | 'source' | 'problems'>): Promise<boolean> {
    if (source.scope === 'extension') {
      await vscode.commands.executeCommand('extension.open', source.folder?.name);
      return true;
    }
    const uri = this.uriOf(source);
    const editor = uri
      ? await vscode.window.showTextDocument(uri).then(undefined, () => undefined)
      : await this.#openUserSettings(source);
    const { findEntry } = loadLocate();
    const key =
      editor && findEntry(editor.document.getText(), name, optionsFor(editor.document))?.parent?.children?.[0];
    if (!editor || !key) return false;
    const { document } = editor;
    const place = problems.find(({ severity }) => severity === 'error');
    const range =
      (place && this.rangeOf(document, place)) ??
      new vscode.Range(document.positionAt(key.offset), document.positionAt(key.offset + key.length));
    editor.selection = new vscode.Selection(range.start, range.end);
    editor.revealRange(range, vscode.TextEditorRevealType.InCenterIfOutsideViewport);
    return true;
  }

  /** The user's settings, or those of the remote machine. */
  async #openUserSettings({ scope }: DefinitionSource): Promise<vscode.TextEditor | undefined> {
    const isRemote = scope === 'machine';
    await vscode.commands.executeCommand(
      isRemote ? 'workbench.action.openRemoteSettingsFile' : 'workbench.action.openSettingsJson',
    );
    return vscode.window.activeTextEditor;
  }
}

function textOf(uri: vscode.Uri, text: string): SettingsText {
  const positionAt = (offset: number) => {
    const before = text.slice(0, offset).split('\n');
    return new vscode.Position(before.length - 1, before.at(-1)?.length ?? 0);
  };
  return { uri, getText: () => text, positionAt };
}

/** Whether a document is the user's settings, or those of a remote machine. */
export const isUserSettings = (document: vscode.TextDocument): boolean => userSettingsScope(document) !== undefined;

export function userSettingsScope({ uri, languageId }: vscode.TextDocument): 'user' | 'machine' | undefined {
  const [, folder] = /\/(User|Machine)\/(?:profiles\/[^/]+\/)?settings\.json$/.exec(uri.path) ?? [];
  if (folder === undefined || languageId !== 'jsonc') return undefined;
  return folder === 'Machine' ? 'machine' : 'user';
}

/** How settings stand in a file. */
export function optionsFor({ uri }: Pick<vscode.TextDocument, 'uri'>): LocateOptions {
  return { codeWorkspace: uri.path.endsWith('.code-workspace'), projectFile: uri.path.endsWith('/.mcp.json') };
}

/** The `.mcp.json` of each workspace folder, whether or not it is there. */
const projectFiles = (): vscode.Uri[] =>
  (vscode.workspace.workspaceFolders ?? []).map(({ uri }) => vscode.Uri.joinPath(uri, '.mcp.json'));

const inFolder = (folder: vscode.Uri): vscode.Uri => vscode.Uri.joinPath(folder, '.vscode', 'settings.json');
