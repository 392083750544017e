/** A schema that expands to more than this many, when its references are followed, is refused. */
export const MAX_SCHEMA_COST = 100_000;

/**
 * The most schemas that a validator would visit for one value: through references, a few lines can stand for billions. A
 * schema that refers to itself counts once, because how often it is used depends on the value.
 */
export function schemaCost(root: unknown): number {
  const known = new Map<object, number>();
  const cost = (schema: unknown): number => {
    if (typeof schema !== 'object' || schema === null) return 0;
    const before = known.get(schema);
    if (before !== undefined) return before;
    known.set(schema, 1);
    const { $ref, ...others } = schema as Record<string, unknown>;
    let sum = typeof $ref === 'string' ? 1 + cost(resolve(root, $ref)) : 1;
    for (const child of Object.values(others)) sum += cost(child);
    known.set(schema, sum);
    return sum;
  };
  return cost(root);
}

/** What a reference within the document points to: `#`, `#/$defs/name` (RFC 6901). No other references are followed. */
function resolve(root: unknown, reference: string): unknown {
  if (!reference.startsWith('#')) return undefined;
  let at = root;
  for (const part of reference.slice(1).split('/').slice(1)) {
    const key = decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~');
    at = typeof at === 'object' && at !== null ? (at as Record<string, unknown>)[key] : undefined;
  }
  return at;
}
