import vscode = require('vscode');

import type { PlainText } from '../../base/text';
import { type PlainRow, t, window } from '../../editor/window';

/** The answers that a person can give in chat. */
const ALLOWING = ['once', 'chat', 'always', 'everywhere'] as const;
const ANSWERS = [...ALLOWING, 'never', 'neverAnywhere', 'edit', 'deny'] as const;
export type Answer = (typeof ANSWERS)[number];

export const isAnswer = (said: unknown): said is Answer => ANSWERS.includes(said as Answer);

/** Whether the call is made with the arguments that the question has shown. */
export const allows = (answer: Answer): boolean => ALLOWING.some(allowing => allowing === answer);

/** Whether later calls are made unasked. */
export const keeps = (answer: Answer): boolean => allows(answer) && answer !== 'once';

/** The buttons of a question: the most common answers. The last one leads to `rarerAnswer`. */
export const BUTTONS = (): [Answer | 'more', string][] => [
  ['once', t('Allow once')],
  ['chat', t('Allow in this chat')],
  ['always', t('Always allow')],
  ['edit', t('Edit arguments…')],
  ['deny', t('Deny')],
  ['more', t('More…')],
];

/** The buttons for a tool that has changed: one call can be allowed, and no more until the change is reviewed. */
export const CHANGED_BUTTONS = (): [Answer | 'review', string][] => [
  ['review', t('Review Change…')],
  ['once', t('Allow once')],
  ['edit', t('Edit arguments…')],
  ['deny', t('Deny')],
];

/** The buttons of a question that can't show all of the arguments; the page that does has the others. */
export const LONG_BUTTONS = (): [Answer | 'showAll', string][] => [
  ['showAll', t('Show all arguments')],
  ['edit', t('Edit arguments…')],
  ['deny', t('Deny')],
];

/**
 * Asks for one of the answers that have no button. Undefined: the list was closed, and the question stays open.
 * @param mayAllow whether the server is the person's own: one that a workspace brings is never allowed everywhere.
 */
export async function rarerAnswer(title: PlainText, mayAllow: boolean): Promise<Answer | 'narrow' | undefined> {
  const rows: (PlainRow & { answer: Answer | 'narrow' })[] = [
    {
      label: t('Always allow with similar arguments…'),
      detail: t('Choose a folder, host or value for each argument. You are asked about other calls.'),
      iconPath: new vscode.ThemeIcon('filter'),
      answer: 'narrow',
    },
    { label: t('Always deny in this workspace'), iconPath: new vscode.ThemeIcon('circle-slash'), answer: 'never' },
    { label: t('Always deny everywhere'), iconPath: new vscode.ThemeIcon('circle-slash'), answer: 'neverAnywhere' },
  ];
  if (mayAllow) {
    const detail = t('As long as the tool does not change. To undo it, use "Manage Approvals".');
    const label = t('Always allow everywhere');
    // Last, so that Enter alone never allows everything.
    rows.push({ label, detail, iconPath: new vscode.ThemeIcon('check-all'), answer: 'everywhere' });
  }
  return (await window.showQuickPick(rows, { title }))?.answer;
}
