import { attempt, type HostError } from '../../../base/errors';
import { canonicalJson } from '../../../base/fingerprint';
import { indentedJson, isObject } from '../../../base/json';
import { PathError, queryJson } from '../../../base/jsonPath';
import { type Phrase, phrase } from '../../../base/phrase';
import { beginningOf, visible } from '../../../base/text';
import { schemaProblem } from '../../../host';
import type { Expectation } from './testSchema';

/** The most of a value that is reported, in characters. */
const MAX_SHOWN = 20_000;

export interface StepFailure {
  readonly message: Phrase | string;
  /** As texts to be compared, where there is something to compare. */
  readonly expected?: string;
  readonly actual?: string;
}

export type Outcome = { readonly result: unknown } | { readonly error: HostError };

/** The failures of a request's answer. What came besides it, such as log lines, is checked in `runTests`. */
export function checkResult(outcome: Outcome, expect: Expectation): StepFailure[] {
  if ('error' in outcome) return checkError(outcome.error, expect.error);
  const { result } = outcome;
  if (expect.error !== undefined)
    return [compared(phrase('An error was expected, but there was a result.'), { error: expect.error }, result)];
  const failures: StepFailure[] = [];
  const isError = isObject(result) && result.isError === true;
  if (isError !== (expect.isError ?? false)) {
    const message = isError
      ? phrase('The tool reports an error: {0}', visible(textOfResult(result), 300))
      : phrase('The tool was expected to report an error, but it does not.');
    failures.push({ message, actual: shown(result) });
  }
  if ('equals' in expect && !isEqual(result, expect.equals))
    failures.push(compared(phrase('The result is not what was expected.'), expect.equals, result));
  const { contains } = expect;
  if (typeof contains === 'string') {
    const text = textOfResult(result);
    const message = phrase('The text of the result lacks what was expected.');
    if (!text.includes(contains)) failures.push({ message, expected: contains, actual: beginningOf(text, MAX_SHOWN) });
  } else if ('contains' in expect) {
    failures.push(...lacks(result, contains, phrase('The result lacks what was expected.')));
  }
  if ('structuredContent' in expect) {
    const actual = isObject(result) ? result.structuredContent : undefined;
    const message = phrase('The structured content lacks what was expected.');
    failures.push(...lacks(actual, expect.structuredContent, message));
  }
  for (const part of expect.matches ?? []) failures.push(...checkPart(result, part));
  const problem = expect.schema && schemaProblem(expect.schema, result);
  if (problem !== undefined)
    failures.push(
      compared(phrase('The result does not fit the schema: {0}', visible(problem, 300)), expect.schema, result),
    );
  return failures;
}

function checkError(error: HostError, expected: Expectation['error']): StepFailure[] {
  const actual = { code: error.rpcCode ?? error.code, message: error.reason };
  if (expected === undefined)
    return [{ message: phrase('The request failed: {0}', visible(error.reason, 300)), actual: shown(actual) }];
  const { code, contains } = wantedError(expected);
  const failures: StepFailure[] = [];
  if (code !== undefined && code !== error.rpcCode && code !== error.code)
    failures.push(compared(phrase('The error has a different code.'), { code }, actual));
  if (contains !== undefined && !error.reason.includes(contains))
    failures.push(compared(phrase('The error has a different text.'), { contains }, actual));
  return failures;
}

export function wantedError(error: Expectation['error']): {
  readonly code?: string | number | undefined;
  readonly contains?: string | undefined;
} {
  if (typeof error === 'object') return error;
  return error === true ? {} : { code: error };
}

type Part = NonNullable<Expectation['matches']>[number];

export function checkPart(result: unknown, part: Part): StepFailure[] {
  const path = visible(part.path, 100);
  let found: readonly unknown[];
  try {
    ({ found } = queryJson(result, part.path));
  } catch (error) {
    if (error instanceof PathError)
      return [{ message: phrase('The path {0} cannot be used: {1}', path, error.message) }];
    throw error;
  }
  const { count } = part;
  if (count !== undefined && found.length !== count) {
    const message =
      found.length === 1
        ? phrase('{0}: found 1 value, expected {1}.', path, count)
        : phrase('{0}: found {1} values, expected {2}.', path, found.length, count);
    return [compared(message, count, found.length)];
  }
  if (count === undefined && found.length === 0)
    return [{ message: phrase('Found no value at {0}.', path), actual: shown(result) }];
  const actual = found.length === 1 ? found[0] : found;
  const failures: StepFailure[] = [];
  if ('equals' in part && !(found.length === 1 && isEqual(found[0], part.equals)))
    failures.push(compared(phrase('{0} is not what was expected.', path), part.equals, actual));
  if ('contains' in part && !found.some(value => holds(value, part.contains)))
    failures.push(lacking(actual, part.contains, phrase('{0} lacks what was expected.', path)));
  const { schema } = part;
  const problem = schema && found.map(value => schemaProblem(schema, value)).find(said => said !== undefined);
  if (problem !== undefined)
    failures.push(compared(phrase('{0} does not fit the schema: {1}', path, visible(problem, 300)), schema, actual));
  return failures;
}

const lacks = (actual: unknown, wanted: unknown, message: Phrase): StepFailure[] =>
  has(actual, wanted) ? [] : [lacking(actual, wanted, message)];

const lacking = (actual: unknown, wanted: unknown, message: Phrase): StepFailure =>
  compared(message, wanted, comparable(actual, wanted));

const holds = (value: unknown, expected: unknown): boolean =>
  typeof value === 'string' && typeof expected === 'string' ? value.includes(expected) : has(value, expected);

