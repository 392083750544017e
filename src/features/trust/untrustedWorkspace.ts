import { homedir } from 'node:os';
import * as path from 'node:path';
import { phrase } from '../../base/phrase';
import type { Admission, ServerDefinition } from '../../host/definition';
import { partInWorkspace } from '../../host/launch';

import vscode = require('vscode');

type Entry = NonNullable<ServerDefinition['entry']>;

/**
 * In an untrusted workspace, nothing starts that the workspace has a part in: see `partInWorkspace`. Checked twice, because
 * variables of an `envFile`, and values that a person or the secret storage fills in, may lead into it too.
 */
export function admitUntrusted(definition: ServerDefinition, entry: Entry): Admission {
  const reason = partInWorkspace(definition, entry, foldersOfWorkspace());
  if (reason === undefined) return { entry };
  const remedy = phrase('Trust the workspace if you trust the authors of its files.');
  return { needs: 'needsTrust', reason, remedy };
}

/** Its folders, and the folder of its `.code-workspace` file, unless that is one of the person's own folders. */
function foldersOfWorkspace(): string[] {
  const { workspaceFolders = [], workspaceFile } = vscode.workspace;
  const folders = workspaceFolders.filter(({ uri }) => uri.scheme === 'file').map(({ uri }) => uri.fsPath);
  if (workspaceFile?.scheme !== 'file') return folders;
  const beside = path.dirname(workspaceFile.fsPath);
  const toHome = path.relative(beside, homedir());
  const holdsHome = !toHome.startsWith('..') && !path.isAbsolute(toHome);
  return holdsHome ? folders : [...folders, beside];
}
