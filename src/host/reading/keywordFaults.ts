import { attempt } from '../../base/errors';
import { isObject } from '../../base/json';

/** The dialects in which `items` may list the schemas of a tuple. */
const OLD_DIALECT = /draft-0[67]|2019-09/;
const TYPES: ReadonlySet<unknown> = new Set(['array', 'boolean', 'integer', 'null', 'number', 'object', 'string']);

type Check = (value: unknown) => boolean;

const isText: Check = value => typeof value === 'string';
const isNumber: Check = value => typeof value === 'number';
const isBoolean: Check = value => typeof value === 'boolean';
const isCount: Check = value => Number.isInteger(value) && (value as number) >= 0;
const isFactor: Check = value => typeof value === 'number' && value > 0;
const isList: Check = value => Array.isArray(value);
const isTextOrList: Check = value => isText(value) || isList(value);
const areTexts: Check = value => Array.isArray(value) && value.every(isText);
const areNames: Check = value => areTexts(value) && areUnique(value as unknown[]);
const areUnique = (values: readonly unknown[]) => new Set(values).size === values.length;
export const isSchema: Check = value => isObject(value) || isBoolean(value);
const areSchemas: Check = value => Array.isArray(value) && value.every(isSchema);
export const isType: Check = value =>
  TYPES.has(value) || (Array.isArray(value) && value.every(type => TYPES.has(type)) && areUnique(value));

/** Classes of Unicode, each of which takes as long to compile as thousands of characters. */
const PROPERTY = /\\[pP]\{[^{}]*\}/g;

/** Whether it is a regular expression, whatever classes of Unicode it names. It is compiled and never run. */
const isPattern: Check = value => {
  return attempt(
    () => typeof value === 'string' && new RegExp(value.replace(PROPERTY, '\\w'), 'u') !== undefined,
    false,
  );
};

/** What is valid for a keyword, and without what no one can use the schema that has it. */
const KEYWORDS: Readonly<Record<string, readonly [isValid: Check, isUsable?: Check]>> = {
  $ref: [isText, isText],
  type: [isType, isTextOrList],
  enum: [isList, isList],
  required: [areNames, areTexts],
  properties: [isObject, isObject],
  patternProperties: [value => isObject(value) && Object.keys(value).every(isPattern), isObject],
  dependentSchemas: [isObject, isObject],
  dependentRequired: [value => isObject(value) && Object.values(value).every(areNames)],
  $defs: [isObject, isObject],
  definitions: [isObject, isObject],
  allOf: [areSchemas, isList],
  anyOf: [areSchemas, isList],
  oneOf: [areSchemas, isList],
  prefixItems: [areSchemas],
  multipleOf: [isFactor],
  pattern: [isPattern],
  format: [isText],
  uniqueItems: [isBoolean],
  ...each([isSchema], 'not if then else items contains additionalItems additionalProperties propertyNames'),
  ...each([isSchema], 'unevaluatedItems unevaluatedProperties'),
  ...each([isNumber], 'minimum maximum exclusiveMinimum exclusiveMaximum'),
  ...each([isCount], 'minLength maxLength minItems maxItems minContains maxContains minProperties maxProperties'),
};

function each(checks: readonly [Check], names: string): typeof KEYWORDS {
  return Object.fromEntries(names.split(' ').map(name => [name, checks]));
}

/**
 * What is wrong with the value of a keyword: `broken` if no one can use the schema with it, `invalid` if its dialect does not
 * allow it otherwise; undefined if nothing is, or if the keyword is not known. Null is what servers write for an absent one.
 * @param dialect the `$schema` of the whole; undefined: 2020-12.
 */
export function keywordFault(keyword: string, value: unknown, dialect: unknown): 'broken' | 'invalid' | undefined {
  const [isValid, isUsable] = (Object.hasOwn(KEYWORDS, keyword) && KEYWORDS[keyword]) || [];
  if (!isValid || value === undefined || isValid(value)) return undefined;
  if (isUsable?.(value) === false) return 'broken';
  return keyword === 'items' && areSchemas(value) && OLD_DIALECT.test(String(dialect)) ? undefined : 'invalid';
}

/** Whether values can be checked by a keyword, although it has a name twice, or is a tuple as only earlier dialects have it. */
export const isCheckable = (keyword: string, value: unknown, dialect: unknown): boolean =>
  keywordFault(keyword, value, dialect) === undefined ||
  (keyword === 'required' ? areTexts(value) : keyword === 'items' && areSchemas(value));
