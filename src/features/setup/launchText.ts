import { exact } from '../../base/text';
import { t, window } from '../../editor/window';
import { commandLine, isClearText, launchFields, type ServerDefinition, shown } from '../../host';
import { askWhole, describeLaunches, fitsDialog, type LaunchReview } from '../trust';
import { type DraftEntry, mapTexts, marked } from './core/draft';
import type { SettingsAddition } from './core/plan';

/** What a draft runs or reaches, on one line: for a row of a list. */
export function launchLineOf({ command, args, url }: DraftEntry): string {
  if (typeof command !== 'string') return shown(marked(String(url)));
  return commandLine(marked(command), Array.isArray(args) ? args.map(arg => marked(String(arg))) : []);
}

/**
 * All that would be launched, to the letter; of values only secrets are masked (`shownVariable`).
 * @param brought values of inputs, by id, that came with it: whoever wrote them has a part in what is launched, so they are
 * shown in their place like all the rest.
 * @param added the inputs that come with it. All others are in settings already, where they may have a value: whoever wrote
 * the text would get it.
 */
export function launchText(
  definitions: readonly ServerDefinition[],
  where: string,
  brought: ReadonlyMap<string, string>,
  added: SettingsAddition['inputs'],
): string {
  const reviews = definitions.flatMap((definition): LaunchReview[] => {
    const { inputs, fromWorkspace } = definition;
    if (!definition.reviewed) return [];
    const reviewed = mapTexts(definition.reviewed, text =>
      text.replace(/\0\{input:([^{}]*)\}/g, (reference, id: string) => brought.get(id) ?? reference),
    );
    const asked = inputs?.definitions.filter(({ id }) => !brought.has(id)) ?? [];
    const fields = launchFields(reviewed, asked, '');
    const clearText = reviewed.type !== 'stdio' && isClearText(reviewed.url);
    const shownDefinition = { ...definition, inputs: { definitions: asked, places: [] } };
    const scope = fromWorkspace ? 'workspace' : 'user';
    const none = { fingerprint: '', before: undefined, answer: undefined };
    return [{ definition: shownDefinition, reviewed, scope, fields, clearText, ...none }];
  });
  const known = new Set(added.map(({ id }) => id));
  const named = definitions.flatMap(({ inputs }) => inputs?.definitions.map(({ id }) => id) ?? []);
  const shared = [...new Set(named)].filter(id => !known.has(id)).map(id => `"${exact(id)}"`);
  return [
    describeLaunches(reviews, () => where),
    ...(shared.length > 0
      ? [`⚠ ${t('Gets the values that you have saved for these inputs: {0}', shared.join(', '))}`]
      : []),
    ...(brought.size > 0 ? [t('Secrets go to the secret storage, not into settings.')] : []),
  ].join('\n\n');
}

/**
 * Asks about something that is to be launched, with all of it in sight: in the dialog, or where that is too long, on a page
 * that no setting of a workspace changes, at whose end it can be allowed. Undefined: cancelled.
 */
export async function askAboutLaunch(
  question: string,
  text: string,
  buttons: readonly string[],
): Promise<string | undefined> {
  if (fitsDialog(text)) {
    return window.showInformationMessage(question, { modal: true, detail: text }, ...buttons);
  }
  return askWhole({
    title: t('MCP servers'),
    question,
    content: { text },
    buttons: buttons.map(title => ({ answer: title, title, allows: true })),
  });
}
