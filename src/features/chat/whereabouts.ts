import vscode = require('vscode');

import type { Whereabouts } from './core/systemText';

const PLATFORMS: Readonly<Record<string, string>> = { darwin: 'macOS', linux: 'Linux', win32: 'Windows' };

/** Context for the model besides the question: date, platform, folders, active file. */
export function whereabouts(): Whereabouts {
  const file = activeFile();
  return {
    date: dateOf(new Date()),
    platform: vscode.env.uiKind === vscode.UIKind.Web ? 'the web' : (PLATFORMS[process.platform] ?? process.platform),
    folders: (vscode.workspace.workspaceFolders ?? []).map(({ uri }) => placeOf(uri)),
    ...(file && { file }),
  };
}

function activeFile(): Whereabouts['file'] {
  const editor = vscode.window.activeTextEditor;
  // Documents of ours, logs and the like are no files that tools could read.
  if (!editor || !isFile(editor.document.uri)) return undefined;
  const { document, selection } = editor;
  return {
    path: vscode.workspace.asRelativePath(document.uri, true),
    language: document.languageId,
    ...(!selection.isEmpty && { lines: [selection.start.line + 1, selection.end.line + 1] as const }),
  };
}

const isFile = ({ scheme }: vscode.Uri): boolean =>
  ['file', 'untitled', 'vscode-remote', 'vscode-vfs'].includes(scheme);

const placeOf = (uri: vscode.Uri): string => (uri.scheme === 'file' ? uri.fsPath : uri.toString());

/** In the person's own time zone. */
function dateOf(date: Date): string {
  return [date.getFullYear(), date.getMonth() + 1, date.getDate()].map(part => String(part).padStart(2, '0')).join('-');
}
