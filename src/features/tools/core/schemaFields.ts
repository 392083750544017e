import { isDeeper, isObject, ownMember } from '../../../base/json';
import { partAt } from '../../../base/localSchema';
import { type Phrase, phrase } from '../../../base/phrase';
import { formatOfPattern } from './formats';

/** A JSON schema as a server sent it: nothing in it is known to be as it should. */
export type JsonSchema = Record<string, unknown>;

export interface Option {
  label: Phrase | string;
  value: unknown;
}

export interface NumberField {
  kind: 'number';
  integer: boolean;
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: number;
  exclusiveMaximum?: number;
  multipleOf?: number;
}

export interface StringField {
  kind: 'string';
  format?: string;
  minLength?: number;
  maxLength?: number;
  pattern?: string;
}

export type ScalarField = NumberField | StringField | { kind: 'boolean' } | { kind: 'choice'; options: Option[] };

export interface ListField {
  kind: 'list';
  /** With choices the whole list is chosen at once. */
  items: ScalarField;
  minItems?: number;
  maxItems?: number;
  unique: boolean;
}

/** A part that a form can't express, entered as JSON. `schema` is complete in itself. */
export interface JsonField {
  kind: 'json';
  schema: JsonSchema;
}

/** Values of one kind under names that the person chooses. */
export interface RecordField {
  kind: 'record';
  values: ScalarField | ListField | UnionField;
}

/** A value of one of several kinds: the person chooses the kind too. */
export interface UnionField {
  kind: 'union';
  alternatives: Alternative[];
}

type Alternative = ScalarField | ListField | JsonField | RecordField | { kind: 'null' };
export type Field = Alternative | UnionField;
export const BOOLEANS: Option[] = [
  { label: phrase('Yes'), value: true },
  { label: phrase('No'), value: false },
];

/** More kinds of value than this are not told apart. */
const MAX_KINDS = 10;

/** The longest list of options that is offered. A schema can repeat a long one by references, which cost a server nothing. */
const MAX_OPTIONS = 1_000;

/** Listed names beyond which a record is not asked for name by name. */
const MAX_NAMES = 40;

/** The most that one form has, over all fields, as each can refer to the same large schema. */
export class FormBudget {
  #left = 2_000_000;

  /** @returns whether it sufficed */
  spend(count: number): boolean {
    this.#left -= count;
    return this.#left >= 0;
  }
}

/** Deeper values are no options to choose from. */
const MAX_LEVELS = 50;

export interface FieldSource {
  readonly root: JsonSchema;
  readonly budget: FormBudget;
}

/** The field for a schema that `resolved` has returned. Undefined: no field can express it. */
export function fieldOf(schema: JsonSchema, source: FieldSource, seen: Set<string>): Field | undefined {
  return unionOf(schema, source, seen) ?? recordOf(schema, source, seen) ?? plainFieldOf(schema, source, seen);
}

function plainFieldOf(
  schema: JsonSchema,
  { root, budget }: FieldSource,
  seen: Set<string>,
): ScalarField | ListField | undefined {
  if (schema.type !== 'array') return scalarOf(schema, budget);
  const items = resolved(schema.items, { root, budget }, new Set(seen))?.schema;
  const field = items && schema.items !== true && scalarOf(items, budget);
  if (!field || schema.prefixItems !== undefined || field.kind === 'boolean') return undefined;
  return {
    kind: 'list',
    items: field,
    ...numbers(schema, ['minItems', 'maxItems']),
    unique: schema.uniqueItems === true,
  };
}

/** `type: [string, number]`, or `anyOf` of a text and something else. Undefined if all of them are JSON, or there are too many. */
function unionOf(
  schema: JsonSchema,
  source: FieldSource,
  seen: Set<string>,
): UnionField | ScalarField | ListField | undefined {
  const { type, anyOf, oneOf } = schema;
  const listed = type ?? anyOf ?? oneOf;
  if (!Array.isArray(listed) || listed.length === 0 || listed.length > MAX_KINDS || valuesOf(schema)) return undefined;
  const parts: unknown[] = type === undefined ? listed : listed.map(one => ({ ...schema, type: one }));
  const kinds = new Map<string, ScalarField | ListField | JsonField>();
  for (const part of parts) {
    const refs = new Set(seen);
    const found = resolved(part, source, refs)?.schema;
    const field = (found && plainFieldOf(found, source, refs)) ?? {
      kind: 'json',
      schema: standalone(part, source.root),
    };
    const same = kinds.get(field.kind);
    kinds.set(field.kind, same ? joined(same, field, schema) : field);
  }
  const alternatives = [...kinds.values()];
  const [only] = alternatives;
  if (!only || alternatives.every(({ kind }) => kind === 'json')) return undefined;
  return alternatives.length === 1 ? (only as ScalarField | ListField) : { kind: 'union', alternatives };
}

