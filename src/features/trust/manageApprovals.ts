import vscode = require('vscode');

import { type PlainText, rowText, visible, withoutIcons } from '../../base/text';
import { joined, type PlainRow, say, t, window } from '../../editor/window';
import { type ApprovalChanges, answerText, type RuleChange, scopeText } from './approvalChanges';
import { editRule, ruleText } from './callQuestion';
import type { ApprovalPolicy, ApprovalRule } from './core/approvals';

const DENY_SETTING = 'mcpHost.approvals.deny';

type Row = PlainRow & ({ rule: ApprovalRule } | { setting: true } | { other: OtherAnswer } | { rule?: undefined });

/** An answer that is not about a tool. It can be taken back. */
export interface OtherAnswer {
  readonly row: PlainRow;
  revoke(): Promise<void>;
  /** Asks for the agent's profile. Absent: there is nothing to choose from. */
  readonly chooseProfile?: (() => Promise<void>) | undefined;
}

interface Answers {
  readonly policy: Pick<ApprovalPolicy, 'rules' | 'asksAlways'>;
  readonly changes: ApprovalChanges;
  /** Answers about extensions and agents. */
  readonly clients: () => readonly OtherAnswer[];
}

/** The checked rows of the list. */
interface Checked {
  readonly places: readonly ApprovalRule[];
  readonly others: readonly OtherAnswer[];
  /** The action chosen on a row instead. */
  readonly run?: OtherAnswer['chooseProfile'];
}

const CHANGE: vscode.QuickInputButton = { iconPath: new vscode.ThemeIcon('edit'), tooltip: t('Change…') };
const REVOKE: vscode.QuickInputButton = { iconPath: new vscode.ThemeIcon('trash'), tooltip: t('Revoke') };
const PROFILE: vscode.QuickInputButton = {
  iconPath: new vscode.ThemeIcon('list-filter'),
  tooltip: t('Choose Profile…'),
};
const SETTING: vscode.QuickInputButton = { iconPath: new vscode.ThemeIcon('gear'), tooltip: t('Open the Setting') };

/** Lists every remembered answer, and what settings deny. All checked ones are changed together. */
export async function manageApprovals(answers: Answers): Promise<void> {
  if (rowsOf(answers).length === 0) {
    void window.showInformationMessage(t('No tools are approved or denied. You are asked before each call.'));
    return;
  }
  const chosen = await pick(answers);
  if (chosen === 'setting') await vscode.commands.executeCommand('workbench.action.openSettings', DENY_SETTING);
  else if (chosen.run) await chosen.run();
  else if (chosen.others.length > 0) await revoke(chosen, answers);
  else if (chosen.places.length > 0) await change(chosen.places, answers.changes);
}

async function pick(answers: Answers): Promise<Checked | 'setting'> {
  const list = window.createQuickPick<Row>();
  list.canSelectMany = true;
  list.title = t('MCP tool approvals');
  list.placeholder = answers.policy.asksAlways
    ? t('Your organization wants you to be asked about each call: approvals have no effect')
    : t('Select the approvals to change or revoke');
  list.matchOnDescription = true;
  list.matchOnDetail = true;
  list.items = rowsOf(answers);
  const { changes } = answers;
  try {
    return await new Promise(resolve => {
      list.onDidAccept(() => {
        const checked = list.selectedItems;
        const places = checked.flatMap(row => ('rule' in row && row.rule ? [row.rule] : []));
        const others = checked.flatMap(row => ('other' in row ? [row.other] : []));
        const onlySetting = places.length + others.length === 0 && checked.length > 0;
        resolve(onlySetting ? 'setting' : { places, others });
      });
      list.onDidTriggerItemButton(({ item, button }) => {
        const again = () => (list.items = rowsOf(answers));
        if (button === SETTING) resolve('setting');
        else if ('other' in item && button === PROFILE)
          resolve({ places: [], others: [], run: item.other.chooseProfile });
        else if ('other' in item) void item.other.revoke().then(again);
        else if (!('rule' in item) || !item.rule) return;
        else if (button === CHANGE) resolve({ places: [item.rule], others: [] });
        else void changes.apply(item.rule, 'forget').then(again);
      });
      list.onDidHide(() => resolve({ places: [], others: [] }));
      list.show();
    });
  } finally {
    list.dispose();
  }
}

