import { isObject } from '../../../base/json';

/** The arguments of a call as a person types them: JSON, and `name=value` pairs, which win. */
export interface GivenArguments {
  readonly json?: Readonly<Record<string, unknown>>;
  readonly pairs: readonly (readonly [name: string, value: string])[];
}

/** Splits `name=value`. Undefined if there is no name. */
export function pairOf(text: string): readonly [string, string] | undefined {
  const at = text.indexOf('=');
  return at > 0 ? [text.slice(0, at), text.slice(at + 1)] : undefined;
}

/**
 * The arguments to send. A value is JSON where the tool's schema does not ask for a text: `count=3` is a number, unless `count` is
 * to be a string. What is no JSON is a text all the same, so that the server can say what it thinks of it.
 */
export function readArguments(inputSchema: unknown, { json, pairs }: GivenArguments): Record<string, unknown> {
  const properties = isObject(inputSchema) && isObject(inputSchema.properties) ? inputSchema.properties : {};
  const typed = pairs.map(([name, value]) => {
    const property = Object.hasOwn(properties, name) ? properties[name] : undefined;
    return [name, isText(property) ? value : jsonOr(value)] as const;
  });
  return Object.fromEntries([...Object.entries(json ?? {}), ...typed]);
}

function isText(property: unknown): boolean {
  if (!isObject(property)) return false;
  const { type, enum: values, const: only } = property;
  if (type !== undefined) return [type].flat().includes('string');
  const known = Array.isArray(values) ? values : only === undefined ? [] : [only];
  return known.length > 0 && known.every(value => typeof value === 'string');
}

function jsonOr(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
