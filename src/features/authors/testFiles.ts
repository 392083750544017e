import vscode = require('vscode');

/** Whether tests can be made and run here. */
export const canTest: boolean = true;

/** Test files of servers, wherever they are in the workspace. */
export const TEST_FILES = '**/*.mcptest.{json,yaml,yml}';
export const LEFT_OUT = '**/node_modules/**';
/** As long as the editor looks for files that wake an extension: a huge folder is not searched to its end. */
const LOOK_MS = 7_000;

const OWN_QUESTIONS = /^(file|untitled):(?!.*\/node_modules\/).*\.mcpeval\.(json|ya?ml)$/i;
const OWN_FILE = /^file:(?!.*\/node_modules\/).*\.mcptest\.(json|ya?ml)$/i;

/** Whether it is a test file of this machine, and not in a package. */
export const isTestFile = (uri: vscode.Uri): boolean => OWN_FILE.test(String(uri));

/** Calls `open`, perhaps again, when the workspace has a test file: until then there is no Test Explorer of ours. */
export function whenTestsAreFound(open: () => void): vscode.Disposable {
  const { workspace, languages } = vscode;
  const look = new vscode.CancellationTokenSource();
  setTimeout(() => look.cancel(), LOOK_MS);
  workspace.findFiles(TEST_FILES, LEFT_OUT, 1, look.token).then(
    files => files.length > 0 && open(),
    () => {}, // a file that is made later is found all the same
  );
  const watcher = workspace.createFileSystemWatcher(TEST_FILES);
  return vscode.Disposable.from(
    watcher,
    watcher.onDidCreate(open),
    // A file that was not found in time is found when it is read.
    workspace.onDidOpenTextDocument(file => languages.match({ pattern: TEST_FILES }, file) && open()),
  );
}

/** Whether it has questions that a model is asked to choose tools for, and is not in a package. */
export const isQuestionFile = (uri: vscode.Uri): boolean => OWN_QUESTIONS.test(String(uri));

/** Calls `open` when a file of questions is open. @param open may be called again. */
export function whenQuestionsAreOpen(open: () => void): vscode.Disposable {
  const look = ({ uri }: vscode.TextDocument) => isQuestionFile(uri) && open();
  for (const document of vscode.workspace.textDocuments) look(document);
  return vscode.workspace.onDidOpenTextDocument(look);
}
