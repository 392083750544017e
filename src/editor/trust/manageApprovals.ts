import * as vscode from 'vscode';
import type { ApprovalPolicy, ApprovalRule } from '../../host/approvals';
import { visible } from '../../host/text';

const { t } = vscode.l10n;

/** Lists what was approved or denied for longer than one call; what is unchecked is asked about again. */
export async function manageApprovals(policy: ApprovalPolicy): Promise<void> {
  const items = policy.rules.map(rule => ({
    label: visible(rule.toolName, 100),
    description: visible(rule.serverId, 100),
    detail: `${answerOf(rule)} ${scopeOf(rule)}`,
    picked: true,
    rule,
  }));
  if (items.length === 0) {
    void vscode.window.showInformationMessage(t('No tool is approved or denied: each call is asked about.'));
    return;
  }
  const kept = await vscode.window.showQuickPick(items, {
    canPickMany: true,
    title: t('Approvals of MCP tools'),
    placeHolder: t('Uncheck what is to be asked about again'),
    matchOnDescription: true,
  });
  if (!kept) return;
  for (const item of items) if (!kept.includes(item)) await policy.forget(item.rule);
}

function answerOf({ answer }: ApprovalRule): string {
  return { allow: t('Allowed'), ask: t('Always asked about'), deny: t('Denied') }[answer];
}

function scopeOf({ scope }: ApprovalRule): string {
  return { chat: t('in one chat'), workspace: t('in this workspace'), user: t('everywhere') }[scope];
}
