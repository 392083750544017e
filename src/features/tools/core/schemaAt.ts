import { isObject } from '../../../base/json';
import { type FormStep, formOf, type JsonSchema, own, resolved } from './schemaForm';

/** A property that an object may have, as its schema describes it. */
interface SchemaProperty {
  readonly name: string;
  readonly required: boolean;
  readonly schema: JsonSchema | undefined;
}

/** The schema of the value at a path, if it can be determined; alternatives are not chosen between. */
export function schemaAt(root: JsonSchema, path: readonly (string | number)[]): JsonSchema | undefined {
  let schema = resolved(root, root);
  for (const part of path) {
    if (!schema) return undefined;
    const next: unknown =
      typeof part === 'number'
        ? Array.isArray(schema.prefixItems) && part < schema.prefixItems.length
          ? schema.prefixItems[part]
          : schema.items
        : (own(schema.properties, part) ?? schema.additionalProperties);
    schema = isObject(next) ? resolved(next, root) : undefined;
  }
  return schema;
}

/** The properties of the object at a path. */
export function propertiesAt(root: JsonSchema, path: readonly (string | number)[]): SchemaProperty[] {
  const schema = schemaAt(root, path);
  const required = Array.isArray(schema?.required) ? schema.required : [];
  return Object.entries(isObject(schema?.properties) ? schema.properties : {}).map(([name, property]) => ({
    name,
    required: required.includes(name),
    schema: isObject(property) ? resolved(property, root) : undefined,
  }));
}

/** The values that a schema names: its choices, true and false, its default and examples. Each once. */
export function valuesOf(schema: JsonSchema | undefined): unknown[] {
  if (!schema) return [];
  const step = asStep(schema);
  const named = step?.kind === 'choice' ? step.options.map(({ value }) => value) : [];
  const either = step?.kind === 'boolean' ? [true, false] : [];
  const examples = Array.isArray(schema.examples) ? schema.examples : [];
  const given = schema.default === undefined ? [] : [schema.default];
  return [
    ...new Map([...named, ...either, ...given, ...examples].map(value => [JSON.stringify(value), value])).values(),
  ];
}

/** The form step of a schema. */
export function asStep(schema: JsonSchema): FormStep | undefined {
  return formOf({ type: 'object', properties: { value: schema } }).find(({ path }) => path.length === 1);
}

/** The start of a new value, as JSON. */
export function beginning(schema: JsonSchema | undefined): string {
  const [first] = valuesOf(schema);
  if (first !== undefined) return JSON.stringify(first);
  switch (schema?.type) {
    case 'string':
      return '""';
    case 'array':
      return '[]';
    case 'object':
      return '{}';
    default:
      return '';
  }
}
