import vscode = require('vscode');

import { Emitter } from '../base/events';
import { t, window } from './window';

const drafted = new Emitter<void>();
/** A text that the person has not written comes into the input of a chat, which gets the focus. */
export const onDidDraft = drafted.event;

/** Whether a new chat would be one in which `@mcp` is unknown. */
const prefersAgentHost = (): boolean =>
  ['defaultToCopilotHarness', 'editor.preferCopilotHarness'].some(
    name => vscode.workspace.getConfiguration('chat').get(name) === true,
  );

/**
 * Opens chat, also to attach files: the command for that alone accepts only files on disk.
 * @param isNew begins a session in which `@mcp` can answer, where a new one would not be of that type
 */
export async function openChat(
  options: { query?: string; isPartialQuery?: true; attachFiles?: readonly vscode.Uri[] },
  isNew = false,
): Promise<void> {
  if (options.isPartialQuery) drafted.fire();
  try {
    // Unknown to older editors, and to those whose policy allows no such session.
    if (isNew && prefersAgentHost())
      await vscode.commands.executeCommand('workbench.action.chat.newLocalChat').then(undefined, () => {});
    await vscode.commands.executeCommand('workbench.action.chat.open', options);
  } catch (error) {
    throw new Error(t('The chat could not be opened: this editor has no chat, or it is off.'), { cause: error });
  }
  if (/^@mcp/.test(options.query ?? '')) void offerModels();
}

/** Without a language model, the editor refuses a question before `@mcp` has it, and its words do not say what to do. */
async function offerModels(): Promise<void> {
  const models = await vscode.lm?.selectChatModels().then(undefined, () => undefined);
  if (models?.length !== 0) return;
  const add = t('Add a Language Model…');
  const missing = t(
    'Chat has no language model yet, so @mcp cannot answer: sign in to a provider, or add one with a key.',
  );
  if ((await window.showInformationMessage(missing, add)) === add)
    await vscode.commands.executeCommand('workbench.action.chat.manage');
}
