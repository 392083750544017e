import * as path from 'node:path';
import { getNodePath } from 'jsonc-parser';

import vscode = require('vscode');

import { isWithin, withDrive } from '../../base/filePlace';
import { rowText } from '../../base/text';
import { pickServer } from '../../editor/pickServer';
import { type PlainRow, t, window } from '../../editor/window';
import type { ServerSet } from '../../host';
import { noteProgram, type ServerDefinition } from '../../host/definition';
import { changeSettings, type EditableFiles, findEntry, setValues } from '../settings';
import { type Consents, WORKSPACE_ROOTS } from '../trust';

interface RootsServices {
  servers: ServerSet;
  files: EditableFiles;
  /** Roots chosen here are agreed to. */
  consents: Pick<Consents, 'agreeToRoots'>;
}

/** As in an entry; undefined is the default, the folders of the workspace. */
type RootsSetting = NonNullable<ServerDefinition['entry']>['roots'];

/** Asks which folders a server may see, and writes them into its settings entry. */
export async function changeRoots(services: RootsServices, argument: unknown): Promise<void> {
  const which = t('Select an MCP server to change its roots');
  const server = await pickServer(argument, services.servers, which, one => one.definition.entry !== undefined);
  if (!server?.definition.entry) return;
  const { definition } = server;
  const isSame = noteProgram(server);
  const chosen = await chooseRoots(definition);
  if (!chosen || !isSame()) return;
  const setting = settingOf(chosen, definition);
  // Before settings say so: what is new in them is withheld until then.
  await services.consents.agreeToRoots(definition, setting === undefined ? [WORKSPACE_ROOTS] : chosen);
  await writeRoots(services, definition, setting);
}

/** Writes `roots` into the entry in place. Comments and everything else stay as they are. */
export async function writeRoots(
  { files }: Pick<RootsServices, 'files'>,
  { name, source }: ServerDefinition,
  roots: RootsSetting,
): Promise<void> {
  const isChanged = await changeSettings(files, source, (text, options) => {
    const entry = findEntry(text, name, options);
    return entry && setValues(text, [[[...getNodePath(entry), 'roots'], roots]]);
  });
  if (!isChanged) throw new Error(t('The settings entry for "{0}" was not found. Change its "roots" manually.', name));
}

/** These paths as settings: all folders, none, or a list that uses variables where possible. */
export function settingOf(paths: readonly string[], { source }: ServerDefinition): RootsSetting {
  if (paths.length === 0) return 'none';
  const folders = localFolders();
  const chosen = new Set(paths);
  const isAll = folders.length === chosen.size && folders.every(folder => chosen.has(folder.path));
  if (isAll) return undefined;
  return [...chosen].map(one => {
    const folder = folders.find(each => isWithin(each.path, one));
    if (!folder) return one;
    const isOwn = folders.length === 1 || source.folder?.path === folder.uri.fsPath;
    // A name shared by several folders can't stand for any of them.
    if (!isOwn && folders.filter(({ name }) => name === folder.name).length > 1) return one;
    const variable = isOwn ? '${workspaceFolder}' : `\${workspaceFolder:${folder.name}}`;
    const below = path.relative(folder.path, one).split(path.sep).join('/');
    return below === '' ? variable : `${variable}/${below}`;
  });
}

/** The folders of the workspace that are on a disk, with their paths as settings and servers have them. */
function localFolders() {
  const all = vscode.workspace.workspaceFolders ?? [];
  return all
    .filter(({ uri }) => uri.scheme === 'file')
    .map(({ name, uri }) => ({ name, uri, path: withDrive(uri.fsPath) }));
}

interface RootItem extends PlainRow {
  path: string;
}

/** Check boxes for the workspace folders and whatever else is listed; undefined when the person cancels. */
function chooseRoots(definition: ServerDefinition): Promise<readonly string[] | undefined> {
  const folders = localFolders();
  const setting = definition.entry?.roots ?? 'workspace';
  const base = definition.source.folder?.path ?? folders[0]?.path ?? '';
  const listed = Array.isArray(setting) ? setting.map(root => withDrive(path.resolve(base, root))) : [];
  const current = setting === 'workspace' ? folders.map(folder => folder.path) : listed;
  const pick = window.createQuickPick<RootItem>();
  const add = { iconPath: new vscode.ThemeIcon('add'), tooltip: t('Add a Workspace Folder…') };
  const none = { iconPath: new vscode.ThemeIcon('circle-slash'), tooltip: t('None') };
  const show = (paths: readonly string[], checked: ReadonlySet<string>) => {
    pick.items = [...new Set(paths)].map(one => {
      const folder = folders.find(each => each.path === one);
      return { label: rowText(folder?.name ?? path.basename(one)), description: rowText(one, 1_000), path: one };
    });
    pick.selectedItems = pick.items.filter(item => checked.has(item.path));
  };
  pick.title = t('Roots of {0}', definition.name);
  pick.placeholder = t('Which folders can the server ask for?');
  pick.canSelectMany = true;
  pick.ignoreFocusOut = true;
  pick.buttons = [add, none];
  show([...folders.map(folder => folder.path), ...current], new Set(current));
  return new Promise(resolve => {
    pick.onDidTriggerButton(async button => {
      const checked = new Set(button === none ? [] : pick.selectedItems.map(item => item.path));
      const added = button === add ? await askFolders(folders) : [];
      for (const one of added) checked.add(one);
      show([...pick.items.map(item => item.path), ...added], checked);
      pick.show();
    });
    pick.onDidAccept(() => {
      resolve(pick.selectedItems.map(item => item.path));
      pick.hide();
    });
    pick.onDidHide(() => {
      if (isAsking.has(folders)) return;
      resolve(undefined);
      pick.dispose();
    });
    pick.show();
  });
}

/** The quick pick may hide while a dialog is open, which is not an answer. */
const isAsking = new WeakSet<object>();

async function askFolders(folders: ReturnType<typeof localFolders>): Promise<string[]> {
  isAsking.add(folders);
  try {
    const chosen = await vscode.window.showOpenDialog({
      canSelectFolders: true,
      canSelectFiles: false,
      canSelectMany: true,
      ...(folders[0] && { defaultUri: folders[0].uri }),
      openLabel: t('Share'),
    });
    const paths = (chosen ?? []).map(({ fsPath }) => withDrive(fsPath));
    const inside = paths.filter(one => folders.some(folder => isWithin(folder.path, one)));
    if (inside.length < paths.length) {
      void window.showWarningMessage(t('Only folders of the workspace can be shared as roots.'));
    }
    return inside;
  } finally {
    isAsking.delete(folders);
  }
}
