import vscode = require('vscode');

import { messageOf } from '../../base/errors';
import { revealed } from '../../base/text';
import { eventServerOf } from '../events';
import { parseResourceUri } from '../resources';

const MAX_REFERENCE = 40_000;
const MAX_PARTS = 20;

/** The files, selections and texts attached to a question, as text for the model. */
export async function referencedText(references: readonly vscode.ChatPromptReference[]): Promise<string> {
  const parts = await Promise.all(references.map(reference => textOf(reference)));
  return parts.filter(Boolean).join('\n\n');
}

/** The servers whose resources or events are attached to a question, by their ids. */
export function attachedServers(references: readonly vscode.ChatPromptReference[]): readonly string[] {
  const uris = references.map(({ value }) => (value instanceof vscode.Location ? value.uri : value));
  return uris.flatMap(uri =>
    uri instanceof vscode.Uri ? (parseResourceUri(uri)?.serverId ?? eventServerOf(uri) ?? []) : [],
  );
}

async function textOf({ value, modelDescription }: vscode.ChatPromptReference): Promise<string> {
  try {
    if (typeof value === 'string') return bounded(modelDescription ?? 'Attached text', value);
    if (value instanceof vscode.Uri) return await fileText(value);
    if (value instanceof vscode.Location) {
      const document = await vscode.workspace.openTextDocument(value.uri);
      const lines = `${value.range.start.line + 1}-${value.range.end.line + 1}`;
      return bounded(`${value.uri.toString()} lines ${lines}`, document.getText(value.range));
    }
    return '';
  } catch (error) {
    return `[An attachment could not be read: ${messageOf(error, 200)}]`;
  }
}

/** For a resource with several contents, which is a folder, the text of each. */
async function fileText(uri: vscode.Uri): Promise<string> {
  const { fs } = vscode.workspace;
  if (uri.scheme !== 'mcp' || (await fs.stat(uri)).type !== vscode.FileType.Directory) {
    return bounded(uri.toString(), (await vscode.workspace.openTextDocument(uri)).getText());
  }
  const parts = (await fs.readDirectory(uri)).slice(0, MAX_PARTS).map(([name]) => vscode.Uri.joinPath(uri, name));
  const texts = await Promise.all(parts.map(value => textOf({ id: '', value })));
  return texts.join('\n\n');
}

function bounded(name: string, text: string): string {
  const shown =
    text.length > MAX_REFERENCE
      ? `${text.slice(0, MAX_REFERENCE)}\n[… ${text.length - MAX_REFERENCE} characters left out]`
      : text;
  return revealed(`${name}:\n${shown}`);
}
