import vscode = require('vscode');

/** Someone who called a tool this recently is assumed to be waiting for it. */
const FRESH_MS = 15_000;
/** An input opens automatically only after no key was pressed for this long. */
const QUIET_MS = 500;

/**
 * Whether the person is waiting for a server right now, so that its question may open at once: they called one of its tools or
 * prompts, or answered it, seconds ago, the window has the focus, and they are not typing into a document. Otherwise a
 * notification asks first, so that no key press goes where it was not meant to.
 */
export async function isAwaited(latestRequestAt: number | undefined, answeredAt: number | undefined): Promise<boolean> {
  const latest = latestRequestAt === undefined ? 0 : Math.max(latestRequestAt, answeredAt ?? 0);
  if (Date.now() - latest > FRESH_MS || !vscode.window.state.focused) return false;
  return new Promise(resolve => {
    const end = (isQuiet: boolean) => {
      clearTimeout(timer);
      typing.dispose();
      resolve(isQuiet);
    };
    const timer = setTimeout(() => end(true), QUIET_MS);
    const typing = vscode.workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
      const isTyped = contentChanges.length > 0 && document === vscode.window.activeTextEditor?.document;
      if (isTyped && document.uri.scheme !== 'output') end(false);
    });
  });
}
