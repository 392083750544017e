import * as path from 'node:path';
import * as vscode from 'vscode';
import type { Admission, ServerDefinition } from '../../host';
import type { LaunchStep } from './launchGate';

type Entry = NonNullable<ServerDefinition['entry']>;

/**
 * In a workspace that is not trusted nothing starts that the workspace has a part in. A server of the user's settings
 * does, except where its program, folder or `envFile` lies in the workspace: what lies beside a program (an `.npmrc`,
 * `node_modules/.bin`), or is put into its environment, decides what it runs.
 */
export class UntrustedWorkspace implements LaunchStep {
  admit({ fromWorkspace }: ServerDefinition, entry: Entry): Admission {
    if (vscode.workspace.isTrusted) return { entry };
    const inside = fromWorkspace ? 'settings' : partInWorkspace(entry);
    if (!inside) return { entry };
    const reason =
      inside === 'settings'
        ? 'it is configured by this workspace, which is not trusted'
        : `its "${inside}" is in this workspace, which is not trusted`;
    return { needs: 'needsTrust', reason, remedy: 'Trust the workspace if you know who wrote what is in it.' };
  }
}

function partInWorkspace(entry: Entry): 'command' | 'cwd' | 'envFile' | undefined {
  if (entry.type !== 'stdio') return undefined;
  const folders = (vscode.workspace.workspaceFolders ?? []).map(({ uri }) => uri.fsPath);
  return (['command', 'cwd', 'envFile'] as const).find(key => {
    const value = entry[key];
    return value !== undefined && path.isAbsolute(value) && folders.some(folder => isWithin(folder, value));
  });
}

function isWithin(folder: string, file: string): boolean {
  const relative = path.relative(folder, file);
  return relative !== '..' && !relative.startsWith(`..${path.sep}`) && !path.isAbsolute(relative);
}