/** The actual value reduced to what corresponds to the expected members and items, if anything does: the rest would stand out in a diff. */
export function comparable(actual: unknown, expected: unknown): unknown {
  if (Array.isArray(actual) && Array.isArray(expected)) return comparableItems(actual, expected);
  if (!isObject(actual) || !isObject(expected)) return actual;
  const common = Object.keys(expected).filter(key => Object.hasOwn(actual, key));
  if (common.length === 0) return actual;
  return Object.fromEntries(common.map(key => [key, comparable(actual[key], expected[key])]));
}

/** So many expected items are compared, each with so many: a server's list can have millions. */
const MAX_ALIKE = 1_000;

/** For each expected item the first behind the last one that has it, or else the one that is most like it. */
function comparableItems(actual: readonly unknown[], expected: readonly unknown[]): unknown {
  let from = 0;
  const found = expected.slice(0, MAX_ALIKE).flatMap(wanted => {
    const rest = actual.slice(from, from + MAX_ALIKE);
    const likenesses = rest.map(item => (has(item, wanted) ? Number.POSITIVE_INFINITY : likeness(item, wanted)));
    const best = likenesses.reduce((most, one) => Math.max(most, one), 0);
    if (best === 0) return [];
    const at = likenesses.indexOf(best);
    from += at + 1;
    return [comparable(rest[at], wanted)];
  });
  return found.length > 0 ? found : actual;
}

/** How many of the expected members an object has. */
function likeness(actual: unknown, expected: unknown): number {
  if (!isObject(actual) || !isObject(expected)) return 0;
  return Object.entries(expected).filter(([key, value]) => has(actual[key], value)).length;
}

/** All text of a result: of a tool, a resource, a prompt or suggestions. */
export function textOfResult(result: unknown): string {
  if (!isObject(result)) return '';
  const { content, contents, messages, values } = result;
  const said = Array.isArray(messages) && messages.map(message => (isObject(message) ? message.content : undefined));
  const blocks = [content, contents, said, values].filter(list => Array.isArray(list)).flat();
  const texts = blocks.map(block => (typeof block === 'string' ? block : textIn(block)));
  return texts.filter(text => text !== undefined).join('\n');
}

function textIn(block: unknown): string | undefined {
  if (!isObject(block)) return undefined;
  if (typeof block.text === 'string') return block.text;
  return block.type === 'resource' ? textIn(block.resource) : undefined;
}

export const compared = (message: Phrase, expected: unknown, actual: unknown): StepFailure => ({
  message,
  expected: shown(expected),
  actual: shown(actual),
});

/** JSON with its members in order, so that two values are compared line by line. */
const shown = (value: unknown): string =>
  beginningOf(value === undefined ? 'undefined' : indentedJson(sorted(value, 0)), MAX_SHOWN);

function sorted(value: unknown, depth: number): unknown {
  if (depth > 100) return '…';
  if (Array.isArray(value)) return value.map(item => sorted(item, depth + 1));
  if (!isObject(value)) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, item]) => [key, sorted(item, depth + 1)]));
}

/** More lines than this are not compared one by one. */
const MAX_DIFF_LINES = 400;

/** Whether two JSON values are equal, whatever the order of members. */
export function isEqual(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  // too deep, or nothing that JSON has
  return attempt(() => canonicalJson(one) === canonicalJson(other), false);
}

/** Whether a value has what is expected: an object these members, a list these items in order, else it equals. */
export function has(actual: unknown, expected: unknown): boolean {
  if (isObject(expected)) {
    if (!isObject(actual)) return false;
    return Object.entries(expected).every(([key, value]) => Object.hasOwn(actual, key) && has(actual[key], value));
  }
  if (Array.isArray(expected)) {
    if (!Array.isArray(actual)) return false;
    let next = 0;
    return expected.every(value => {
      while (next < actual.length && !has(actual[next], value)) next++;
      return next++ < actual.length;
    });
  }
  return isEqual(actual, expected);
}

/** The lines of two texts: `-` only in the expected one, `+` only in the actual one. */
export function lineDiff(expected: string, actual: string): string[] {
  const [old, now] = [expected.split('\n'), actual.split('\n')];
  if (old.length > MAX_DIFF_LINES || now.length > MAX_DIFF_LINES)
    return [
      ...old.slice(0, MAX_DIFF_LINES).map(line => `- ${line}`),
      ...now.slice(0, MAX_DIFF_LINES).map(line => `+ ${line}`),
    ];
  // The length of the longest common part of what follows each pair of lines.
  const common = Array.from({ length: old.length + 1 }, () => new Uint16Array(now.length + 1));
  for (let i = old.length - 1; i >= 0; i--)
    for (let j = now.length - 1; j >= 0; j--)
      common[i]![j] = old[i] === now[j] ? common[i + 1]![j + 1]! + 1 : Math.max(common[i + 1]![j]!, common[i]![j + 1]!);
  const lines: string[] = [];
  let [i, j] = [0, 0];
  while (i < old.length || j < now.length) {
    if (i < old.length && j < now.length && old[i] === now[j]) {
      lines.push(`  ${old[i++]}`);
      j++;
    } else if (j === now.length || (i < old.length && common[i + 1]![j]! >= common[i]![j + 1]!)) {
      lines.push(`- ${old[i++]}`);
    } else {
      lines.push(`+ ${now[j++]}`);
    }
  }
  return lines;
}

/** Whether a server asked this: a string is a part of its text, an object has members of its parameters. */
export function fitsRequest(params: unknown, wanted: unknown): boolean {
  const said = isObject(params) && typeof params.message === 'string' ? params.message : textOfResult(params);
  if (typeof wanted === 'string') return said.includes(wanted);
  if (!isObject(wanted) || typeof wanted.message !== 'string' || !isObject(params)) return has(params, wanted);
  const { message, ...others } = wanted;
  return typeof params.message === 'string' && params.message.includes(message) && has(params, others);
}
