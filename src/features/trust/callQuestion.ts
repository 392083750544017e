import { realPlace } from '../../base/filePlace';
import { canonicalJson } from '../../base/fingerprint';
import { indentedJson } from '../../base/json';
import type { Phrase } from '../../base/phrase';
import { exact, type PlainText, type RowText, visible, withoutIcons } from '../../base/text';
import { localized } from '../../editor/errorText';
import { type PlainRow, say, t, window } from '../../editor/window';
import { askDecision, askWhole, inQuestion } from '../review';
import type { ApprovalAnswer } from './core/approvals';
import { type ArgumentPart, argumentChoices, type ChoiceContext, ruleChoices } from './core/argumentChoices';
import { type ArgumentCondition, type ArgumentRule, EVERY, stepsOf } from './core/argumentRules';
import type { PinState } from './core/pins';
import type { AskApproval, CallToApprove, PersonsAnswer, WantedCall } from './core/toolCalls';

import vscode = require('vscode');

/**
 * Asks in a dialog whether a tool may be called, for calls from outside our own chat. Shows the exact arguments. What does
 * not fit into a dialog is shown and answered on a page, and so is what a caller waits for only so long: a dialog of the editor
 * cannot be ended. Closing it or waiting allows nothing.
 */
export class CallQuestion implements vscode.Disposable {
  readonly #over = new AbortController();

  readonly ask: AskApproval = async (call, pin) => {
    const { server, tool, args, app, because, until } = call;
    const name = visible(tool.name, 120);
    const question =
      app === undefined
        ? askedBy(call, name)
        : t('The app "{0}" asks: call {1} on MCP server "{2}"?', visible(app, 60), name, server.id);
    const json = indentedJson(args);
    const { text, isWhole } = inQuestion(json);
    const news = notesOf(pin, because);
    const possible = choices(pin === 'changed', app !== undefined, because !== undefined);
    const whole = {
      title: t('Call {0}?', visible(tool.name, 60)),
      question,
      notes: news,
      content: { json },
      allow: possible.filter(one => mayAllow(one)).map(([title]) => title),
      others: possible.filter(one => !mayAllow(one)).map(([title]) => title),
    };
    const over = AbortSignal.any([this.#over.signal, ...(until ? [until] : [])]);
    for (;;) {
      const title =
        isWhole && !until
          ? await askDecision(question, [...news, t('Arguments:'), text].join('\n\n'), whole)
          : await askWhole(whole, over);
      const choice = possible.find(([one]) => one === title)?.[1];
      if (until?.aborted) return void tellOfEnd(call, name);
      if (choice === 'review') return void review(call);
      const approval = choice === 'narrow' ? await narrowApproval(call) : undefined;
      // If the person closes the list of arguments, the question is asked again.
      if (choice === 'narrow' && !approval && !this.#over.signal.aborted) continue;
      const answer = choice === 'narrow' ? approval && { answer: 'allow' as const, ...approval } : choice;
      // Send what was shown, even if someone else changes the object.
      return answer?.answer === 'allow' && indentedJson(args) !== json ? undefined : answer;
    }
  };

  dispose(): void {
    this.#over.abort();
  }
}

/** A page that goes on its own would leave the person wondering. */
function tellOfEnd({ client, server }: CallToApprove, name: string): void {
  void window.showInformationMessage(
    t(
      '"{0}" no longer waits for your answer. {1} on MCP server "{2}" was not called.',
      client?.name ?? t('the chat of this window'),
      name,
      server.id,
    ),
  );
}

function askedBy({ client, origin, server }: WantedCall, name: string): PlainText {
  if (!client) return t('Call {0} on MCP server "{1}"?', name, server.id);
  const who = visible(client.name, 60);
  return origin === 'extension'
    ? t('The extension "{0}" asks: call {1} on MCP server "{2}"?', who, name, server.id)
    : t('The agent "{0}" asks: call {1} on MCP server "{2}"?', who, name, server.id);
}

type Choice = readonly [title: string, answer: PersonsAnswer | 'narrow' | 'review'];

const mayAllow = ([, answer]: Choice) => answer === 'narrow' || (answer !== 'review' && answer.answer === 'allow');

/** Opens the review of the change. The call is not made; it can be repeated after the review. */
function review({ server, tool: item }: WantedCall): void {
  void vscode.commands.executeCommand('mcpHost.reviewChanges', { server, kind: 'tools', item });
}

function choices(isChanged: boolean, isOfApp: boolean, isOnce: boolean): Choice[] {
  const lasting: Choice[] = [
    [t('Always Allow'), { answer: 'allow', scope: 'workspace' }],
    [t('Always Allow with Similar Arguments…'), 'narrow'],
  ];
  if (isOfApp) lasting.unshift([t('Allow While the App Is Open'), { answer: 'allow', whileOpen: true }]);
  return [
    [t('Allow Once'), { answer: 'allow' }],
    [t('Deny'), { answer: 'deny' }],
    ...(isChanged ? [[t('Review Change…'), 'review'] as const] : isOnce ? [] : lasting),
  ];
}

/** An approval for arguments like those of one call, as a person made it. */
export interface NarrowedApproval {
  readonly rule: ArgumentRule;
  readonly scope: 'chat' | 'workspace' | 'user';
}

/** Asks what each argument may be from now on, and where. Undefined: a list was closed, nothing is allowed. */
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
    { label: lastingAnswers('workspace').allow, scope: 'workspace' },
  ];
  if (server.definition.source.scope === 'user') rows.push({ label: lastingAnswers('user').allow, scope: 'user' });
  const chosen = await window.showQuickPick(rows, {
    title,
    placeHolder: t('Where should calls like this one be allowed?'),
    ignoreFocusOut: true,
  });
  return chosen && { rule, scope: chosen.scope };
}

/** The rows of answers that hold for later calls. */
export function lastingAnswers(scope: 'workspace' | 'user'): Record<ApprovalAnswer, PlainText> {
  return scope === 'workspace'
    ? {
        allow: t('Always allow in this workspace'),
        ask: t('Always ask in this workspace'),
        deny: t('Always deny in this workspace'),
      }
    : { allow: t('Always allow everywhere'), ask: t('Always ask everywhere'), deny: t('Always deny everywhere') };
}

/** Lets the person change what each argument may be. Undefined: nothing changes. */
export function editRule(title: PlainText, rule: ArgumentRule): Promise<ArgumentRule | undefined> {
  const nothingSecret = () => false;
  return askConditions(title, ruleChoices(rule, contextOf(true, nothingSecret)), rule);
}

export function ruleText(rule: ArgumentRule): string {
  if (rule.length === 0) return t('without arguments');
  return rule.map(condition => `${nameOf(condition.path)}: ${conditionText(condition)}`).join(' · ');
}

type Row = PlainRow & { part?: number };

/** A row for each argument, which changes what it may be. @param first what that is; undefined: to be chosen. */
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

/** What is new about a tool, and why its question overrides approvals. */
export function notesOf(pin: PinState, because: Phrase | undefined): string[] {
  const notes = because ? [localized(because)] : [];
  if (pin === 'new') return [t('This tool is new. It did not exist when you first used this server.'), ...notes];
  return pin === 'changed' ? [t('This tool has changed since you accepted it.'), ...notes] : notes;
}
