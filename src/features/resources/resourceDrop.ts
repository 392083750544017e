import vscode = require('vscode');

import { t } from '../../editor/window';
import type { ServerSet } from '../../host';
import { parseResourceUri } from './core/resourceAddress';
import { URI_LIST } from './resources';
import { markdownLink, resourceTarget } from './resourceTarget';

const MAX_TEXT = 1_000_000;

/** Turns a resource dropped into text into a link, or, if the person chooses so, into its text. */
export class ResourceDrop implements vscode.DocumentDropEditProvider {
  constructor(private readonly servers: ServerSet) {}

  async provideDocumentDropEdits(
    document: vscode.TextDocument,
    _position: vscode.Position,
    data: vscode.DataTransfer,
    token: vscode.CancellationToken,
  ): Promise<vscode.DocumentDropEdit[] | undefined> {
    const list = (await data.get(URI_LIST)?.asString()) ?? '';
    const files = list
      .split(/\r?\n/)
      .filter(line => line.startsWith('mcp:'))
      .map(line => vscode.Uri.parse(line));
    if (files.length === 0 || !files.every(parseResourceUri)) return undefined;
    const isMarkdown = document.languageId === 'markdown';
    const links = files.map(file => {
      const target = isMarkdown && resourceTarget(this.servers, file);
      // Without its stamp: others may read the file.
      return target ? markdownLink(target) : file.with({ query: '' }).toString();
    });
    const edits = [edit(links.join(isMarkdown ? ' ' : '\n'), t('Insert Resource Link'), 'link')];
    const text = await textOf(files);
    if (text !== undefined && !token.isCancellationRequested) {
      edits.push(edit(text, t('Insert Resource Text'), 'text'));
    }
    return edits;
  }
}

/** The kinds of drop edits to which the editor's own links yield, as those have no proper label. */
function kind(name: string): vscode.DocumentDropOrPasteEditKind {
  return vscode.DocumentDropOrPasteEditKind.Text.append('mcpHost', name);
}

/** As plain text: what a server sends must not become a snippet. */
function edit(text: string, title: string, name: string): vscode.DocumentDropEdit {
  return new vscode.DocumentDropEdit(text, title, kind(name));
}

/** The texts of files; undefined if one is not text or cannot be read: then there is only the link. */
async function textOf(files: readonly vscode.Uri[]): Promise<string | undefined> {
  try {
    const documents = await Promise.all(files.map(file => vscode.workspace.openTextDocument(file)));
    const text = documents.map(document => document.getText()).join('\n');
    return text.length <= MAX_TEXT ? text : undefined;
  } catch {
    return undefined;
  }
}
