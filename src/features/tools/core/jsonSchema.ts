import { isObject } from '../../../base/json';
/** A JSON schema as a server sent it: nothing in it is known to be as it should. */
export type JsonSchema = Record<string, unknown>;

/** Not `record[key]`: an argument may well be called "constructor". */
export function own(record: unknown, key: string): unknown {
  return isObject(record) && Object.hasOwn(record, key) ? record[key] : undefined;
}

/** Not `record[key] = value`: an argument may well be called "__proto__". */
export function put(record: Record<string, unknown>, key: string, value: unknown): void {
  Object.defineProperty(record, key, { value, enumerable: true, configurable: true, writable: true });
}

const MAX_HOPS = 20;

/**
 * A schema with its local `$ref`s followed, a lone `allOf` taken in, and `null` taken out of what is "X or null": a form
 * leaves such a value out. Undefined for a reference that leads nowhere, in a circle (`seen`) or out of the schema.
 */
export function resolved(schema: unknown, root: JsonSchema, seen: Set<string> = new Set()): JsonSchema | undefined {
  let current = schema === true ? {} : schema;
  for (let hop = 0; hop < MAX_HOPS; hop++) {
    if (!isObject(current)) return undefined;
    const { $ref, allOf, ...others } = current;
    if (typeof $ref === 'string') {
      if (seen.has($ref)) return undefined;
      seen.add($ref);
      const target = pointed(root, $ref);
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

function pointed(root: JsonSchema, reference: string): unknown {
  if (reference === '#') return root;
  if (!reference.startsWith('#/')) return undefined;
  let target: unknown = root;
  for (const part of reference.slice(2).split('/')) {
    target = own(target, decoded(part).replaceAll('~1', '/').replaceAll('~0', '~'));
  }
  return target;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
