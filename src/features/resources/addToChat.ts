import vscode = require('vscode');

import { fileOf } from './link';
import type { ResourceTarget } from './target';

/**
 * "Add to Chat": attaches the resource to the chat input. Uses the command that opens chat, because the one that attaches a
 * file accepts only files on disk.
 */
export async function addToChat(target: ResourceTarget): Promise<void> {
  try {
    await vscode.commands.executeCommand('workbench.action.chat.open', { attachFiles: [fileOf(target)] });
  } catch (error) {
    const message = vscode.l10n.t('The resource could not be added to chat: this editor has no chat, or it is off.');
    throw new Error(message, { cause: error });
  }
}
