import * as vscode from 'vscode';
import { plain, visibleLines } from '../../host/text';
import type { RefusedCall } from '../../host/toolCalls';
import { t, window } from '../window';
import { type ToolTarget, titleOf } from './chooseTool';

/** Says why a call is not made, what to do about it, and leads there. */
export async function tellRefused({ server, tool }: ToolTarget, { why, message }: RefusedCall): Promise<void> {
  const isBlocked = why === 'blocked';
  const action = isBlocked ? t('Review Changes…') : t('Manage Approvals…');
  if ((await window.showWarningMessage(plain(message), action)) !== action) return;
  if (isBlocked) await vscode.commands.executeCommand('mcpHost.reviewChanges', { server, kind: 'tools', item: tool });
  else await vscode.commands.executeCommand('mcpHost.manageApprovals');
}

/** One more question where the server itself says that the tool may destroy something. */
export async function confirmDestructive(
  { server, tool }: ToolTarget,
  args: Record<string, unknown>,
): Promise<boolean> {
  const { destructiveHint, readOnlyHint } = tool.annotations ?? {};
  if (destructiveHint !== true || readOnlyHint === true) return true;
  const run = t('Run');
  const detail = [
    t('The server says that this tool may change or delete what is there.'),
    visibleLines(JSON.stringify(args, null, 2), 2_000),
  ].join('\n\n');
  const message = t('Run {0} on MCP server "{1}"?', titleOf(tool), server.name);
  return (await window.showWarningMessage(message, { modal: true, detail }, run)) === run;
}
