import vscode = require('vscode');

import { formatSize } from '../../base/numberText';
import { t } from '../../editor/window';
import type { ReadyChoice } from '../completion';
import { parseResourceUri } from '../resources';

/** Anything longer is not offered: if it were cut, something other than the row says would be sent. */
const MAX_TEXT = 200_000;
/** Editors that do not show a document of the person's: logs, results, other tools' panes. */
const NOT_FILES = new Set(['output', 'debug', 'mcp-hex', 'mcp-prompt', 'mcp-result', 'vscode', 'comment']);

/** The selection, where the open file is, and its text: what people most often want to give to a prompt. */
export function readyChoices(): ReadyChoice[] {
  const editor = vscode.window.activeTextEditor;
  if (!editor || NOT_FILES.has(editor.document.uri.scheme)) return [];
  const { document, selections } = editor;
  const choices: ReadyChoice[] = [];
  const selected = selections.filter(({ isEmpty }) => !isEmpty).map(range => document.getText(range));
  const selection = selected.join('\n');
  if (selection && selection.length <= MAX_TEXT) {
    const lines = selection.split('\n').length;
    choices.push({
      label: lines === 1 ? t('Selection (1 line)') : t('Selection ({0} lines)', lines),
      description: selection.trim().slice(0, 60),
      value: selection,
    });
  }
  const place = placeOf(document.uri);
  if (place) choices.push(place);
  const text = document.lineCount <= MAX_TEXT ? document.getText() : '';
  if (text && text.length <= MAX_TEXT) {
    choices.push({ label: t('Text of the open file'), description: formatSize(Buffer.byteLength(text)), value: text });
  }
  return choices;
}

/** The path of a file, or the URI of a resource as its server knows it; a document that was never saved has neither. */
function placeOf(uri: vscode.Uri): ReadyChoice | undefined {
  if (uri.scheme === 'untitled') return undefined;
  if (uri.scheme === 'file') {
    return { label: t('Path of the open file'), description: vscode.workspace.asRelativePath(uri), value: uri.fsPath };
  }
  const value = parseResourceUri(uri)?.uri ?? uri.toString();
  return { label: t('URI of the open file'), description: value, value };
}
