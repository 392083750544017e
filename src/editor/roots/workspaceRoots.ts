import * as vscode from 'vscode';
import type { RootsPort } from '../../host';

/** The workspace folders as roots (spec: client/roots): only those on a disk that a server could read. */
export class WorkspaceRoots implements RootsPort {
  readonly onDidChange = (listener: () => unknown): vscode.Disposable =>
    vscode.workspace.onDidChangeWorkspaceFolders(() => listener());

  list(): { uri: string; name: string }[] {
    return (vscode.workspace.workspaceFolders ?? [])
      .filter(({ uri }) => uri.scheme === 'file')
      .map(({ uri, name }) => ({ uri: uri.toString(), name }));
  }
}
