import { type HostError, messageOf, withOneStop } from '../base/errors';
import { type Phrase, type PhraseError, worded } from '../base/phrase';
import { verbatim } from './window';

type PhrasedError = Pick<HostError, 'phrases'>;

/** A phrase of `host` or of a `core/` in the person's language. */
export const localized = (phrase: Phrase | string): string => worded(phrase, verbatim);

/** The message of whatever was thrown, in the person's language and in one line of at most `maxLength` characters. */
export function errorText(error: unknown, maxLength?: number): string {
  const { phrases, phrase, server } = (error ?? {}) as Partial<HostError & PhraseError>;
  if (phrase !== undefined) return messageOf(localized(phrase), maxLength);
  if (phrases === undefined) return messageOf(error, maxLength);
  const sentence = verbatim(
    'MCP server "{0}" could not {1}: {2}.',
    server ?? '',
    localized(phrases.action),
    reasonText({ phrases }),
  );
  return messageOf([withOneStop(sentence), remedyText({ phrases })].filter(Boolean).join(' '), maxLength);
}

/** The reason alone, for a place that shows the server's name and the remedy beside it. */
export function summaryText(error: PhrasedError): string {
  return withOneStop(verbatim('Could not {0}: {1}.', localized(error.phrases.action), reasonText(error)));
}

/** Why, as a few words after a colon or in a row, without a final stop. */
export const reasonText = ({ phrases }: PhrasedError): string => localized(phrases.reason).replace(/[.。]$/, '');

export const remedyText = ({ phrases }: PhrasedError): string | undefined =>
  phrases.remedy && localized(phrases.remedy);
