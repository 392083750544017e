import vscode = require('vscode');

import { type HostError, messageOf } from '../base/errors';
import { type Phrase, type PhraseError, worded } from '../base/phrase';

const { l10n } = vscode;
const { t } = vscode.l10n;

/** A phrase of `host` or of a `core/` in the person's language. */
export function localized(phrase: Phrase | string): string {
  return worded(phrase, (text, ...values) => l10n.t(text, ...values));
}

/** What a person is told of whatever was thrown. Errors come from programs that have their own copy of the classes. */
export function errorText(error: unknown): string {
  const { phrases, phrase } = (error ?? {}) as Partial<HostError & PhraseError>;
  if (phrase !== undefined) return localized(phrase);
  if (phrases === undefined) return messageOf(error);
  const { server } = error as HostError;
  const sentence = t(
    'MCP server "{0}" could not {1}: {2}.',
    server,
    localized(phrases.action),
    localized(phrases.reason),
  );
  return [sentence, phrases.remedy && localized(phrases.remedy)].filter(Boolean).join(' ');
}

/** What happened, for a place that shows the server's name and the remedy beside it. */
export function summaryText({ phrases: { action, reason } }: HostError): string {
  return t('Could not {0}: {1}.', localized(action), localized(reason));
}

/** Why, as a few words after a colon or in a row. */
export const reasonText = ({ phrases }: HostError): string => localized(phrases.reason);

/** What the person can do about it. */
export const remedyText = ({ phrases }: HostError): string | undefined => phrases.remedy && localized(phrases.remedy);
