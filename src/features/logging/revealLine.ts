import vscode = require('vscode');

/** How long a log may take to be drawn. */
const PATIENCE_MS = 5_000;

/** Scrolls the shown log to the last place of a line, as soon as it is there. */
export function revealLine(line: string): void {
  const wanted = line.trim();
  if (wanted === '') return;
  const look = () => {
    for (const editor of vscode.window.visibleTextEditors) {
      const { document } = editor;
      if (document.uri.scheme !== 'output') continue;
      const at = document.getText().lastIndexOf(wanted);
      if (at < 0) continue;
      const range = new vscode.Range(document.positionAt(at), document.positionAt(at + wanted.length));
      editor.revealRange(range, vscode.TextEditorRevealType.InCenter);
      stop.dispose();
      return;
    }
  };
  const timer = setTimeout(() => stop.dispose(), PATIENCE_MS);
  const stop = vscode.Disposable.from(
    vscode.window.onDidChangeVisibleTextEditors(look),
    vscode.workspace.onDidChangeTextDocument(look),
    { dispose: () => clearTimeout(timer) },
  );
  look();
}
