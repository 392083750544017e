import { isObject } from '../../../base/json';
import { localSchema, partAt } from '../../../base/localSchema';
import type { Phrase } from '../../../base/phrase';

export interface Option {
  label: Phrase | string;
  value: unknown;
}

interface About {
  /** Where in the arguments the value goes; empty: it is all of them. */
  path: readonly string[];
  /** The schema's own words, unescaped. */
  title?: string;
  description?: string;
  required: boolean;
  default?: unknown;
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

export type FormStep = About & (ScalarField | ListField | JsonField);

/** Objects in objects, beyond which a form is harder to follow than JSON. */
const MAX_DEPTH = 3;
/** Beyond this many questions the whole is asked for as JSON, unless the caller allows more. */
const MAX_STEPS = 40;
const MOST_STEPS = 300;

/**
 * The questions that give the arguments of a tool (spec: server/tools, `inputSchema`), in the order of the schema. What no
 * form can express is a step of JSON, at worst one for the whole. Never throws: the schema comes from a server.
 */
export function formOf(inputSchema: JsonSchema, maxSteps = MAX_STEPS): FormStep[] {
  const whole: FormStep[] = [{ path: [], required: true, kind: 'json', schema: inputSchema }];
  const { schema: local } = localSchema(inputSchema);
  const root = resolved(local, local);
  if (!root) return whole;
  const properties = isObject(root.properties) ? root.properties : {};
  if (Object.keys(properties).length === 0) return isOpen(root) ? whole : [];
  const steps: FormStep[] = [];
  const fits = addSteps(steps, root, { path: [], required: true }, { root: local, seen: new Set() });
  return fits && steps.length <= maxSteps ? steps : whole;
}

/** Whether an object without listed properties still means to take some. */
function isOpen(schema: JsonSchema): boolean {
  const alternatives = ['anyOf', 'oneOf', 'allOf', 'patternProperties', '$ref', 'if'];
  return isObject(schema.additionalProperties) || alternatives.some(key => own(schema, key) !== undefined);
}

interface Resolving {
  readonly root: JsonSchema;
  /** References on the way here. */
  readonly seen: ReadonlySet<string>;
}

/** False when there are too many. */
function addSteps(steps: FormStep[], schema: JsonSchema, about: About, { root, seen }: Resolving): boolean {
  const required = Array.isArray(schema.required) ? schema.required : [];
  for (const [name, property] of Object.entries(schema.properties as object)) {
    if (steps.length >= MOST_STEPS) return false;
    const refs = new Set(seen);
    const found = resolved(property, root, refs);
    const path = [...about.path, name];
    const inherited = own(about.default, name);
    const field = found && fieldOf(found, root, refs);
    const next: About = {
      path,
      ...textOf(found, 'title'),
      ...textOf(found, 'description'),
      required: about.required && required.includes(name),
      ...defaultOf(found?.default ?? inherited),
    };
    if (found && !field && isPlainObject(found) && path.length <= MAX_DEPTH) {
      if (!addSteps(steps, found, next, { root, seen: refs })) return false;
    } else {
      steps.push({ ...next, ...(field ?? { kind: 'json', schema: standalone(property, root) }) });
    }
  }
  return steps.length <= MOST_STEPS;
}

function textOf(
  schema: JsonSchema | undefined,
  key: 'title' | 'description',
): { title?: string; description?: string } {
  const text = schema?.[key];
  return typeof text === 'string' && text !== '' ? { [key]: text } : {};
}

function defaultOf(value: unknown): { default?: unknown } {
  return value === undefined || value === null ? {} : { default: value };
}

/** An object of which all properties are listed. */
function isPlainObject(schema: JsonSchema): boolean {
  const { type, properties, additionalProperties } = schema;
  if (type !== undefined && type !== 'object') return false;
  if (isObject(additionalProperties) || ['anyOf', 'oneOf', 'allOf', 'patternProperties'].some(key => key in schema)) {
    return false;
  }
  return isObject(properties) && Object.keys(properties).length > 0;
}

/** A part of a schema with the definitions that its references need. */
function standalone(part: unknown, { $defs, definitions }: JsonSchema): JsonSchema {
  const own = isObject(part) ? part : {};
  return { ...($defs !== undefined && { $defs }), ...(definitions !== undefined && { definitions }), ...own };
}

function fieldOf(schema: JsonSchema, root: JsonSchema, seen: Set<string>): ScalarField | ListField | undefined {
  if (schema.type !== 'array') return scalarOf(schema);
  const items = resolved(schema.items, root, new Set(seen));
  const field = items && schema.items !== true && scalarOf(items);
  if (!field || schema.prefixItems !== undefined || field.kind === 'boolean') return undefined;
  return {
    kind: 'list',
    items: field,
    ...numbers(schema, ['minItems', 'maxItems']),
    unique: schema.uniqueItems === true,
  };
}

function scalarOf(schema: JsonSchema): ScalarField | undefined {
  const options = optionsOf(schema);
  if (options) return { kind: 'choice', options };
  if (['anyOf', 'oneOf', 'allOf', 'not', 'if'].some(key => own(schema, key) !== undefined)) return undefined;
  switch (schema.type) {
    case 'boolean':
      return { kind: 'boolean' };
    case 'integer':
    case 'number': {
      const bounds = ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'] as const;
      return { kind: 'number', integer: schema.type === 'integer', ...numbers(schema, bounds) };
    }
    case 'string': {
      const { format, pattern } = schema;
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

/** `enum`, with the titles of `enumNames` where they fit; `const`; alternatives that are each a `const` with a title. */
function optionsOf(schema: JsonSchema): Option[] | undefined {
  const { enum: values, enumNames } = schema;
  if (Array.isArray(values) && values.length > 0) {
    const names = Array.isArray(enumNames) && enumNames.length === values.length ? enumNames : [];
    return values.map((value, index) => ({ label: labelOf(names[index] ?? value), value }));
  }
  if (schema.const !== undefined) return [{ label: labelOf(schema.const), value: schema.const }];
  const alternatives = schema.oneOf ?? schema.anyOf;
  if (!Array.isArray(alternatives) || alternatives.length === 0) return undefined;
  if (!alternatives.every(one => isObject(one) && one.const !== undefined)) return undefined;
  return alternatives.map(({ const: value, title }) => ({ label: labelOf(title ?? value), value }));
}

function labelOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

export function valueAt(args: unknown, path: readonly string[]): unknown {
  return path.reduce(own, args);
}

/** The arguments with a value put in or, for undefined, taken out; objects that are left empty by that go too. */
export function withValue(args: unknown, [name, ...rest]: readonly string[], value: unknown): Record<string, unknown> {
  const copy: Record<string, unknown> = {};
  for (const [key, item] of Object.entries(isObject(args) ? args : {})) put(copy, key, item);
  if (name === undefined) return isObject(value) ? value : copy;
  const inner = rest.length > 0 ? withValue(own(copy, name), rest, value) : value;
  const isEmpty =
    inner === undefined || (rest.length > 0 && value === undefined && Object.keys(inner as object).length === 0);
  if (isEmpty) delete copy[name];
  else put(copy, name, inner);
  return copy;
}

/** A JSON schema as a server sent it: nothing in it is known to be as it should. */
export type JsonSchema = Record<string, unknown>;

/** Not `record[key]`: an argument may well be called "constructor". */
function own(record: unknown, key: string): unknown {
  return isObject(record) && Object.hasOwn(record, key) ? record[key] : undefined;
}

/** Not `record[key] = value`: an argument may well be called "__proto__". */
function put(record: Record<string, unknown>, key: string, value: unknown): void {
  Object.defineProperty(record, key, { value, enumerable: true, configurable: true, writable: true });
}

const MAX_HOPS = 20;

/**
 * A schema with its local `$ref`s followed, a lone `allOf` taken in, and `null` taken out of what is "X or null": a form
 * leaves such a value out. Undefined for a reference that leads nowhere, in a circle (`seen`) or out of the schema.
 */
function resolved(schema: unknown, root: JsonSchema, seen: Set<string> = new Set()): JsonSchema | undefined {
  let current = schema === true ? {} : schema;
  for (let hop = 0; hop < MAX_HOPS; hop++) {
    if (!isObject(current)) return undefined;
    const { $ref, allOf, ...others } = current;
    if (typeof $ref === 'string') {
      if (seen.has($ref)) return undefined;
      seen.add($ref);
      const target = partAt(root, $ref);
      if (!isObject(target)) return undefined;
      current = { ...target, ...others };
    } else if (Array.isArray(allOf) && allOf.length === 1 && isObject(allOf[0])) {
      current = { ...allOf[0], ...others };
    } else {
      const withoutNull = nullable(current);
      if (!withoutNull) return current;
      current = withoutNull;
    }
  }
  return undefined;
}

/** `anyOf: [X, {type: null}]` as X, `type: [X, null]` as X. Undefined for any other schema. */
function nullable(schema: JsonSchema): JsonSchema | undefined {
  const { anyOf, oneOf, type, ...others } = schema;
  const alternatives = anyOf ?? oneOf;
  if (Array.isArray(alternatives)) {
    const rest = alternatives.filter(one => own(one, 'type') !== 'null');
    if (alternatives.length > 1 && rest.length === 1 && isObject(rest[0])) return { ...rest[0], ...others };
  }
  if (Array.isArray(type)) {
    const rest = type.filter(one => one !== 'null');
    if (rest.length === 1) return { ...schema, type: rest[0] };
  }
  return undefined;
}