/** A field for what either of two fields of one kind takes. Their limits are left to the check of the whole. */
function joined<F extends ScalarField | ListField | JsonField>(one: F, other: F, schema: JsonSchema): F | JsonField {
  if (one.kind === 'choice' && other.kind === 'choice') {
    const options = new Map([...one.options, ...other.options].map(option => [JSON.stringify(option.value), option]));
    return options.size > MAX_OPTIONS ? { kind: 'json', schema } : { ...one, options: [...options.values()] };
  }
  if (one.kind === 'number' && other.kind === 'number')
    return { kind: 'number', integer: one.integer && other.integer } as F;
  if (one.kind === 'string') return { kind: 'string' } as F;
  return one.kind === 'list' ? { kind: 'json', schema } : one;
}

/** An object with values of one kind under any names, or under those of a pattern. */
function recordOf(schema: JsonSchema, source: FieldSource, seen: Set<string>): RecordField | undefined {
  const { type, properties, additionalProperties, patternProperties } = schema;
  const patterns = isObject(patternProperties) ? Object.values(patternProperties) : [];
  const values = isObject(additionalProperties) ? additionalProperties : patterns[0];
  const isOther =
    (type !== undefined && type !== 'object') || (isObject(properties) && Object.keys(properties).length > 0);
  if (isOther || patterns.length > 1 || ['anyOf', 'oneOf', 'allOf'].some(key => ownMember(schema, key) !== undefined))
    return undefined;
  const refs = new Set(seen);
  const found = resolved(values, source, refs)?.schema;
  const field = found && (unionOf(found, source, refs) ?? plainFieldOf(found, source, refs));
  return field && { kind: 'record', values: field };
}

/** A record whose names are listed, as zod writes it, is an object with these properties. */
export function withNamedMembers(schema: JsonSchema): JsonSchema {
  const { propertyNames, additionalProperties, properties, ...others } = schema;
  const names = ownMember(propertyNames, 'enum');
  const isNamed = Array.isArray(names) && names.length <= MAX_NAMES && names.every(name => typeof name === 'string');
  if (!isNamed || properties !== undefined || !isObject(additionalProperties)) return schema;
  return { ...others, properties: Object.fromEntries(names.map(name => [name, additionalProperties])) };
}

/** A field to which null is one more answer. */
export function orNull(field: Field): Field {
  const none: Option = { label: 'null', value: null };
  switch (field.kind) {
    case 'boolean':
      return { kind: 'choice', options: [...BOOLEANS, none] };
    case 'choice':
      return field.options.some(({ value }) => value === null)
        ? field
        : { ...field, options: [...field.options, none] };
    case 'union':
      return { ...field, alternatives: [...field.alternatives, { kind: 'null' }] };
    default:
      return { kind: 'union', alternatives: [field, { kind: 'null' }] };
  }
}

function scalarOf(schema: JsonSchema, budget: FormBudget): ScalarField | undefined {
  const options = optionsOf(schema, budget);
  if (options) return { kind: 'choice', options };
  // Whatever else limits such a value is left to the check of the whole.
  switch (schema.type) {
    case 'boolean':
      return { kind: 'boolean' };
    case 'integer':
    case 'number': {
      const bounds = ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'] as const;
      return { kind: 'number', integer: schema.type === 'integer', ...numbers(schema, bounds) };
    }
    case 'string': {
      const { pattern } = schema;
      const format = schema.format ?? (typeof pattern === 'string' ? formatOfPattern(pattern) : undefined);
      return {
        kind: 'string',
        ...(typeof format === 'string' && { format }),
        ...numbers(schema, ['minLength', 'maxLength']),
        ...(typeof pattern === 'string' && { pattern }),
      };
    }
    default:
      return undefined;
  }
}

function numbers<K extends string>(schema: JsonSchema, keys: readonly K[]): Partial<Record<K, number>> {
  return Object.fromEntries(
    keys.flatMap(key => (typeof schema[key] === 'number' ? [[key, schema[key]]] : [])),
  ) as never;
}

interface OptionValue {
  readonly value: unknown;
  /** Default: the value. */
  readonly title: unknown;
}

