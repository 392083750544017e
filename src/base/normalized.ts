/** More combining marks in a row than any text has (UAX #15, "Stream-Safe Text Format"), and the two letters that become some. */
const MARKS = /[\p{M}\uff9e\uff9f]{31,}/gu;

/** A text in a normal form of Unicode. Of marks in a row the first 30 count: to put n of them in order takes n² steps. */
export const normalized = (text: string, form: 'NFC' | 'NFD' | 'NFKC' | 'NFKD' = 'NFC'): string =>
  text.replace(MARKS, marks => Array.from(marks).slice(0, 30).join('')).normalize(form);
