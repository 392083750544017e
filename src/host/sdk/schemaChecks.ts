import type {
  JsonSchemaType,
  JsonSchemaValidator,
  jsonSchemaValidator as Validator,
} from '@modelcontextprotocol/client';
import { CfWorkerJsonSchemaValidator } from '@modelcontextprotocol/client/validators/cf-worker';
import { placeOf } from '../../base/json';
import { localSchema } from '../../base/localSchema';
import { type Phrase, PhraseError, phrase } from '../../base/phrase';
import { DATA, isKnownDialect, MAX_SCHEMA_DEPTH, NAMED } from '../../base/schemaKeywords';
import { percentDecoded, visible } from '../../base/text';
import { isCheckable, isSchema } from '../reading/keywordFaults';
import { assertAffordable } from './checkCost';

/** Why values can't be checked against a schema: its dialect is another. Undefined: they can. */
export function dialectProblem(schema: Readonly<Record<string, unknown>>): Phrase | undefined {
  if (isKnownDialect(schema)) return undefined;
  const supported = '2020-12, 2019-09, draft-07, draft-06';
  return phrase('the dialect {0} is not supported, only {1}', visible(schema.$schema, 200), supported);
}

/**
 * Checks values against the JSON schemas of servers, which it interprets. Regular expressions in them are ignored: a malicious one
 * would block the whole editor, and the server checks its own patterns. So are keywords whose value their dialect does not allow.
 */
export class SchemaChecks implements Validator {
  readonly #validator: CfWorkerJsonSchemaValidator;

  /** @param findsAll goes on after the first mistake: for values as small as the arguments of a call. */
  constructor(findsAll = false) {
    this.#validator = new CfWorkerJsonSchemaValidator({ shortcircuit: !findsAll });
  }

  /** @throws PhraseError for a schema of another dialect; what checks values, if that would take too long. */
  getValidator<T>(schema: JsonSchemaType): JsonSchemaValidator<T> {
    const { $schema: dialect } = schema as { $schema?: unknown };
    const problem = dialectProblem(schema);
    if (problem) throw new PhraseError(problem);
    const { schema: local, faults } = localSchema(schema);
    const missing = faults.find(({ kind }) => kind === 'reference');
    if (missing) throw new Error(`Unresolved $ref "${missing.name}"`);
    const usable = checkable(local, dialect) as JsonSchemaType;
    const check = this.#validator.getValidator<T>(usable);
    return value => {
      assertAffordable(usable, value);
      return check(value);
    };
  }
}

/** A copy without patterns and without what its dialect does not allow, where these are keywords and not names or data. */
function checkable(schema: unknown, dialect: unknown, depth = 0, areNames = false): unknown {
  if (depth > MAX_SCHEMA_DEPTH || typeof schema !== 'object' || schema === null) return schema;
  if (Array.isArray(schema)) return schema.map(item => checkable(item, dialect, depth + 1));
  const isKept = ([key, value]: [string, unknown]) =>
    areNames
      ? isSchema(value)
      : key !== 'pattern' && key !== 'patternProperties' && isAllowed(key, value) && isCheckable(key, value, dialect);
  const entries = Object.entries(schema).filter(isKept);
  return Object.fromEntries(
    entries.map(([key, value]) => [
      key,
      // Data is not a schema: a constant may well have a member "pattern".
      !areNames && DATA.has(key) ? value : checkable(value, dialect, depth + 1, !areNames && NAMED.has(key)),
    ]),
  );
}

/** Null is the value of an absent keyword, except where it is data. */
const isAllowed = (keyword: string, value: unknown) => value !== null || DATA.has(keyword);

/** Names of JSON's types with their articles. */
const TYPES: Readonly<Record<string, string>> = {
  array: 'an array',
  boolean: 'true or false',
  integer: 'a whole number',
  null: 'null',
  number: 'a number',
  object: 'an object',
  string: 'a string',
};
const MAX_CHOICES = 10;

