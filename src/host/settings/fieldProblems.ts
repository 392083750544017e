import type * as z from 'zod';
import { type Phrase, phrase } from '../../base/phrase';
import { visible } from '../../base/text';
import { fieldOf } from './fields';
import type { Complaint } from './schema';

type Expectation = readonly [expected: Phrase, example: string];

const MILLISECONDS: Expectation = [phrase('a whole number of milliseconds from 1 to 2147483647'), '60000'];
const SERVER: Expectation = [
  phrase('an object with a "command" or a "url"'),
  '{ "command": "npx", "args": ["-y", "package"] }',
];

const TO_QUOTE = phrase('Put it in quotes.');
const TO_UNQUOTE = phrase('Remove the quotes.');
/** What to do, by what zod expected and what it found. Anything else gets the example of its field. */
const REMEDIES = new Map([
  ['string number', TO_QUOTE],
  ['string boolean', TO_QUOTE],
  ['boolean string', TO_UNQUOTE],
  ['int string', TO_UNQUOTE],
  ['number string', TO_UNQUOTE],
  ['array string', phrase('Put it in square brackets, each argument in its own quotes.')],
]);

/** The rule that the names of variables and of headers follow. */
const NAME_RULES = new Map([
  ['env', phrase('A variable name must not be empty or contain "=".')],
  ['headers', phrase('A header name consists of letters, digits and hyphens.')],
]);

const KINDS: Record<string, Phrase> = {
  undefined: phrase('missing'),
  null: phrase('null'),
  array: phrase('a list'),
  object: phrase('an object'),
  string: phrase('a string'),
  number: phrase('a number'),
};

const kindOf = (value: unknown) => (value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value);

/** Describes the kind of `value` for people: "a list", "a number", "true". Never quotes its text, which may be a secret. */
export const describeKind = (value: unknown): Phrase | string => KINDS[kindOf(value)] ?? String(value);

/** `text` in quotes, in one bounded line, with whatever is invisible in it escaped. */
export const quote = (text: string): string => `"${visible(text, 60)}"`;

/** The problem with a field of a server, and the remedy. @param issue one that was reported with its input. */
export function explain(issue: z.core.$ZodIssue): Phrase {
  const [field, item] = issue.path;
  const nested = field === 'timeouts' && item !== undefined;
  const name = field === undefined ? phrase('A server') : nested ? `"timeouts.${String(item)}"` : `"${String(field)}"`;
  const part = item === undefined || nested ? undefined : partOf(item);
  if (issue.code === 'invalid_key') {
    const rule = NAME_RULES.get(String(field)) ?? '';
    return phrase('{0} has an invalid entry {1}. {2} Rename it.', name, part ?? '', rule);
  }
  if (issue.code === 'custom') {
    return (issue.params as Complaint).says(part === undefined ? name : phrase('{0} of {1}', part, name));
  }
  const [expected, example] = nested ? MILLISECONDS : (fieldOf(field)?.is ?? SERVER);
  const key = field === undefined ? '' : `"${String(nested ? item : field)}": `;
  const sample = forExample(`${key}${example}`);
  if (issue.input === undefined) return phrase('{0} is missing. {1}', name, sample);
  const [what, found] = [remedy(issue) ?? sample, foundIn(issue)];
  return part === undefined
    ? phrase('{0} must be {1}, but it is {2}. {3}', name, expected, found, what)
    : phrase('{0} must be {1}, but {2} is {3}. {4}', name, expected, part, found, what);
}

/** How it is written, as a sentence of its own. */
export const forExample = (sample: string): Phrase => phrase('For example: {0}.', sample);

const partOf = (item: PropertyKey): Phrase | string =>
  typeof item === 'number' ? phrase('item {0}', item + 1) : quote(String(item));

/** The value found instead. Only words from a fixed list and times are quoted, because other values may be secrets. */
function foundIn({ code, input, path }: z.core.$ZodIssue): Phrase | string {
  if (code === 'invalid_value' && typeof input === 'string') return quote(input);
  if (typeof input === 'number' && path[0] === 'timeouts') return String(input);
  return code === 'too_small' ? phrase('empty') : describeKind(input);
}

function remedy(issue: z.core.$ZodIssue): Phrase | undefined {
  return issue.code === 'invalid_type' ? REMEDIES.get(`${issue.expected} ${kindOf(issue.input)}`) : undefined;
}

/** The candidate that `word` most likely stands for, if any comes near. */
export function didYouMean(word: string, candidates: readonly string[]): string | undefined {
  if (word.length > 30) return undefined;
  const limit = word.length < 5 ? 1 : 2;
  // No less is different than their lengths are.
  const near = candidates.filter(({ length }) => Math.abs(length - word.length) <= limit);
  return near.find(candidate => editDistance(word.toLowerCase(), candidate.toLowerCase()) <= limit);
}

/** Letters to add, remove or replace, or to swap with the next. */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  let before = row;
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const change = row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      const isSwapped = a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const swap = isSwapped ? before[j - 2]! + 1 : change;
      next.push(Math.min(change, swap, row[j]! + 1, next[j - 1]! + 1));
    }
    [before, row] = [row, next];
  }
  return row[b.length]!;
}
