import type { ServerDefinition } from '../../host';
import type { LaunchReview } from '../../host/consent';
import { commandLine, isClearText, launchFields, shown } from '../../host/launchReview';
import type { DraftEntry } from '../../host/setup/draft';
import { plain } from '../../host/text';
import { fitsDialog } from '../trust/reviewDialog';
import type { ReviewDocuments } from '../trust/reviewDocuments';
import { describeLaunches } from '../trust/reviewText';
import { t, window } from '../window';

/** What a draft runs or reaches, on one line: for a row of a list. */
export function launchLineOf({ command, args, url }: DraftEntry): string {
  if (typeof command !== 'string') return shown(marked(String(url)));
  return commandLine(marked(command), Array.isArray(args) ? args.map(arg => marked(String(arg))) : []);
}

/** Variables as a review has them: marked by a NUL (`resolveForReview`), so that they are told from plain text. */
const marked = (text: string) =>
  text.replace(/(\$?)\$(\{[^{}]*\})/g, (_all, dollar: string, name: string) => (dollar ? `$${name}` : `\0${name}`));

/** All that would be launched, to the letter, with secrets masked. */
export function launchText(definitions: readonly ServerDefinition[], where: string): string {
  const reviews = definitions.flatMap((definition): LaunchReview[] => {
    const { reviewed, inputs, fromWorkspace } = definition;
    if (!reviewed) return [];
    const fields = launchFields(reviewed, inputs?.definitions ?? [], '');
    const clearText = reviewed.type !== 'stdio' && isClearText(reviewed.url);
    const scope = fromWorkspace ? 'workspace' : 'user';
    return [{ definition, reviewed, scope, fingerprint: '', fields, clearText, before: undefined, answer: undefined }];
  });
  return describeLaunches(reviews, () => where);
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