/** What the validator says of one part, and what that means; `$1` and so on are parts of what it says. */
const PHRASES: readonly (readonly [RegExp, (said: readonly string[]) => string])[] = [
  [
    /^Instance type "(.*?)" is invalid\. Expected "(.*)"\.$/s,
    ([is = '', expected = '']) => `must be ${anyOf(expected.split('", "').map(typeOf))}, not ${typeOf(is)}`,
  ],
  [/^Instance does not match any of (\[.*\])\.$/s, ([values = '']) => `must be ${choices(values)}`],
  [/^Instance does not match any subschemas\.$/, () => 'must fit one of several schemas, and fits none'],
  [
    /^Instance does not match exactly one subschema \((\d+) matches\)\.$/,
    ([count]) => `must fit exactly one of several schemas, and fits ${count === '0' ? 'none' : count}`,
  ],
  [/^Instance does not match (.*[\]}"\w])\.$/s, ([value = '']) => `must be ${value}`],
  [/ is less than (?:or equal to +)(\S+)\.$/, ([limit]) => `must be greater than ${limit}`],
  [/ is greater than or equal to +(\S+)\.$/, ([limit]) => `must be less than ${limit}`],
  // Of an exclusive bound it says the same.
  [/^(\S+) is less than +(\S+)\.$/, ([is, limit]) => `must be ${is === limit ? 'greater than' : 'at least'} ${limit}`],
  [/ is greater than +(\S+)\.$/, ([limit]) => `must be at most ${limit}`],
  [/ is not a multiple of (\S+)\.$/, ([factor]) => `must be a multiple of ${factor}`],
  [/^String is too short \(\d+ < (\d+)\)\.$/, ([count]) => `must have at least ${count} characters`],
  [/^String is too long \(\d+ > (\d+)\)\.$/, ([count]) => `must have at most ${count} characters`],
  [/^String does not match format "(.*)"\.$/s, ([format]) => `must have the format ${format}`],
  [/^Array has too many items \(\d+ > (\d+)\)\.$/, ([count]) => `must have at most ${count} items`],
  [/^Array has too few items \(\d+ < (\d+)\)\.$/, ([count]) => `must have at least ${count} items`],
  [
    /^Duplicate items at indexes (\d+) and (\d+)\.$/,
    ([one, other]) => `must not have the same item twice, as at ${one} and ${other}`,
  ],
  [
    /^Instance has "(.*)" but does not have "(.*)"\.$/s,
    ([has, lacks]) => `must have "${lacks}", because it has "${has}"`,
  ],
  [/^Instance matched "not" schema\.$/, () => 'must not be what it is'],
  [/^False boolean schema\.$/, () => 'is not allowed'],
];

/** Steps down to the part that is wrong. */
const STEP = /(?:not match (?:\w+ )*(?:schema|subschema)|A subschema had errors)\.$/;

/** The validator's message in plain English, without its steps down to the part that is wrong: "status must be "open" or "closed"". */
export function plainProblem(message: string): string {
  const steps = message.split(/; (?=#)/);
  const wrong = steps.filter((step, at) => at === steps.length - 1 || !STEP.test(step));
  return `${wrong.map(plain).join('; ')}.`;
}

function plain(step: string): string {
  const [, pointer = '', said = step] = /^#(.*?): (.*)$/s.exec(step) ?? [];
  const [, missing] = /^Instance does not have required property "(.*)"\.$/s.exec(said) ?? [];
  if (missing !== undefined) return `${placeOf([...pathOf(pointer), missing])} is required`;
  const place = placeOf(pathOf(pointer)) || 'the value';
  for (const [pattern, meaning] of PHRASES) {
    const found = pattern.exec(said);
    if (found) return `${place} ${meaning(found.slice(1))}`;
  }
  return `${place}: ${said.replace(/\.$/, '')}`;
}

/** Names on the way of a JSON pointer. */
const pathOf = (pointer: string): string[] =>
  pointer
    .split('/')
    .slice(1)
    .map(part => percentDecoded(part).replaceAll('~1', '/').replaceAll('~0', '~'));

const typeOf = (type: string) => TYPES[type] ?? type;

function choices(json: string): string {
  const values = (JSON.parse(json) as unknown[]).map(value => JSON.stringify(value));
  return values.length > MAX_CHOICES
    ? `one of ${values.slice(0, MAX_CHOICES).join(', ')} and ${values.length - MAX_CHOICES} more`
    : anyOf(values);
}

/** "a", "a or b", "a, b or c". */
function anyOf(values: readonly string[]): string {
  return values.length < 2 ? values.join() : `${values.slice(0, -1).join(', ')} or ${values.at(-1)}`;
}
