/** A JSON schema, or a part of one, as a server sent it: any keyword may hold anything. */
export type SchemaNode = Readonly<Record<string, unknown>>;

const TYPES = ['string', 'number', 'integer', 'boolean', 'array', 'object', 'null'] as const;
export type SchemaType = (typeof TYPES)[number];
const MAX_ALTERNATIVES = 50;

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

/** The texts that a node is limited to. One provider takes only an `enum` of texts, none of them empty. */
export function textsOf(node: SchemaNode): readonly unknown[] | undefined {
  const texts = valuesOf(node)?.filter(value => value !== null);
  return texts?.length && texts.every(value => typeof value === 'string' && value !== '') ? texts : undefined;
}

export function isOfType(value: unknown, type: SchemaType): boolean {
  if (type === 'null') return value === null;
  if (type === 'integer') return Number.isInteger(value);
  return typeof value === type && value !== null;
}

/** What a node may be besides. */
export function alternativesOf({ anyOf, oneOf }: SchemaNode): readonly unknown[] {
  const alternatives = Array.isArray(anyOf) ? anyOf : Array.isArray(oneOf) ? oneOf : [];
  return alternatives.slice(0, MAX_ALTERNATIVES);
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

/** The values that a text is limited to. As a keyword, one provider takes only texts, none of them empty. */
export function limits(node: SchemaNode): SchemaNode {
  const values = valuesOf(node)?.filter(value => typeof value === 'string') ?? [];
  return values.length > 0 && values.every(value => value !== '') ? { enum: [...new Set(values)] } : {};
}

export function counts(node: SchemaNode, ...keywords: string[]): SchemaNode {
  const isCount = (value: unknown) => Number.isSafeInteger(value) && (value as number) >= 0;
  return Object.fromEntries(keywords.filter(key => isCount(node[key])).map(key => [key, node[key]]));
}

/**
 * Fewer providers support exclusive bounds: for integers, equivalent inclusive ones replace them. In draft-04 they are flags of the
 * inclusive ones.
 */
export function bounds(node: SchemaNode, type: 'number' | 'integer'): SchemaNode {
  const { minimum, maximum, exclusiveMinimum: above, exclusiveMaximum: below } = node;
  const rounded = (value: unknown, round: (value: number) => number) =>
    Number.isFinite(value) ? [type === 'integer' ? round(value as number) : (value as number)] : [];
  const least = [
    ...rounded(minimum, value => (above === true ? Math.floor(value) + 1 : Math.ceil(value))),
    ...rounded(above, value => Math.floor(value) + 1),
  ];
  const most = [
    ...rounded(maximum, value => (below === true ? Math.ceil(value) - 1 : Math.floor(value))),
    ...rounded(below, value => Math.ceil(value) - 1),
  ];
  return {
    ...(least.length > 0 && { minimum: Math.max(...least) }),
    ...(most.length > 0 && { maximum: Math.min(...most) }),
  };
}
