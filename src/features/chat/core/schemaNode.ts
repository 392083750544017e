/** A JSON schema, or a part of one, as a server sent it: any keyword may hold anything. */
export type SchemaNode = Readonly<Record<string, unknown>>;

const TYPES = ['string', 'number', 'integer', 'boolean', 'array', 'object', 'null'] as const;
export type SchemaType = (typeof TYPES)[number];

export function isNode(value: unknown): value is SchemaNode {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Own entries, without the one key that can't be copied by assignment. */
export function entriesOf(value: unknown): readonly [string, unknown][] {
  return isNode(value) ? Object.entries(value).filter(([key]) => key !== '__proto__') : [];
}

export function stringsOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter(item => typeof item === 'string') : [];
}

/** The types that a node allows; empty when it does not say. */
export function typesOf(node: SchemaNode): readonly SchemaType[] {
  const declared = Array.isArray(node.type) ? node.type : [node.type];
  const types = TYPES.filter(type => declared.includes(type));
  if (types.length > 0) return types.includes('number') ? types.filter(type => type !== 'integer') : types;
  if (isNode(node.properties)) return ['object'];
  if (node.items !== undefined || node.prefixItems !== undefined) return ['array'];
  const values = valuesOf(node) ?? [];
  return TYPES.filter(type => type !== 'integer' && values.some(value => isOfType(value, type)));
}

/** The values that a node is limited to by `enum` or `const`, if they are simple ones. */
export function valuesOf(node: SchemaNode): readonly unknown[] | undefined {
  const values = Object.hasOwn(node, 'const') ? [node.const] : node.enum;
  return Array.isArray(values) && values.length > 0 && values.every(isSimple) ? values : undefined;
}

export function isOfType(value: unknown, type: SchemaType): boolean {
  if (type === 'null') return value === null;
  if (type === 'integer') return Number.isInteger(value);
  return typeof value === type && value !== null;
}

/** Whether a value is neither list nor object. */
export function isSimple(value: unknown): boolean {
  return value === null || ['string', 'number', 'boolean'].includes(typeof value);
}

/** Both at once, as `allOf` has it. Where they differ and can't be joined, `second` counts. */
export function merge(first: SchemaNode, second: SchemaNode): SchemaNode {
  const merged: Record<string, unknown> = { ...first, ...second };
  if (isNode(first.properties) && isNode(second.properties)) {
    const properties = new Map(entriesOf(first.properties));
    for (const [key, value] of entriesOf(second.properties)) {
      const before = properties.get(key);
      properties.set(key, before === undefined ? value : { allOf: [before, value] });
    }
    merged.properties = Object.fromEntries(properties);
  }
  if (first.required !== undefined) merged.required = [...stringsOf(first.required), ...stringsOf(second.required)];
  return merged;
}

/** Resolves a local JSON pointer (`#/$defs/a`); undefined when it leads nowhere. */
export function resolvePointer(root: SchemaNode, pointer: string): SchemaNode | undefined {
  if (pointer !== '#' && !pointer.startsWith('#/')) return undefined;
  let place: unknown = root;
  for (const step of pointer.slice(0, 2000).split('/').slice(1)) {
    const key = decodeStep(step);
    if (typeof place !== 'object' || place === null || key === '__proto__' || !Object.hasOwn(place, key))
      return undefined;
    place = (place as SchemaNode)[key];
  }
  return isNode(place) ? place : undefined;
}

function decodeStep(step: string): string {
  try {
    return decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~');
  } catch {
    return step;
  }
}
