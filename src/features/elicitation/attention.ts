import vscode = require('vscode');

/** Who called a tool this long ago still looks at it. */
const FRESH_MS = 15_000;
/** Nobody types for this long before an input opens by itself. */
const QUIET_MS = 500;

/**
 * Whether a person waits for a server just now, so that its question may open at once: they called one of its tools or
 * prompts, or answered it, seconds ago, the window has the focus, and nobody is typing into a document. Otherwise a
 * notification asks first, and no key ever goes where it was not meant to.
 */
export async function isAwaited(askedAt: number | undefined, answeredAt: number | undefined): Promise<boolean> {
  const latest = askedAt === undefined ? 0 : Math.max(askedAt, answeredAt ?? 0);
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
