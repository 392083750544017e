import { isObject } from '../../base/json';

/** The most questions that anyone would answer in one go. */
export const MAX_FIELDS = 50;
const MAX_CHOICES = 1_000;
/** The size of the whole schema as JSON, in characters. */
const MAX_SCHEMA = 200_000;
const KINDS = new Set(['string', 'number', 'integer', 'boolean']);

/**
 * Why a form can't be shown, worded to complete "the form was refused: "; undefined if it can. The specification allows only
 * flat objects of texts, numbers, booleans and choices (spec: client/elicitation#requested-schema).
 */
export function formProblem(requestedSchema: unknown): string | undefined {
  const properties = part(requestedSchema, 'properties');
  if (!isObject(properties)) return 'its schema is not that of an object';
  const fields = Object.entries(properties);
  if (fields.length > MAX_FIELDS) return `it has ${fields.length} fields; at most ${MAX_FIELDS} are shown`;
  for (const [name, field] of fields) {
    const problem = fieldProblem(field);
    if (problem) return `its field "${name.slice(0, 60)}" ${problem}`;
  }
  if (JSON.stringify(requestedSchema).length > MAX_SCHEMA) return 'its schema is too large';
  return undefined;
}

function fieldProblem(field: unknown): string | undefined {
  const type = part(field, 'type');
  if (type === 'object') return 'is an object, but forms are flat';
  const items = part(field, 'items');
  const choices = [field, items].flatMap(schema => ['enum', 'oneOf', 'anyOf'].map(key => part(schema, key)));
  const listed = choices.filter(Array.isArray);
  if (listed.some(list => list.length > MAX_CHOICES)) return `has more than ${MAX_CHOICES} choices`;
  if (type === 'array') return listed.length > 0 ? undefined : 'is a list of something other than given choices';
  return typeof type === 'string' && KINDS.has(type) ? undefined : 'is of a type that forms do not support';
}

const part = (value: unknown, key: string): unknown => (isObject(value) ? value[key] : undefined);
