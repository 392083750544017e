import type { ElicitRequest } from '@modelcontextprotocol/client';
import { isDeeper, isObject } from '../../base/json';
import { DATA } from '../../base/schemaKeywords';
import { MAX_FIELDS } from '../definition/ports';
import { keywordFault } from '../reading/keywordFaults';

type Schema = Record<string, unknown>;
type Params = ElicitRequest['params'];

const MAX_CHOICES = 1_000;
/** The size of the whole schema as JSON, in characters. */
const MAX_SCHEMA = 200_000;
const MAX_LEVELS = 50;
const KINDS = new Set(['string', 'number', 'integer', 'boolean']);
const TEXTS = new Set(['title', 'description']);
/** Where the schema of a form travels past the SDK. */
const KEY = 'mcp-host/requestedSchema';

/**
 * Why a form can't be shown, worded to complete "the form was refused: "; undefined if it can. Forms are flat (spec:
 * client/elicitation#requested-schema). Frameworks send more than the specification names: optional fields as "or null", lists of
 * texts, choices without a type.
 */
export function formProblem(requestedSchema: unknown): string | undefined {
  const properties = isObject(requestedSchema) ? requestedSchema.properties : undefined;
  if (!isObject(properties)) return 'its schema is not that of an object';
  if (isDeeper(requestedSchema, MAX_LEVELS)) return `its schema is nested deeper than ${MAX_LEVELS} levels`;
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
  const { type, items, ...others } = withoutNull(field);
  if (type === 'object') return 'is an object, but forms are flat';
  const choices = choicesOf({ type, ...others }) ?? [];
  if (type === 'array') return itemsProblem(items);
  if (choices.length > MAX_CHOICES) return `has more than ${MAX_CHOICES} choices`;
  return choices.length > 0 || isScalar({ type }) || isOneOfScalars({ type, ...others })
    ? undefined
    : 'is of a type that forms do not support';
}

const isScalar = ({ type }: Schema) => typeof type === 'string' && KINDS.has(type);

/** A text or a number, for example, as zod and pydantic write it. */
function isOneOfScalars({ type, anyOf, oneOf }: Schema): boolean {
  const alternatives = Array.isArray(type) ? type.map(one => ({ type: one })) : (anyOf ?? oneOf);
  return (
    Array.isArray(alternatives) &&
    alternatives.length > 1 &&
    alternatives.every(one => isObject(one) && (isScalar(one) || one.type === 'null'))
  );
}

/** The answer to a list is a list of texts (spec: `ElicitResult`). */
function itemsProblem(items: unknown): string | undefined {
  const item = withoutNull(items);
  const choices = choicesOf(item);
  if ((choices?.length ?? 0) > MAX_CHOICES) return `has more than ${MAX_CHOICES} choices`;
  return choices?.every(choice => typeof choice === 'string') || (!choices && item.type === 'string')
    ? undefined
    : 'is a list of something other than texts or given choices';
}

/** The values that are given to choose from. */
function choicesOf({ enum: values, const: only, oneOf, anyOf }: Schema): readonly unknown[] | undefined {
  if (Array.isArray(values) && values.length > 0) return values;
  if (only !== undefined) return [only];
  const alternatives = oneOf ?? anyOf;
  if (!Array.isArray(alternatives) || alternatives.length === 0) return undefined;
  return alternatives.every(one => isObject(one) && one.const !== undefined)
    ? alternatives.map(one => (one as Schema).const)
    : undefined;
}

/** A field that may be null without that: such a field is left empty. */
function withoutNull(field: unknown): Schema {
  if (!isObject(field)) return {};
  const { anyOf, oneOf, type } = field;
  const alternatives = anyOf ?? oneOf;
  if (Array.isArray(alternatives)) {
    const rest = alternatives.filter(one => !isObject(one) || one.type !== 'null');
    if (rest.length === 1 && alternatives.length > 1 && isObject(rest[0])) return rest[0];
  }
  const types = Array.isArray(type) ? type.filter(one => one !== 'null') : [];
  return types.length === 1 && Array.isArray(type) && type.length > 1 ? { ...field, type: types[0] } : field;
}

/** The parameters of a form as the SDK takes them, whose schema of forms knows fewer fields: `carriedForm` has it again. */
export function carryingForm(params: unknown): unknown {
  if (!isObject(params) || params.mode === 'url') return params;
  const { requestedSchema, _meta } = params;
  if (!isObject(requestedSchema)) return params;
  const empty = { type: 'object', properties: {} };
  return { ...params, requestedSchema: empty, _meta: { ...(isObject(_meta) && _meta), [KEY]: requestedSchema } };
}

/** The parameters as the server sent them, without what is not valid and without patterns: expressions of servers are not run. */
export function carriedForm(params: Params): Params {
  const { [KEY]: requestedSchema, ..._meta } = Object(params._meta) as Schema;
  if (!isObject(requestedSchema)) return params;
  return { ...params, _meta, requestedSchema: usable(requestedSchema) } as Params;
}

function usable(schema: Schema): Schema {
  const properties = Object.entries(schema.properties as Schema).map(([name, field]) => [
    name,
    isObject(field) ? usableMembers(field) : field,
  ]);
  return { ...usableMembers(schema), properties: Object.fromEntries(properties) };
}

function usableMembers(schema: Schema): Schema {
  const isUsable = ([key, value]: [string, unknown]) => {
    if (TEXTS.has(key)) return typeof value === 'string';
    return key !== 'pattern' && (value !== null || DATA.has(key)) && keywordFault(key, value, undefined) === undefined;
  };
  return Object.fromEntries(Object.entries(schema).filter(isUsable));
}
