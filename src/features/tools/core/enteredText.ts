import { nestsTooDeeply } from '../../../base/json';
import { type Phrase, phrase } from '../../../base/phrase';

/** The value that a text stands for, undefined where it is left out, or what is wrong with the text. */
export type CoercedValue = { readonly value: unknown } | { readonly problem: Phrase };

/** In characters: more than anybody enters, as all of it is read at each key that is pressed. */
const MAX_TEXT = 10_000_000;

export const lengthProblem = ({ length }: string): Phrase | undefined =>
  length > MAX_TEXT ? phrase('Must be at most {0} characters long, but this has {1}.', MAX_TEXT, length) : undefined;

export function parseJson(text: string): CoercedValue {
  const problem = lengthProblem(text);
  if (problem) return { problem };
  if (nestsTooDeeply(text)) return { problem: phrase('That is not JSON: {0}', phrase('this is nested too deeply')) };
  try {
    return { value: JSON.parse(text) };
  } catch (error) {
    return { problem: phrase('That is not JSON: {0}', (error as Error).message) };
  }
}
