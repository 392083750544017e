import * as vscode from 'vscode';

const { t } = vscode.l10n;

/** What a person may say to a question in chat. */
const ALLOWING = ['once', 'chat', 'always', 'everywhere'] as const;
const ANSWERS = [...ALLOWING, 'never', 'neverAnywhere', 'edit', 'deny'] as const;
export type Answer = (typeof ANSWERS)[number];

export const isAnswer = (said: unknown): said is Answer => ANSWERS.includes(said as Answer);

/** Whether the call is made with the arguments that the question has shown. */
export const allows = (answer: Answer): boolean => ALLOWING.some(allowing => allowing === answer);

/** The buttons of a question: what is said most. The last one leads to `rarerAnswer`. */
export const BUTTONS = (): [Answer | 'more', string][] => [
  ['once', t('Allow once')],
  ['chat', t('Allow in this chat')],
  ['always', t('Always allow')],
  ['edit', t('Edit arguments…')],
  ['deny', t('Deny')],
  ['more', t('More…')],
];

/** Those of a question that can't show all of the arguments: the page that does has the others. */
export const LONG_BUTTONS = (): [Answer | 'showAll', string][] => [
  ['showAll', t('Show all arguments')],
  ['edit', t('Edit arguments…')],
  ['deny', t('Deny')],
];

/**
 * Asks for one of the answers that have no button. Undefined: the list was closed, and the question is as open as before.
 * @param mayAllow whether the server is the person's own: one that a workspace brings is never allowed everywhere.
 */
export async function rarerAnswer(title: string, mayAllow: boolean): Promise<Answer | undefined> {
  const rows: (vscode.QuickPickItem & { answer: Answer })[] = [
    { label: t('Always deny in this workspace'), iconPath: new vscode.ThemeIcon('circle-slash'), answer: 'never' },
    { label: t('Always deny everywhere'), iconPath: new vscode.ThemeIcon('circle-slash'), answer: 'neverAnywhere' },
  ];
  if (mayAllow) {
    const detail = t('As long as the tool stays as it is. "Manage Approvals" takes it back.');
    const label = t('Always allow everywhere');
    // Last: Enter alone is never to allow everything.
    rows.push({ label, detail, iconPath: new vscode.ThemeIcon('check-all'), answer: 'everywhere' });
  }
  return (await vscode.window.showQuickPick(rows, { title }))?.answer;
}
