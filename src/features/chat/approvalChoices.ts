import vscode = require('vscode');

import type { PlainText } from '../../base/text';
import { type PlainRow, t, verbatim, window } from '../../editor/window';
import { type PersonsAnswer, ruleText } from '../trust';

/** The meaning of each answer to a question in chat. */
export const ANSWERED = {
  once: { answer: 'allow' },
  chat: { answer: 'allow', scope: 'chat' },
  always: { answer: 'allow', scope: 'workspace' },
  everywhere: { answer: 'allow', scope: 'user' },
  deny: { answer: 'deny' },
  never: { answer: 'deny', scope: 'workspace' },
  neverAnywhere: { answer: 'deny', scope: 'user' },
} as const satisfies Record<string, PersonsAnswer>;

/** The answers that a person can give in chat. After `edit` the call is made with other arguments, or asked about again. */
export type Answer = keyof typeof ANSWERED | 'edit';

export const isAnswer = (said: unknown): said is Answer =>
  said === 'edit' || (typeof said === 'string' && Object.hasOwn(ANSWERED, said));

/** Whether the call is made with the arguments that the question has shown. */
export const allows = (answer: Answer): boolean => answer !== 'edit' && ANSWERED[answer].answer === 'allow';

/** Whether later calls are made without a question. */
export const keeps = (answer: Answer): boolean => allows(answer) && answer !== 'once';

/** The answers to a question. The last one leads to `rarerAnswer`. */
export const BUTTONS = (): [Answer | 'more', title: string, tooltip?: string][] => [
  ['once', t('Allow')],
  ['deny', t('Deny')],
  ['more', t('More…'), t('More answers to this question')],
];

/** The answers for a tool that has changed: one call can be allowed, and no more until the change is reviewed. */
export const CHANGED_BUTTONS = (): [Answer | 'review' | 'more', title: string, tooltip?: string][] => [
  ['review', t('Review Change…')],
  ...BUTTONS(),
];

/** The answers to a question that can't show all of the arguments; the page that does has the others. */
export const LONG_BUTTONS = (): [Answer | 'showAll' | 'more', title: string, tooltip?: string][] => [
  ['showAll', t('Show All Arguments')],
  ['deny', t('Deny')],
  ['more', t('More…'), t('More answers to this question')],
];

/** Which answers a question permits. */
interface Answerable {
  /** Whether all of the arguments are shown, so that they can be allowed. */
  readonly mayAllow: boolean;
  /** Whether later calls can be allowed too. Not before a change of the tool was reviewed, nor where each call is asked about. */
  readonly mayKeep: boolean;
  /** Whether the server is the person's own: one that a workspace brings is never allowed everywhere. */
  readonly isOwn: boolean;
}

/** Asks for one of the answers that have no button. Undefined: the list was closed, and the question stays open. */
export async function rarerAnswer(title: PlainText, may: Answerable): Promise<Answer | 'narrow' | undefined> {
  type Row = PlainRow & { answer: Answer | 'narrow' };
  const row = (answer: Row['answer'], icon: string, label: PlainRow['label'], detail?: PlainRow['detail']): Row => ({
    answer,
    label,
    iconPath: new vscode.ThemeIcon(icon),
    ...(detail !== undefined && { detail }),
  });
  const keeping = [
    row('chat', 'comment-discussion', t('Allow in this chat')),
    row('always', 'check', t('Always allow in this workspace'), t('As long as the tool does not change.')),
    row(
      'narrow',
      'filter',
      t('Always allow with similar arguments…'),
      t('Choose a folder, host or value for each argument. You are asked about other calls.'),
    ),
  ];
  const detail = t('As long as the tool does not change. To undo it, use "Manage Approvals".');
  const rows = [
    row('edit', 'edit', t('Edit arguments…')),
    ...(may.mayAllow && may.mayKeep ? keeping : []),
    row('never', 'circle-slash', t('Always deny in this workspace')),
    row('neverAnywhere', 'circle-slash', t('Always deny everywhere')),
    // Last, so that Enter alone never allows everything.
    ...(may.mayAllow && may.mayKeep && may.isOwn
      ? [row('everywhere', 'check-all', t('Always allow everywhere'), detail)]
      : []),
  ];
  return (await window.showQuickPick(rows, { title }))?.answer;
}

/** The person's decision, for the line about a call. */
export function decisionText(said: PersonsAnswer): string {
  const { scope } = said;
  if (said.answer === 'deny') {
    if (scope === 'user') return t('always denied everywhere');
    return scope ? t('always denied in this workspace') : t('denied');
  }
  if (said.rule) return verbatim('always allowed with similar arguments: {0}', ruleText(said.rule));
  if (scope === 'user') return t('always allowed everywhere');
  if (scope === 'workspace') return t('always allowed in this workspace');
  if (scope === 'chat') return t('allowed in this chat');
  return said.args ? t('edited and allowed') : t('allowed once');
}
