import { english } from '../../../../../src/base/phrase';
import { type Meaning, meaningsOf } from '../../../../../src/features/setup/core/textMeanings';

/** One line for each meaning: its kind, the name, and what would be run or reached. */
export const lines = (text: string) => meaningsOf(text).map(lineOf);

function lineOf(meaning: Meaning): string {
  if (meaning.kind === 'bundle') return `bundle ${meaning.place}`;
  if (meaning.kind === 'registry') return `registry ${meaning.query}`;
  if (meaning.kind === 'unreadable') return `unreadable ${english(meaning.why)}`;
  if (meaning.kind === 'several') return `several ${meaning.drafts.map(({ name }) => name)}`;
  const { name, entry } = meaning.draft;
  const { type: _, ...rest } = entry;
  return `${meaning.kind} ${name} ${JSON.stringify(rest)}`;
}

/** The arguments of a server that `npx` runs, as in a line. */
export const npx = (...args: string[]) => JSON.stringify({ command: 'npx', args });
