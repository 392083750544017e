import vscode = require('vscode');

/** Test files of servers, wherever they are in the workspace. */
export const TEST_FILES = '**/*.mcptest.{json,yaml,yml}';
export const LEFT_OUT = '**/node_modules/**';

/** Calls `open` once, when the workspace has a test file: until then the editor has no Test Explorer of ours. */
export function whenTestsAreFound(open: () => void): vscode.Disposable {
  const watcher = vscode.workspace.createFileSystemWatcher(TEST_FILES, false, true, true);
  let isOver = false;
  const found = () => {
    if (isOver) return;
    isOver = true;
    watcher.dispose();
    open();
  };
  watcher.onDidCreate(found);
  vscode.workspace.findFiles(TEST_FILES, LEFT_OUT, 1).then(
    files => files.length > 0 && found(),
    () => undefined, // a file that is made later is found all the same
  );
  return {
    dispose: () => {
      isOver = true;
      watcher.dispose();
    },
  };
}
