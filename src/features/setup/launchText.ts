import { exact } from '../../base/text';
import { t, window } from '../../editor/window';
import type { ServerDefinition } from '../../host/definition';
import { commandLine, isClearText, launchFields, shown } from '../../host/launch';
import { askWhole, describeLaunches, fitsDialog, type LaunchReview, wantedRoots } from '../trust';
import type { SettingsAddition } from './core/planAddition';
import { type DraftEntry, mapTexts, marked } from './core/serverDraft';

/** The launch or address of a draft on one line, for a row of a list. */
export function launchLineOf({ command, args, url }: DraftEntry): string {
  if (typeof command !== 'string') return shown(marked(String(url)));
  return commandLine(marked(command), Array.isArray(args) ? args.map(arg => marked(String(arg))) : []);
}

/**
 * Everything that would be launched, literally; only secret values are masked (`shownVariable`).
 * @param brought values of inputs, by id, that came with the draft: their author influences what is launched, so they are shown
 * in place like everything else.
 * @param added the inputs that come with the draft. All others are in settings already and may have a value, which the author
 * of the draft would get.
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
    const none = { fingerprint: '', newRoots: [], packages: {}, newPackages: [], before: undefined, answer: undefined };
    return [{ definition: shownDefinition, reviewed, scope, fields, roots: wantedRoots(reviewed), clearText, ...none }];
  });
  const known = new Set(added.map(({ id }) => id));
  const named = definitions.flatMap(({ inputs }) => inputs?.definitions.map(({ id }) => id) ?? []);
  const shared = [...new Set(named)].filter(id => !known.has(id)).map(id => `"${exact(id)}"`);
  return [
    describeLaunches(reviews, () => where, { isNamed: true }),
    ...(shared.length > 0
      ? [`⚠ ${t('Receives the values you have saved for these inputs: {0}', shared.join(', '))}`]
      : []),
    ...(brought.size > 0 ? [t('Secrets are kept in secret storage, not in settings.')] : []),
  ].join('\n\n');
}

/**
 * Asks about something that is to be launched and shows all of it: in the dialog, or, if that is too long, on a page that
 * workspace settings cannot affect and that allows it only at its end. Undefined: cancelled.
 * @param buttons those that allow it.
 * @param others those that do not.
 */
export async function askAboutLaunch(
  question: string,
  text: string,
  buttons: readonly string[],
  ...others: readonly string[]
): Promise<string | undefined> {
  if (fitsDialog(text)) {
    return window.showInformationMessage(question, { modal: true, detail: text }, ...buttons, ...others);
  }
  return askWhole({
    title: t('MCP servers'),
    question,
    content: { text },
    buttons: [...buttons, ...others].map(title => ({ answer: title, title, allows: buttons.includes(title) })),
  });
}
