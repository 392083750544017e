/**
 * A sentence of ours, or a part of one, that a person may read: English text with `{0}`, `{1}` and so on for values. The text is
 * at the same time the key of its translations in l10n/, so that the editor side can put it into the person's language
 * (`src/editor/errorText.ts`), while logs, servers and models get the English. Nothing may be decided by what it says: that is
 * what codes are for.
 */
export interface Phrase {
  readonly text: string;
  /** A `Phrase` is translated too; a string comes from elsewhere and stays unchanged. */
  readonly values: readonly (string | number | Phrase)[];
}

/** @param text always a string literal: the bundles of translations are checked against the sources. */
export function phrase(text: string, ...values: Phrase['values']): Phrase {
  return { text, values };
}

/** Formats a phrase with `translate`, which gets the text and the values for its placeholders. */
export function worded(
  phrase: Phrase | string,
  translate: (text: string, ...values: (string | number)[]) => string,
): string {
  if (typeof phrase === 'string') return phrase;
  const values = phrase.values.map(value => (typeof value === 'number' ? value : worded(value, translate)));
  return translate(phrase.text, ...values);
}

export function english(phrase: Phrase | string): string {
  return worded(phrase, (text, ...values) =>
    text.replace(/\{(\d+)\}/g, (place, index: string) => String(values[Number(index)] ?? place)),
  );
}

/** The phrase with `change` applied to each value that comes from elsewhere, such as one that may hold a secret. */
export function withValues(phrase: Phrase | string, change: (value: string) => string): Phrase | string {
  if (typeof phrase === 'string') return change(phrase);
  const values = phrase.values.map(value => (typeof value === 'number' ? value : withValues(value, change)));
  return { text: phrase.text, values };
}

/** An error whose message is a phrase. If code has to react to it, use a subclass with a code. */
export class PhraseError extends Error {
  constructor(
    readonly phrase: Phrase,
    options?: ErrorOptions,
  ) {
    super(english(phrase), options);
    this.name = 'PhraseError';
  }
}
