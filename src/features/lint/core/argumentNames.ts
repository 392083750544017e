import { isObject } from '../../../base/json';

/** An argument of a tool or a prompt. */
export interface Argument {
  readonly name: string;
  readonly description?: unknown;
  readonly schema?: Readonly<Record<string, unknown>>;
}

/** Names that every API uses in the same sense. */
const USUAL = new Set(
  'path paths url urls id ids limit max results timeout ms number offset skip start page size per cursor session source destination content name query search title body'.split(
    ' ',
  ),
);
const MAX_DEPTH = 6;
const MAX_TEXT = 20_000;

/**
 * Whether a model has to guess what an argument means: nothing describes it, neither its schema, what it holds, nor the text about
 * its tool, and its name is not one that every API uses.
 * @param about the name and description of the tool or prompt.
 */
export function needsDescription({ name, description, schema }: Argument, about: string): boolean {
  if (typeof description === 'string' && description.trim() !== '') return false;
  if (schema && saysItself(schema, 0)) return false;
  const known = new Set(wordsOf(about.slice(0, MAX_TEXT)).map(singular));
  return !wordsOf(name).every(word => USUAL.has(word) || known.has(singular(word)));
}

/** Whether a schema names the only values, takes none, or describes something below it. */
function saysItself(schema: Readonly<Record<string, unknown>>, depth: number): boolean {
  if (Array.isArray(schema.enum) || schema.const !== undefined) return true;
  if (depth > MAX_DEPTH) return false;
  const { properties, items, anyOf, oneOf, allOf } = schema;
  if (isObject(properties) && Object.keys(properties).length === 0) return true;
  const below = [...(isObject(properties) ? Object.values(properties) : []), items, anyOf, oneOf, allOf].flat();
  return below.some(
    one =>
      isObject(one) && ((typeof one.description === 'string' && one.description.trim()) || saysItself(one, depth + 1)),
  );
}

const wordsOf = (text: string): string[] =>
  text
    .replace(/(?<=[a-z])(?=[A-Z])/g, ' ')
    .toLowerCase()
    .match(/[\p{L}\p{N}]+/gu) ?? [];
const singular = (word: string) => word.replace(/(?<=..)s$/, '');
