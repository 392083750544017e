import vscode = require('vscode');

import { realPlace } from '../../base/filePlace';
import { canonicalJson } from '../../base/fingerprint';
import { exact, type PlainText, type RowText, withoutIcons } from '../../base/text';
import { type PlainRow, say, t, window } from '../../editor/window';
import { type ArgumentPart, argumentChoices, type ChoiceContext, ruleChoices } from './core/argumentChoices';
import { type ArgumentCondition, type ArgumentRule, EVERY, stepsOf } from './core/argumentRules';
import type { WantedCall } from './core/toolCalls';

/** An approval for arguments like those of one call, as a person made it. */
export interface NarrowedApproval {
  readonly rule: ArgumentRule;
  readonly scope: 'chat' | 'workspace' | 'user';
}

/**
 * Asks what each argument of a call may be from now on, and where that applies. Undefined: a list was closed, and nothing is
 * allowed.
 */
export async function narrowApproval(call: Omit<WantedCall, 'origin'>): Promise<NarrowedApproval | undefined> {
  const { server, tool, args, chat } = call;
  const title = say`${exact(tool.name).slice(0, 100)} · ${server.id}`;
  const isLocal = server.definition.entry?.type === 'stdio';
  const parts = argumentChoices(
    args,
    contextOf(isLocal, text => server.redact(text) !== text),
  );
  // If there is nothing narrower than "any value", that must be chosen deliberately, not overlooked.
  const narrowest = parts.map(({ choices: [first] }) => (first?.is === 'any' ? undefined : first));
  const rule = await askConditions(title, parts, narrowest);
  if (!rule) return undefined;
  const rows: (PlainRow & { scope: NarrowedApproval['scope'] })[] = [
    ...(chat === undefined ? [] : [{ label: t('Always allow in this chat'), scope: 'chat' as const }]),
    { label: t('Always allow in this workspace'), scope: 'workspace' },
  ];
  if (server.definition.source.scope === 'user') rows.push({ label: t('Always allow everywhere'), scope: 'user' });
  const chosen = await window.showQuickPick(rows, {
    title,
    placeHolder: t('Where should calls like this one be allowed?'),
    ignoreFocusOut: true,
  });
  return chosen && { rule, scope: chosen.scope };
}

/** Lets the person change what each argument may be. Undefined: nothing changes. */
export function editRule(title: PlainText, rule: ArgumentRule): Promise<ArgumentRule | undefined> {
  const nothingSecret = () => false;
  return askConditions(title, ruleChoices(rule, contextOf(true, nothingSecret)), rule);
}

/** A rule in words, on one line. */
export function ruleText(rule: ArgumentRule): string {
  if (rule.length === 0) return t('without arguments');
  return rule.map(condition => `${nameOf(condition.path)}: ${conditionText(condition)}`).join(' · ');
}

type Row = PlainRow & { part?: number };

/**
 * One row for each argument, with what it may be. Choosing a row changes that.
 * @param first what each may be initially; if undefined, the person has to choose.
 */
async function askConditions(
  title: PlainText,
  parts: readonly ArgumentPart[],
  first: readonly (ArgumentCondition | undefined)[],
): Promise<ArgumentRule | undefined> {
  const chosen = [...first];
  for (;;) {
    const rule = chosen.filter(condition => condition !== undefined);
    const isWhole = rule.length === parts.length;
    const rows: Row[] = parts.map(({ path }, part) => {
      const condition = chosen[part];
      const may = condition ? conditionText(condition) : say`⚠ ${t('choose the allowed values')}`;
      return { label: nameOf(path), detail: may, iconPath: new vscode.ThemeIcon('edit'), part };
    });
    const go: Row = {
      label: t('Continue'),
      detail:
        parts.length === 0 ? t('Only calls without arguments are allowed.') : t('You are asked about other calls.'),
      iconPath: new vscode.ThemeIcon('check'),
    };
    const picked = await window.showQuickPick(isWhole ? [...rows, go] : rows, {
      title,
      placeHolder: t('Always allow calls with these arguments. Select one to change its allowed values'),
      ignoreFocusOut: true,
    });
    if (!picked) return undefined;
    if (picked.part === undefined) return rule;
    const part = parts[picked.part]!;
    chosen[picked.part] = (await askCondition(title, part)) ?? chosen[picked.part];
  }
}

async function askCondition(title: PlainText, { path, choices }: ArgumentPart): Promise<ArgumentCondition | undefined> {
  const rows = choices.map(condition => ({ label: conditionText(condition), condition }));
  const placeHolder = t('Allowed values for {0}', nameOf(path));
  return (await window.showQuickPick(rows, { title, placeHolder, ignoreFocusOut: true }))?.condition;
}

function conditionText(condition: ArgumentCondition): PlainText {
  const every = stepsOf(condition.path).at(-1) === EVERY;
  switch (condition.is) {
    case 'any':
      return t('any value');
    case 'equals':
      return t('exactly {0}', exact(canonicalJson(condition.value)));
    case 'below':
      return every ? t('each in {0}', exact(condition.folder)) : t('in {0}', exact(condition.folder));
    case 'host': {
      const hosts = condition.hosts.map(exact).join(', ');
      return every ? t('each on {0}', hosts) : t('on {0}', hosts);
    }
  }
}

/** `options.path`, with what can't be seen shown. */
function nameOf(pointer: string): RowText {
  const steps = stepsOf(pointer).filter(step => step !== EVERY);
  return withoutIcons(exact(steps.join('.')));
}

function contextOf(isLocal: boolean, isSecret: ChoiceContext['isSecret']): ChoiceContext {
  const open = (vscode.workspace.workspaceFolders ?? []).filter(({ uri }) => uri.scheme === 'file');
  const folders = open.map(({ uri }) => realPlace(uri.fsPath)).filter(folder => folder !== undefined);
  return { folders, isLocal, isSecret };
}
