import { withFewMarks } from './text';

/** A text in a normal form of Unicode, without more marks in a row than any text has. */
export const normalized = (text: string, form: 'NFC' | 'NFD' | 'NFKC' | 'NFKD' = 'NFC'): string =>
  withFewMarks(text, () => '').normalize(form);
