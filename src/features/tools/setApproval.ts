import vscode = require('vscode');

import { type PlainText, visible } from '../../base/text';
import { type PlainRow, say, t, window } from '../../editor/window';
import type { ServerConnection, ServerSet } from '../../host';
import {
  type ApprovalChanges,
  type ApprovalRule,
  answerText,
  narrowApproval,
  type RuleChange,
  ruleText,
  scopeText,
} from '../trust';
import { chooseTool, type ToolTarget, titleOf, toolOfRow } from './chooseTool';

type Scope = 'workspace' | 'user';
type Row = PlainRow & { scope?: Scope; to?: RuleChange; narrow?: boolean };

interface ApprovalServices {
  readonly servers: ServerSet;
  readonly rules: readonly ApprovalRule[];
  readonly changes: ApprovalChanges;
  /** The arguments of the person's last call of a tool. */
  readonly lastArguments: (target: ToolTarget) => Record<string, unknown> | undefined;
}

/**
 * Asks how to treat calls of one tool, here or everywhere. Without an answer, nothing changes.
 * @param argument its row, or that of its server: the person chooses then.
 */
export async function setApproval(services: ApprovalServices, argument: unknown): Promise<void> {
  const { servers, rules, changes } = services;
  const placeHolder = t('Select a tool to set its approval');
  const target = toolOfRow(argument) ?? (await chooseTool(servers, argument, placeHolder, t('Approval')));
  if (!target) return;
  const { server, tool } = target;
  const lastArguments = services.lastArguments(target);
  const ofTool = rules.filter(({ serverId, toolName }) => serverId === server.id && toolName === tool.name);
  const place = { serverId: server.id, toolName: tool.name };
  const canNarrow = lastArguments && changes.possible([{ ...place, scope: 'workspace' }]).includes('allow');
  const rows: Row[] = (['workspace', 'user'] as const).flatMap(scope => {
    const kept = ofTool.find(rule => rule.scope === scope);
    const now = kept?.arguments ? 'narrowed' : kept?.answer;
    const possible = changes.possible([{ ...place, scope }]).filter(to => to !== 'forget' || now !== undefined);
    return [separator(scope), ...possible.map(to => rowOf(scope, to, now))];
  });
  if (canNarrow) {
    const label = t('Always allow with arguments similar to the last run…');
    rows.push({ label: t('For certain arguments'), kind: vscode.QuickPickItemKind.Separator }, { label, narrow: true });
  }
  const chosen = await window.showQuickPick(rows, {
    title: say`${titleOf(tool)} · ${visible(server.name, 100)}`,
    placeHolder: t('What should happen when a model calls this tool?'),
  });
  if (chosen?.narrow && lastArguments) {
    const narrowed = await narrowApproval({ server, tool, args: lastArguments });
    if (!narrowed) return;
    await changes.apply({ ...place, scope: narrowed.scope }, 'allow', narrowed.rule);
    const done = say`${visible(tool.name, 60)} · ${visible(ruleText(narrowed.rule), 150)} (${scopeText(narrowed.scope)})`;
    window.setStatusBarMessage(done, 5_000);
    return;
  }
  if (!chosen?.scope || !chosen.to) return;
  await changes.apply({ ...place, scope: chosen.scope }, chosen.to);
  window.setStatusBarMessage(doneText(server, tool.name, chosen.scope, chosen.to), 5_000);
}

const separator = (scope: Scope): Row => ({
  label: scope === 'user' ? t('Everywhere') : t('In this workspace'),
  kind: vscode.QuickPickItemKind.Separator,
});

function rowOf(scope: Scope, to: RuleChange, now: RuleChange | 'narrowed' | undefined): Row {
  const label = {
    workspace: {
      allow: t('Always allow in this workspace'),
      ask: t('Always ask in this workspace'),
      deny: t('Always deny in this workspace'),
      forget: t('Forget the answer for this workspace'),
    },
    user: {
      allow: t('Always allow everywhere'),
      ask: t('Always ask everywhere'),
      deny: t('Always deny everywhere'),
      forget: t('Forget the answer for all workspaces'),
    },
  }[scope][to];
  return { label, scope, to, ...(to === now && { description: t('now') }) };
}

function doneText({ name }: ServerConnection, tool: string, scope: Scope, to: RuleChange): PlainText {
  const what = to === 'forget' ? t('no saved answer') : answerText(to);
  return say`${visible(tool, 60)} · ${visible(name, 60)}: ${what} (${scopeText(scope)})`;
}
