import { homedir } from 'node:os';
import * as path from 'node:path';
import { readBounded } from '../../base/files';
import { type Phrase, phrase } from '../../base/phrase';
import type { Admission, ServerDefinition } from '../../host/definition';
import { partInWorkspace } from '../../host/launch';

import vscode = require('vscode');

type Entry = NonNullable<ServerDefinition['entry']>;

const MAX_ENV_FILE_BYTES = 1024 * 1024;

/**
 * In an untrusted workspace, nothing starts that the workspace has a part in: see `partInWorkspace`. Checked twice, because
 * values that a person or the secret storage fills in may lead into it too.
 */
export async function admitUntrusted(definition: ServerDefinition, entry: Entry): Promise<Admission> {
  const folders = foldersOfWorkspace();
  // The file itself is not read before it is clear that it is not in the workspace.
  const reason = partInWorkspace(definition, entry, folders) ?? (await partOfEnvFile(definition, entry, folders));
  if (reason === undefined) return { entry };
  const remedy = phrase('Trust the workspace if you trust the authors of its files.');
  return { needs: 'needsTrust', reason, remedy };
}

async function partOfEnvFile(
  definition: ServerDefinition,
  entry: Entry,
  folders: readonly string[],
): Promise<Phrase | undefined> {
  if (entry.type !== 'stdio' || entry.envFile === undefined || !path.isAbsolute(entry.envFile)) return undefined;
  // If it can't be read now, the launch can't read it either, and says so.
  const text = await readBounded(entry.envFile, MAX_ENV_FILE_BYTES).catch(() => undefined);
  return text === undefined ? undefined : partInWorkspace(definition, entry, folders, { envFile: text });
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
