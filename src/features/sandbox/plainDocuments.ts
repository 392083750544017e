import vscode = require('vscode');

/** Our documents, and the resources of servers in the editor's own chat. */
const OF_SERVERS = /^mcp(-|$)/;
/** Languages whose hovers and previews draw pictures from anywhere. */
const DRAWING = ['markdown', 'prompt', 'instructions', 'chatagent', 'skill'];

/**
 * Shows texts of servers that are markdown as plain text from now on, as there is a confined server: the editor fetches the pictures that
 * they name, with whatever such a server writes into their addresses.
 */
export function showMarkdownPlainly(): vscode.Disposable {
  const show = (document: vscode.TextDocument) => {
    if (OF_SERVERS.test(document.uri.scheme) && DRAWING.includes(document.languageId))
      void vscode.languages.setTextDocumentLanguage(document, 'plaintext').then(undefined, () => {});
  };
  vscode.workspace.textDocuments.forEach(show);
  return vscode.workspace.onDidOpenTextDocument(show);
}
