import type { StandardSchemaV1 } from '@modelcontextprotocol/client';
import * as z from 'zod';

export type Path = readonly (string | number)[];

/** A value that fits a schema and has all its optional parts. */
export interface Example {
  readonly value: unknown;
  /** Where its optional parts are. */
  readonly optional: readonly Path[];
}

interface JsonSchema {
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly default?: unknown;
  readonly format?: string;
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
  readonly items?: JsonSchema;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: JsonSchema | boolean;
  readonly maximum?: number;
}

/** Examples of a type of the specification: one for each member of its largest union. */
export function examplesOf(schema: StandardSchemaV1): Example[] {
  return examples(
    z.toJSONSchema(schema as unknown as z.ZodType, { io: 'input', unrepresentable: 'any' }) as JsonSchema,
  );
}

function examples(schema: JsonSchema): Example[] {
  const { oneOf, anyOf = oneOf, properties = {}, required = [], additionalProperties: others } = schema;
  const [type] = [schema.type].flat();
  if (schema.const !== undefined || schema.enum) return [{ value: schema.const ?? schema.enum?.[0], optional: [] }];
  if (anyOf) return anyOf.flatMap(examples);
  if (type === 'array')
    return [
      joined(
        examples(schema.items ?? {}).map((example, index) => [index, example]),
        [],
      ),
    ];
  if (type === 'object') {
    const members = Object.entries(properties).map(([name, member]) => [name, examples(member)] as const);
    const optional = Object.keys(properties).filter(
      name => !required.includes(name) && properties[name]?.default === undefined,
    );
    if (typeof others === 'object' && Object.keys(others).length > 0)
      examples(others).forEach((example, index) => void members.push([`other${index}`, [example]]));
    const count = Math.max(1, ...members.map(([, all]) => all.length));
    return Array.from({ length: count }, (_, index) =>
      joined(
        members.map(([name, all]) => [name, all[index % all.length]!]),
        optional,
      ),
    );
  }
  if (type === 'number' || type === 'integer') return [{ value: Math.min(1, schema.maximum ?? 1), optional: [] }];
  if (type === 'boolean') return [{ value: true, optional: [] }];
  if (type === 'null') return [{ value: null, optional: [] }];
  if (type === 'string') return [{ value: TEXTS[schema.format ?? ''] ?? 'text', optional: [] }];
  return [{ value: {}, optional: [] }];
}

const TEXTS: Readonly<Record<string, string>> = { 'date-time': '2025-01-01T00:00:00Z', uri: 'https://example.com/' };

/** The example made of these members. */
function joined(members: readonly (readonly [string | number, Example])[], optional: readonly string[]): Example {
  const isArray = members.length > 0 && members.every(([key]) => typeof key === 'number');
  return {
    value: isArray
      ? members.map(([, { value }]) => value)
      : Object.fromEntries(members.map(([key, { value }]) => [key, value])),
    optional: members.flatMap(([key, example]) => [
      ...(optional.includes(String(key)) ? [[key]] : []),
      ...example.optional.map(path => [key, ...path]),
    ]),
  };
}

/** A copy in which a part is another. Undefined takes it out. */
export function withPart(root: unknown, path: Path, part: unknown): unknown {
  // Parts that are the same object in an example become two.
  const copy = JSON.parse(JSON.stringify(root)) as unknown;
  let parent = copy as Record<string | number, unknown>;
  for (const key of path.slice(0, -1)) parent = Object(parent[key]) as typeof parent;
  if (part === undefined) delete parent[path.at(-1)!];
  else parent[path.at(-1)!] = part;
  return copy;
}
