import { type Phrase, phrase } from '../../base/phrase';
import { visible } from '../../base/text';

/** Schemas are not examined more deeply than this, because a server may send any depth. */
const MAX_DEPTH = 50;

/** Field names of HTTP (RFC 9110, 5.1). */
const TOKEN = /^[\w!#$%&'*+.^`|~-]+$/;

/** Keywords with subschemas that may not apply to the arguments; declarations inside them are not allowed. */
const SCHEMA_KEYWORDS = (
  'items prefixItems contains additionalProperties unevaluatedProperties unevaluatedItems propertyNames oneOf anyOf allOf ' +
  'not if then else'
).split(' ');
const NAMED_SCHEMA_KEYWORDS = ['patternProperties', 'dependentSchemas', '$defs', 'definitions'];

/**
 * The problem with the `x-mcp-header` declarations in a tool's `inputSchema`, worded to complete "it was left out: ". Undefined
 * if none. A client must leave out tools with invalid ones (spec: basic/transports/streamable-http, modern era): an argument
 * would have to be mirrored into a header that can't be sent. The SDK checks this only in `listTools()`, which the catalog does
 * not use.
 */
export function parameterHeaderProblem(inputSchema: unknown): Phrase | undefined {
  const names = new Set<string>();
  const visit = (schema: unknown, path: readonly string[], reachable: boolean): Phrase | undefined => {
    if (typeof schema !== 'object' || schema === null || path.length > MAX_DEPTH) return undefined;
    const node = schema as Record<string, unknown>;
    if ('x-mcp-header' in node) {
      const problem = declarationProblem(node, reachable && path.length > 0, names);
      if (problem) return phrase('the header of "{0}" {1}', visible(path.join('.'), 100), problem);
    }
    for (const [name, child] of Object.entries(Object(node.properties))) {
      const problem = visit(child, [...path, name], reachable);
      if (problem) return problem;
    }
    for (const [keyword, child] of hiddenSchemas(node)) {
      const problem = visit(child, [...path, keyword], false);
      if (problem) return problem;
    }
    return undefined;
  };
  return visit(inputSchema, [], true);
}

/** The subschemas of a schema other than its properties, each with its keyword. */
function hiddenSchemas(node: Record<string, unknown>): (readonly [string, unknown])[] {
  return [
    ...SCHEMA_KEYWORDS.flatMap(keyword => [node[keyword]].flat().map(child => [keyword, child] as const)),
    ...NAMED_SCHEMA_KEYWORDS.flatMap(keyword =>
      Object.values(Object(node[keyword])).map(child => [keyword, child] as const),
    ),
  ];
}

/** @param names the headers so far, in lower case; the new one is added. */
function declarationProblem(
  { 'x-mcp-header': name, type }: Record<string, unknown>,
  allowed: boolean,
  names: Set<string>,
): Phrase | undefined {
  if (!allowed) return phrase('is on a property that not every call can have');
  if (typeof name !== 'string' || !TOKEN.test(name)) return phrase('has no valid name');
  if (type !== 'string' && type !== 'integer' && type !== 'boolean') {
    return phrase('is for a value that is neither string, integer nor boolean');
  }
  if (names.has(name.toLowerCase())) return phrase('has the same name as another header');
  names.add(name.toLowerCase());
  return undefined;
}
