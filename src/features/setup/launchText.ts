import { plain } from '../../base/text';
import { t, window } from '../../editor/window';
import type { ServerDefinition } from '../../host';
import { commandLine, isClearText, launchFields, shown } from '../../host';
import type { LaunchReview, ReviewDocuments } from '../trust';
import { describeLaunches, fitsDialog } from '../trust';
import { type DraftEntry, mapTexts, marked } from './core/draft';

/** What a draft runs or reaches, on one line: for a row of a list. */
export function launchLineOf({ command, args, url }: DraftEntry): string {
  if (typeof command !== 'string') return shown(marked(String(url)));
  return commandLine(marked(command), Array.isArray(args) ? args.map(arg => marked(String(arg))) : []);
}

/**
 * All that would be launched, to the letter; of values only secrets are masked (`shownVariable`).
 * @param brought values of inputs, by id, that came with it: whoever wrote them has a part in what is launched, so they are
 * shown in their place like all the rest.
 */
export function launchText(
  definitions: readonly ServerDefinition[],
  where: string,
  brought: ReadonlyMap<string, string>,
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
  const text = describeLaunches(reviews, () => where);
  return brought.size > 0 ? `${text}\n\n${t('Secrets go to the secret storage, not into settings.')}` : text;
}

/**
 * Asks about something that is to be launched, with all of it in sight: in the dialog, or in a document where that is too
 * long. Undefined: cancelled.
 */
export async function askAboutLaunch(
  question: string,
  text: string,
  buttons: readonly string[],
  documents: ReviewDocuments,
): Promise<string | undefined> {
  if (fitsDialog(text)) {
    return window.showInformationMessage(question, { modal: true, detail: text }, ...buttons);
  }
  await documents.show(t('MCP server.txt'), `${question}\n\n${text}\n`);
  return window.showQuickPick(buttons.map(plain), { title: plain(question), ignoreFocusOut: true });
}
