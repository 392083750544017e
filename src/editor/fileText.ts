import { until } from '../base/events';

import vscode = require('vscode');

/** More is hardly settings or a test. */
const MAX_BYTES = 8 * 1024 * 1024;

/** The text of a file, wherever the editor has it. Undefined: it is not there, is no file or has more bytes. */
export async function textAt(uri: vscode.Uri, maxBytes = MAX_BYTES): Promise<string | undefined> {
  try {
    const { type, size } = await vscode.workspace.fs.stat(uri);
    if ((type & vscode.FileType.File) === 0 || size > maxBytes) return undefined;
    // A file of the system says that it is empty, and may never end: a link of a repository may lead to one.
    if (size === 0) return '';
    return new TextDecoder().decode(await vscode.workspace.fs.readFile(uri));
  } catch {
    return undefined;
  }
}

/** How long the editor may take to notice a change on disk. */
const NOTICED_MS = 3_000;

/**
 * Opens the document of a file that is to be edited. The editor may still have it as it was before a change on disk, such as a
 * checkout: waits until it has caught up, unless it has unsaved changes.
 */
export async function openCurrent(uri: vscode.Uri): Promise<vscode.TextDocument> {
  const document = await vscode.workspace.openTextDocument(uri);
  const onDisk = await textAt(uri);
  const isCurrent = () =>
    document.isDirty || onDisk === undefined || withPlainLines(document.getText()) === withPlainLines(onDisk);
  await until(isCurrent, [vscode.workspace.onDidChangeTextDocument], { limitMs: NOTICED_MS });
  return document;
}

/** A document has line ends of one kind. */
const withPlainLines = (text: string): string => text.replace(/\r\n?/g, '\n');
