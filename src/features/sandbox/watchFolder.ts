import vscode = require('vscode');

/** Watches a folder for what appears in it, at any depth. @returns a function that ends that */
export function watchFolder(folder: string, appeared: () => void): () => void {
  const pattern = new vscode.RelativePattern(vscode.Uri.file(folder), '**');
  const watcher = vscode.workspace.createFileSystemWatcher(pattern, false, true, true);
  watcher.onDidCreate(appeared);
  return () => watcher.dispose();
}