/** Answers about extensions and agents can only be revoked: they ask again. */
async function revoke({ places, others }: Checked, { changes }: Answers): Promise<void> {
  const title = t('{0} approvals', places.length + others.length);
  const placeHolder = t('What should apply from now on?');
  if (!(await window.showQuickPick([{ label: changeText('forget') }], { title, placeHolder }))) return;
  for (const other of others) await other.revoke();
  for (const place of places) await changes.apply(place, 'forget');
}

/** Asks for the new answer. Without one, everything stays as it was. */
async function change(places: readonly ApprovalRule[], changes: ApprovalChanges): Promise<void> {
  const [only] = places.length === 1 ? places : [];
  const rule = only?.arguments;
  const edit = { label: t('Change the allowed arguments…'), to: 'arguments' } as const;
  const answers = changes.possible(places).map(to => ({ label: changeText(to), to }));
  const title = only
    ? say`${visible(only.toolName, 100)} · ${visible(only.serverId, 100)} · ${scopeText(only.scope)}`
    : t('{0} approvals', places.length);
  const rows = rule ? [edit, ...answers] : answers;
  const chosen = await window.showQuickPick(rows, { title, placeHolder: t('What should apply from now on?') });
  if (!chosen) return;
  if (chosen.to !== 'arguments') for (const place of places) await changes.apply(place, chosen.to);
  else if (only && rule) {
    const edited = await editRule(title, rule);
    if (edited) await changes.narrow(only, edited);
  }
}

function changeText(change: RuleChange): PlainText {
  return {
    allow: t('Allow while the tool is unchanged'),
    ask: t('Ask before every call'),
    deny: t('Deny'),
    forget: t('Revoke'),
  }[change];
}

function rowsOf({ policy, changes, clients }: Answers): Row[] {
  const kept = policy.rules.map((rule): Row => {
    const forArguments = rule.arguments && withoutIcons(ruleText(rule.arguments));
    const about = joined([forArguments, currency(rule, changes)], ' · ');
    return {
      label: rowText(rule.toolName, 100),
      description: say`${visible(rule.serverId, 100)} · ${rule.arguments ? t('allowed for certain arguments') : answerText(rule.answer)} ${scopeText(rule.scope)}`,
      ...(about && { detail: about }),
      buttons: [CHANGE, REVOKE],
      rule,
    };
  });
  const denials = denied().map(
    (pattern): Row => ({
      label: rowText(pattern, 100),
      description: t('denied by your settings'),
      buttons: [SETTING],
      setting: true,
    }),
  );
  const title: Row = { label: rowText(DENY_SETTING), kind: vscode.QuickPickItemKind.Separator };
  const others = clients().map(
    (other): Row => ({
      ...other.row,
      buttons: other.chooseProfile ? [PROFILE, REVOKE] : [REVOKE],
      other,
    }),
  );
  const users: Row = { label: t('Extensions and agents'), kind: vscode.QuickPickItemKind.Separator };
  return [
    ...kept,
    ...(denials.length > 0 ? [title, ...denials] : []),
    ...(others.length > 0 ? [users, ...others] : []),
  ];
}

function currency(rule: ApprovalRule, changes: ApprovalChanges): PlainText | undefined {
  if (rule.answer !== 'allow') return undefined;
  const isCurrent = changes.isCurrent(rule);
  if (isCurrent === undefined) return t('The server does not offer this tool now.');
  return isCurrent
    ? t('The tool has not changed since it was approved.')
    : t('Outdated: the tool has changed since you approved it, so you are asked before each call.');
}

function denied(): string[] {
  const deny: unknown = vscode.workspace.getConfiguration().get(DENY_SETTING);
  return Array.isArray(deny) ? deny.filter(pattern => typeof pattern === 'string') : [];
}
