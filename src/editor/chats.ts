import vscode = require('vscode');

import { t } from './window';

/**
 * Whether chats of this editor may run in processes of their own (*Copilot*, *Claude*, *Codex*), which have no access to sockets of
 * extensions, and know neither `@mcp` nor prompts of servers.
 */
export function hasAgentHost(): boolean {
  return Object.keys(Object(vscode.workspace.getConfiguration('chat').get('agentHost'))).length > 0;
}

/** Says in which chats the tools of ready servers are offered. */
export function chatsText(): string {
  if (vscode.workspace.getConfiguration('mcpHost').get('nativeChat') === 'off')
    return t('In chat: only with @mcp, because mcpHost.nativeChat is off');
  return hasAgentHost()
    ? t('In chat: Local sessions (also @mcp and prompts), Copilot, Claude and Codex')
    : t('In chat: with @mcp, and without it in agent mode');
}

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
  try {
    // Unknown to older editors, and to those whose policy allows no such session.
    if (isNew && prefersAgentHost())
      await vscode.commands.executeCommand('workbench.action.chat.newLocalChat').then(undefined, () => {});
    await vscode.commands.executeCommand('workbench.action.chat.open', options);
  } catch (error) {
    throw new Error(t('The chat could not be opened: this editor has no chat, or it is off.'), { cause: error });
  }
}
