import vscode = require('vscode');

import { plain } from '../../base/text';
import { askDecision } from '../../editor/dialogs';
import { localized } from '../../editor/errorText';
import { t, window } from '../../editor/window';
import { askWhole, inQuestion, jsonOf, type RefusedCall } from '../trust';
import { type ToolTarget, titleOf } from './chooseTool';

/** Says why a call is not made, what to do about it, and leads there. */
export async function tellRefused({ server, tool }: ToolTarget, { why, message }: RefusedCall): Promise<void> {
  const isBlocked = why === 'blocked';
  const action = isBlocked ? t('Review Changes…') : t('Manage Approvals…');
  if ((await window.showWarningMessage(plain(localized(message)), action)) !== action) return;
  if (isBlocked) await vscode.commands.executeCommand('mcpHost.reviewChanges', { server, kind: 'tools', item: tool });
  else await vscode.commands.executeCommand('mcpHost.manageApprovals');
}

/** Asks once more if the server itself says that the tool may be destructive. */
export async function confirmDestructive(
  { server, tool }: ToolTarget,
  args: Record<string, unknown>,
): Promise<boolean> {
  const { destructiveHint, readOnlyHint } = tool.annotations ?? {};
  if (destructiveHint !== true || readOnlyHint === true) return true;
  const run = t('Run');
  const warning = t('The server says that this tool may change or delete data.');
  const question = t('Run {0} on MCP server "{1}"?', titleOf(tool), server.name);
  const json = jsonOf(args);
  const { text, isWhole } = inQuestion(json);
  if (!isWhole) {
    const buttons = [
      { answer: 'run', title: run, allows: true },
      { answer: 'cancel', title: t("Don't Run"), allows: false },
    ];
    return (await askWhole({ title: titleOf(tool), question, notes: [warning], content: { json }, buttons })) === 'run';
  }
  const detail = `${warning}\n\n${text}`;
  // The first has the focus.
  return (await askDecision(question, detail, t("Don't Run"), run)) === run;
}
