import { type Phrase, phrase } from '../../base/phrase';
import { visible } from '../../base/text';
import { typeName } from '../sdk/listResults';
import { MAX_SCHEMA_DEPTH } from '../sdk/schemaValidator';

/** In characters of JSON, approximately. A model is offered far less, and a form has no use for more. */
const MAX_SCHEMA_LENGTH = 256 * 1024;

type Shape = 'object' | 'array' | 'string' | 'stringOrArray';

/** Keywords that the validator traverses without checking, so that anything but schemas there makes it throw. */
const SHAPES: Readonly<Record<string, Shape>> = {
  properties: 'object',
  patternProperties: 'object',
  dependentSchemas: 'object',
  $defs: 'object',
  definitions: 'object',
  allOf: 'array',
  anyOf: 'array',
  oneOf: 'array',
  enum: 'array',
  type: 'stringOrArray',
  $ref: 'string',
};

/** Keywords whose members are schemas by name. */
const NAMED = new Set(['properties', 'patternProperties', 'dependentSchemas', '$defs', 'definitions']);
/** Keywords whose value is data, in which keywords have no meaning. */
const DATA = new Set(['const', 'enum', 'default', 'examples']);

type Role = 'schema' | 'names' | 'data';

/**
 * Why a tool can't be offered because of one of its JSON schemas, worded to complete "it was left out: its input schema ";
 * undefined if it can. Visits each part once and runs none of it, because the schema comes from a server.
 */
export function toolSchemaProblem(schema: unknown): Phrase | undefined {
  if (typeOf(schema) !== 'object') return phrase('is {0}, not an object', typeName(schema));
  let length = 0;
  const open: [node: unknown, depth: number, role: Role][] = [[schema, 0, 'schema']];
  while (open.length > 0) {
    const [node, depth, role] = open.pop()!;
    if (typeof node !== 'object' || node === null) {
      length += typeof node === 'string' ? node.length + 3 : 6;
      if (length > MAX_SCHEMA_LENGTH) break;
      continue;
    }
    if (depth > MAX_SCHEMA_DEPTH) return phrase('is nested deeper than {0} levels', MAX_SCHEMA_DEPTH);
    length += 2;
    if (Array.isArray(node)) {
      length += node.length;
      if (length > MAX_SCHEMA_LENGTH) break;
      for (const item of node) open.push([item, depth + 1, role]);
    } else {
      for (const [key, value] of Object.entries(node)) {
        length += key.length + 4;
        const problem = role === 'schema' ? shapeProblem(key, value) : undefined;
        if (problem) return problem;
        open.push([value, depth + 1, roleOf(key, role)]);
      }
    }
    if (length > MAX_SCHEMA_LENGTH) break;
  }
  return length > MAX_SCHEMA_LENGTH ? phrase('is larger than {0} KB', MAX_SCHEMA_LENGTH / 1024) : undefined;
}

function roleOf(key: string, role: Role): Role {
  if (role === 'names') return 'schema';
  if (role === 'data' || DATA.has(key)) return 'data';
  return NAMED.has(key) ? 'names' : 'schema';
}

function shapeProblem(keyword: string, value: unknown): Phrase | undefined {
  const shape = Object.hasOwn(SHAPES, keyword) ? SHAPES[keyword] : undefined;
  const type = typeOf(value);
  if (!shape || type === shape || (shape === 'stringOrArray' && (type === 'string' || type === 'array'))) {
    return undefined;
  }
  return phrase('can\'t be used: "{0}" is {1}', visible(keyword), typeName(value));
}

function typeOf(value: unknown): string {
  return value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value;
}