/** `enum`, with the titles of `enumNames` where they fit; `const`; alternatives that are each a `const` with a title. */
function valuesOf(schema: JsonSchema): OptionValue[] | undefined {
  const { enum: values, enumNames } = schema;
  if (Array.isArray(values) && values.length > 0) {
    if (values.length > MAX_OPTIONS) return undefined;
    const names = Array.isArray(enumNames) && enumNames.length === values.length ? enumNames : [];
    return values.map((value, index) => ({ value, title: names[index] }));
  }
  if (schema.const !== undefined) return [{ value: schema.const, title: undefined }];
  const alternatives = schema.oneOf ?? schema.anyOf;
  if (!Array.isArray(alternatives) || alternatives.length === 0 || alternatives.length > MAX_OPTIONS) return undefined;
  if (!alternatives.every(one => isObject(one) && one.const !== undefined)) return undefined;
  return alternatives.map(({ const: value, title }) => ({ value, title }));
}

/** Undefined also where the options of the form have become too many. */
function optionsOf(schema: JsonSchema, budget: FormBudget): Option[] | undefined {
  const options: Option[] = [];
  for (const { value, title } of (budget.spend(0) && valuesOf(schema)) || []) {
    // Finding that out, or the label, may take long for each field again.
    const label = isDeeper([title, value], MAX_LEVELS) ? undefined : labelOf(title ?? value);
    if (!budget.spend(label === undefined ? Number.POSITIVE_INFINITY : label.length + PER_OPTION)) return undefined;
    options.push({ label: label!, value });
  }
  return options.length > 0 ? options : undefined;
}

/** Characters that an option costs besides its label. */
const PER_OPTION = 20;

const labelOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

/** A part of a schema with the definitions that its references need. */
export function standalone(part: unknown, { $defs, definitions }: JsonSchema): JsonSchema {
  const own = isObject(part) ? part : {};
  return { ...($defs !== undefined && { $defs }), ...(definitions !== undefined && { definitions }), ...own };
}

const MAX_HOPS = 20;

/** A schema without references, and whether null was taken out of it. */
interface Resolution {
  readonly schema: JsonSchema;
  readonly isNullable: boolean;
}

/**
 * A schema with its local `$ref`s followed, a lone `allOf` taken in, and `null` taken out of what is "X or null". Undefined for a
 * reference that leads nowhere, in a circle (`seen`) or out of the schema, and once the form has become too large.
 */
export function resolved(
  schema: unknown,
  { root, budget }: FieldSource,
  seen: Set<string> = new Set(),
): Resolution | undefined {
  let current = schema === true ? {} : schema;
  let isNullable = false;
  for (let hop = 0; hop < MAX_HOPS; hop++) {
    if (!isObject(current) || !budget.spend(0) || !budget.spend(membersOf(current) * PER_MEMBER)) return undefined;
    const { $ref, allOf, ...others } = current;
    if (typeof $ref === 'string') {
      if (seen.has($ref)) return undefined;
      seen.add($ref);
      const target = partAt(root, $ref);
      if (!isObject(target)) return undefined;
      current = { ...target, ...others };
    } else if (Array.isArray(allOf) && allOf.length === 1 && isObject(allOf[0])) {
      current = { ...allOf[0], ...others };
    } else if (Array.isArray(current.type) && current.type.length === 1) {
      current = { ...current, type: current.type[0] };
    } else {
      const withoutNull = nullable(current);
      if (!withoutNull) return { schema: current, isNullable };
      isNullable = true;
      current = withoutNull;
    }
  }
  return undefined;
}

/** What a member costs: some are copied again and again. */
const PER_MEMBER = 10;

/** What is looked at or copied for each hop. */
const membersOf = (schema: JsonSchema): number =>
  [schema.anyOf, schema.oneOf, schema.type].reduce(
    (sum: number, list) => sum + (Array.isArray(list) ? list.length : 0),
    Object.keys(schema).length,
  );

/** `anyOf: [X, {type: null}]` as X, `type: [X, null]` as X; the same where X are several. Undefined for any other schema. */
function nullable(schema: JsonSchema): JsonSchema | undefined {
  const { anyOf, oneOf, ...others } = schema;
  const alternatives = anyOf ?? oneOf;
  if (Array.isArray(alternatives)) {
    const rest = alternatives.filter(one => ownMember(one, 'type') !== 'null');
    if (rest.length === 1 && alternatives.length > 1 && isObject(rest[0])) return { ...rest[0], ...others };
    if (rest.length > 1 && rest.length < alternatives.length) return { ...others, anyOf: rest };
  }
  const { type } = schema;
  if (Array.isArray(type)) {
    const rest = type.filter(one => one !== 'null');
    if (rest.length > 0 && rest.length < type.length) return { ...schema, type: rest };
  }
  return undefined;
}
