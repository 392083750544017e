import type {
  JsonSchemaType,
  JsonSchemaValidator,
  jsonSchemaValidator as Validator,
} from '@modelcontextprotocol/client';
import { CfWorkerJsonSchemaValidator } from '@modelcontextprotocol/client/validators/cf-worker';
import { PhraseError, phrase } from '../../base/phrase';
import { visible } from '../../base/text';
import { DATA, isCheckable, isSchema, MAX_SCHEMA_DEPTH, NAMED } from './schemaKeywords';

/** The dialects that the validator knows; a schema that names none is of 2020-12 (spec: basic#json-schema-usage). */
const DIALECT = /^https?:\/\/json-schema\.org\/(draft\/(2020-12|2019-09)|draft-0[67])\/schema#?$/;

/** A schema that expands to more than this many, when its references are followed, is refused. */
const MAX_SCHEMA_COST = 100_000;

/** Loaded with the first value that is checked. See `SchemaValidator`. */
export class SchemaChecks implements Validator {
  readonly #validator = new CfWorkerJsonSchemaValidator();

  getValidator<T>(schema: JsonSchemaType): JsonSchemaValidator<T> {
    const { $schema: dialect } = schema as { $schema?: unknown };
    if (typeof dialect === 'string' && !DIALECT.test(dialect)) {
      const known = '2020-12, 2019-09, draft-07, draft-06';
      throw new PhraseError(phrase('the dialect {0} is not supported, only {1}', visible(dialect, 200), known));
    }
    if (schemaCost(schema) > MAX_SCHEMA_COST)
      throw new PhraseError(phrase('it refers to its own parts too many times'));
    return this.#validator.getValidator<T>(checkable(schema, dialect) as JsonSchemaType);
  }
}

/** A copy without patterns and without what its dialect does not allow, where these are keywords and not names or data. */
function checkable(schema: unknown, dialect: unknown, depth = 0, areNames = false): unknown {
  if (depth > MAX_SCHEMA_DEPTH || typeof schema !== 'object' || schema === null) return schema;
  if (Array.isArray(schema)) return schema.map(item => checkable(item, dialect, depth + 1));
  const isKept = ([key, value]: [string, unknown]) =>
    areNames
      ? isSchema(value)
      : key !== 'pattern' && key !== 'patternProperties' && isAllowed(key, value) && isCheckable(key, value, dialect);
  const entries = Object.entries(schema).filter(isKept);
  return Object.fromEntries(
    entries.map(([key, value]) => [
      key,
      // Data is not a schema: a constant may well have a member "pattern".
      !areNames && DATA.has(key) ? value : checkable(value, dialect, depth + 1, !areNames && NAMED.has(key)),
    ]),
  );
}

/** Null is the value of an absent keyword, except where it is data. */
const isAllowed = (keyword: string, value: unknown) => value !== null || DATA.has(keyword);

/**
 * The most schemas that a validator would visit for one value: through references, a few lines can stand for billions. A
 * schema that refers to itself counts once, because how often it is used depends on the value.
 */
function schemaCost(root: unknown): number {
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

/** The target of a reference within the document: `#`, `#/$defs/name` (RFC 6901). No other references are followed. */
function resolve(root: unknown, reference: string): unknown {
  if (!reference.startsWith('#')) return undefined;
  let at = root;
  for (const part of reference.slice(1).split('/').slice(1)) {
    const key = decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~');
    at = typeof at === 'object' && at !== null ? (at as Record<string, unknown>)[key] : undefined;
  }
  return at;
}
