import vscode = require('vscode');

const LIST = 'text/uri-list';
const TEXT = 'text/plain';
/** The type of drops from outside the editor. */
const FILES = 'files';

/** Files, links and text that are dropped on the Servers view are added as servers, after the same review as any other. */
export const serverDrop: vscode.TreeDragAndDropController<unknown> = {
  dragMimeTypes: [],
  dropMimeTypes: [LIST, TEXT, FILES],
  handleDrop: async (_row, data) => {
    const given = await givenIn(data);
    if (given) await vscode.commands.executeCommand('mcpHost.addServer', given);
  },
};

async function givenIn(data: vscode.DataTransfer): Promise<{ file: string } | { text: string } | undefined> {
  const [uri] = ((await data.get(LIST)?.asString()) ?? '').split(/\r?\n/).filter(line => line && !line.startsWith('#'));
  if (uri !== undefined) return /^(https?|vscode(-insiders)?|cursor):/i.test(uri) ? { text: uri } : { file: uri };
  for (const [, item] of data) {
    const dropped = item.asFile();
    if (dropped?.uri) return { file: dropped.uri.toString() };
    if (dropped) return { text: Buffer.from(await dropped.data()).toString('utf8') };
  }
  const text = await data.get(TEXT)?.asString();
  return text?.trim() ? { text } : undefined;
}
