import vscode = require('vscode');

import { visible } from '../../base/text';
import { t, window } from '../../editor/window';
import { labelOf } from './core/resourceFolders';
import type { ResourceTarget } from './resourceTarget';
import { resourceUri } from './resourceUri';

/**
 * A markdown link that opens the resource in the editor. Its target is the `mcp:` URI. The server's own URI is at best
 * understood only by the server, and at worst an address that the server wants to have opened.
 */
export function markdownLink(target: ResourceTarget): string {
  const label = target.part ?? labelOf(target.resource);
  return `[${escapeLabel(visible(label))}](${fileOf(target).toString()})`;
}

/** The editor's URI of a target. */
export function fileOf({ server, resource, part }: ResourceTarget): vscode.Uri {
  return resourceUri(server.id, resource, part);
}

/** On one line, and with nothing in it that counts as markup or a snippet. */
function escapeLabel(label: string): string {
  return label.replace(/[\\`*_[\]<>&|~$!#]/g, character => `\\${character}`);
}

/** "Copy as Markdown Link". */
export async function copyLink(target: ResourceTarget): Promise<void> {
  await vscode.env.clipboard.writeText(markdownLink(target));
  window.setStatusBarMessage(t('Copied a link'), 2_000);
}

/**
 * "Add to Chat": attaches the resource to the chat input. Uses the command that opens chat, because the one that attaches a
 * file accepts only files on disk.
 */
export async function addToChat(target: ResourceTarget): Promise<void> {
  try {
    await vscode.commands.executeCommand('workbench.action.chat.open', { attachFiles: [fileOf(target)] });
  } catch (error) {
    const message = t('The resource could not be added to chat: this editor has no chat, or it is off.');
    throw new Error(message, { cause: error });
  }
}
