import { entries, months, years } from './archive';
import type { Notebook } from './notebook';

/** The arguments filled in so far, besides the one being typed. */
type Context = { arguments?: Record<string, string> } | undefined;

/** Whether a suggestion goes on from what was typed. */
export const startingWith = (typed: string) => (suggestion: string) =>
  suggestion.toLowerCase().startsWith(typed.toLowerCase());

/** Completes the name of a note. */
export const completeNote = (notebook: Notebook) => async (typed: string) =>
  (await notebook.notes()).map(note => note.name).filter(startingWith(typed));

/** Completes a heading of the note that has been chosen as `note`; before one is, there is nothing to suggest. */
export const completeSection = (notebook: Notebook) => async (typed: string, context: Context) => {
  const note = (await notebook.notes()).find(({ name }) => name === context?.arguments?.note);
  const headings = note?.text.matchAll(/^#+ +(.*\S)/gm) ?? [];
  return Array.from(headings, match => match[1] ?? '').filter(startingWith(typed));
};

export const completeYear = (typed: string): string[] => years().filter(startingWith(typed));

/** Completes a month, out of those of the chosen year. */
export const completeMonth = (typed: string, context: Context): string[] =>
  months(context?.arguments?.year).filter(startingWith(typed));

/** Completes the file name of an archive entry, out of those of the chosen month. */
export const completeEntry = (typed: string, context: Context): string[] =>
  entries(context?.arguments?.year ?? '', context?.arguments?.month ?? '')
    .map(entry => entry.name)
    .filter(startingWith(typed));
