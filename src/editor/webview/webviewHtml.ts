import { randomBytes } from 'node:crypto';

import vscode = require('vscode');

interface WebviewPage {
  readonly title: string;
  /** In dist/. */
  readonly script: string;
  /** In media/, each on top of those before. */
  readonly styles: readonly string[];
  /** Whether it may draw pictures and play sounds that its script was sent. */
  readonly media?: boolean;
  /** The policy of a page that has another inside, which inherits it: given where our own files are. */
  readonly policy?: (own: string) => string;
}

/**
 * The page of a webview: it loads a script from dist/ and a style sheet from media/, and can load or run nothing else. It
 * begins empty; its script builds everything from messages, as text.
 */
export function webviewHtml(
  webview: vscode.Webview,
  extension: vscode.Uri,
  { title, script, styles, media = false, policy }: WebviewPage,
): string {
  const nonce = randomBytes(16).toString('base64');
  const uri = (...path: string[]) => escaped(webview.asWebviewUri(vscode.Uri.joinPath(extension, ...path)).toString());
  const own = `default-src 'none'; style-src ${webview.cspSource}; script-src 'nonce-${nonce}'`;
  const csp = policy?.(webview.cspSource) ?? (media ? `${own}; img-src blob:; media-src blob:` : own);
  return `<!DOCTYPE html>
<html lang="${escaped(vscode.env.language)}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${escaped(csp)}">
<title>${escaped(title)}</title>
${styles.map(style => `<link rel="stylesheet" href="${uri('media', style)}">`).join('\n')}
</head>
<body>
<main></main>
<script nonce="${nonce}" src="${uri('dist', script)}"></script>
</body>
</html>`;
}

/** Where the page of a webview may load from. */
export function webviewRoots(extension: vscode.Uri): vscode.Uri[] {
  return ['dist', 'media'].map(folder => vscode.Uri.joinPath(extension, folder));
}

function escaped(text: string): string {
  return text.replace(/[&<>"]/g, character => `&#${character.charCodeAt(0)};`);
}
