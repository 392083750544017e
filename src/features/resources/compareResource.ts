import vscode = require('vscode');

import { type PlainRow, t, window } from '../../editor/window';
import type { ServerSet } from '../../host';
import { resourceFileName } from './core/fileName';
import { pickPart } from './pickPart';
import { pickResource } from './pickResource';
import { fileOf } from './resourceLinks';
import type { ResourceTarget } from './resourceTarget';

/** One side of a comparison. */
interface Side {
  readonly uri: vscode.Uri;
  /** As the title of the diff has it. */
  readonly name: string;
}

/** "Compare with…": compares a resource with a second one, with the open file, or with a file that the person chooses. */
export async function compareResource(servers: ServerSet, target: ResourceTarget): Promise<void> {
  const left = await sideOf(target);
  const right = left && (await chooseOther(servers, left));
  if (!left || !right) return;
  await vscode.commands.executeCommand('vscode.diff', left.uri, right.uri, `${left.name} ↔ ${right.name}`);
}

async function chooseOther(servers: ServerSet, left: Side): Promise<Side | undefined> {
  const open = vscode.window.activeTextEditor?.document.uri;
  const choices: (PlainRow & { choose: () => Promise<Side | undefined> })[] = [
    { label: t('Another resource…'), iconPath: new vscode.ThemeIcon('server'), choose: () => anotherResource(servers) },
    { label: t('A file…'), iconPath: vscode.ThemeIcon.File, choose: chooseFile },
  ];
  if (open?.scheme === 'file') {
    const side = fileSide(open);
    const label = t('The open file: {0}', side.name);
    choices.unshift({ label, iconPath: new vscode.ThemeIcon('go-to-file'), choose: async () => side });
  }
  const chosen = await window.showQuickPick(choices, { title: t('Compare {0} With', left.name) });
  return chosen?.choose();
}

async function anotherResource(servers: ServerSet): Promise<Side | undefined> {
  const target = await pickResource(servers, { title: t('Compare With') });
  return target && sideOf(target);
}

async function chooseFile(): Promise<Side | undefined> {
  const [uri] = (await vscode.window.showOpenDialog({ openLabel: t('Compare'), title: t('Compare With') })) ?? [];
  return uri && fileSide(uri);
}

/** Read first, so that a failure is a message; if there are several contents, the person chooses one. */
async function sideOf(target: ResourceTarget): Promise<Side | undefined> {
  const { server, resource, part } = target;
  const { type } = await vscode.workspace.fs.stat(fileOf(target));
  if (type !== vscode.FileType.Directory) {
    return { uri: fileOf(target), name: `${part ?? resourceFileName(resource)} (${server.id})` };
  }
  const names = (await vscode.workspace.fs.readDirectory(fileOf(target))).map(([name]) => ({ name }));
  const chosen = await pickPart(resourceFileName(resource), names);
  return chosen && sideOf({ ...target, part: chosen.name });
}

const fileSide = (uri: vscode.Uri): Side => ({ uri, name: vscode.workspace.asRelativePath(uri) });
