import vscode = require('vscode');

import { isObject } from '../base/json';
import { settingValue, valuesOfOthers } from './settingValues';
import type { PlainState } from './storage';
import { t } from './window';

/** Whether chats may run in processes of their own (*Copilot*, *Claude*, *Codex*), without our sockets and `@mcp`. */
export function hasAgentHost(): boolean {
  return Object.keys(Object(vscode.workspace.getConfiguration('chat').get('agentHost'))).length > 0;
}

/** The first editor that is known to run the servers of a `.mcp.json` itself: 1.139. */
const FIRST_WITH_PROJECT_FILES = 139;

/** Whether the editor's own chats run the servers of a `.mcp.json` themselves, once the workspace is trusted. */
export function readsProjectFiles(): boolean {
  const [major = 0, minor = 0] = vscode.version.split('.').map(Number);
  return major > 1 || minor >= FIRST_WITH_PROJECT_FILES;
}

const projectChatsText = (): string =>
  readsProjectFiles()
    ? t(
        'From .mcp.json, which this editor reads, too: its own chats run a process of theirs; @mcp and agents use this one. To have one for all, move the server into settings.',
      )
    : t('From .mcp.json');

/** Says which chats have the tools of ready servers. @param ofProject those of one that stands in a `.mcp.json`. */
export function chatsText(ofProject = false): string {
  if (ofProject) return projectChatsText();
  if (settingValue('nativeChat') === 'off') return t('In chat: only with @mcp, because mcpHost.nativeChat is off');
  return hasAgentHost()
    ? t('In chat: Local sessions (also @mcp and prompts), Copilot, Claude and Codex')
    : t('In chat: with @mcp, and without it in agent mode');
}

/** Settings of `chat.tools` that are not about tools of servers. */
const OTHER_TOOLS = ['edits', 'terminal', 'urls'];

/** Where it is kept that the workspace once had a say in what the editor asks: chats stay as they began. */
const ASKS_LESS = 'mcpHost.chatAsksLess';

/**
 * Whether the workspace has a say in what the editor asks about before calls, such as by `chat.permissions.default`, or ever had one that
 * this was called about. Then no answer of the editor counts.
 */
export function asksLess(state: PlainState): boolean {
  const isSilenced = isSilencedByWorkspace();
  if (isSilenced) void state.update(ASKS_LESS, true);
  return isSilenced || state.get(ASKS_LESS) === true;
}

/** Older editors take from the workspace what is the person's alone, too; a `devcontainer.json` writes settings of the machine. */
function isSilencedByWorkspace(): boolean {
  const settings = vscode.workspace.getConfiguration('chat');
  const silences = (value: unknown): boolean =>
    isObject(value) ? Object.values(value).some(silences) : ![undefined, false, 'default'].includes(value as string);
  return ['tools', 'permissions', 'defaultConfiguration'].some(key => {
    return valuesOfOthers(settings.inspect(key)).some(value => {
      const { ...said } = Object(value) as Record<string, unknown>;
      if (key === 'tools') for (const name of OTHER_TOOLS) delete said[name];
      return silences(said);
    });
  });
}
