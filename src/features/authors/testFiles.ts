import vscode = require('vscode');

/** Whether tests can be made and run here. */
export const canTest: boolean = true;

/** Test files of servers, wherever they are in the workspace. */
export const TEST_FILES = '**/*.mcptest.{json,yaml,yml}';
export const LEFT_OUT = '**/node_modules/**';
/** As long as the editor looks for files that wake an extension: a huge folder is not searched to its end. */
const LOOK_MS = 7_000;

const NAME = /\.mcptest\.(json|ya?ml)$/i;

/** Whether it is a test file of this machine, and nobody else's. */
export const isTestFile = ({ scheme, path }: vscode.Uri): boolean =>
  scheme === 'file' && NAME.test(path) && !path.includes('/node_modules/');

/** Calls `open` once, when the workspace has a test file: until then the editor has no Test Explorer of ours. */
export function whenTestsAreFound(open: () => void): vscode.Disposable {
  const look = new vscode.CancellationTokenSource();
  const watcher = vscode.workspace.createFileSystemWatcher(TEST_FILES, false, true, true);
  let isOver = false;
  const found = (uri: vscode.Uri | undefined) => {
    if (isOver || !uri || !isTestFile(uri)) return;
    own.dispose();
    open();
  };
  const timer = setTimeout(() => look.cancel(), LOOK_MS);
  const own = vscode.Disposable.from(
    watcher,
    watcher.onDidCreate(found),
    // A file that was not found in time is found when it is read.
    vscode.workspace.onDidOpenTextDocument(({ uri }) => found(uri)),
    {
      dispose: () => {
        isOver = true;
        clearTimeout(timer);
        look.dispose();
      },
    },
  );
  vscode.workspace.findFiles(TEST_FILES, LEFT_OUT, 1, look.token).then(
    ([file]) => found(file),
    () => undefined, // a file that is made later is found all the same
  );
  return own;
}
