/** More would not fit into a dialog on a small screen, and would be hidden. */
const MAX_LINES = 26;
const LINE_LENGTH = 70;

/** Whether a dialog shows all of a text. */
export const fitsDialog = (text: string): boolean => drawnLines(text) <= MAX_LINES;

/** In columns. What is not Latin, Greek, Cyrillic or the like may be drawn twice as wide. */
const widthOf = (line: string) => Array.from(line).reduce((sum, letter) => sum + (letter > '\u10ff' ? 2 : 1), 0);

const drawnLines = (text: string) =>
  text.split('\n').reduce((sum, line) => sum + Math.max(1, Math.ceil(widthOf(line) / LINE_LENGTH)), 0);
