import type {
  JsonSchemaType,
  JsonSchemaValidator,
  jsonSchemaValidator as Validator,
} from '@modelcontextprotocol/client';
import { PhraseError, phrase } from '../../base/phrase';
import { visible } from '../../base/text';

/** The dialects that the validator knows; a schema that names none is of 2020-12 (spec: basic#json-schema-usage). */
const DIALECT = /^https?:\/\/json-schema\.org\/(draft\/(2020-12|2019-09)|draft-0[67])\/schema#?$/;

/** Deeper schemas are not examined. The catalog offers no tool with one. */
export const MAX_SCHEMA_DEPTH = 50;
/** A schema that expands to more than this many, when its references are followed, is refused. */
const MAX_SCHEMA_COST = 100_000;

/**
 * Checks values against the JSON schemas of servers. Regular expressions in them are ignored: a malicious one would block
 * the whole editor, and the server checks its own patterns.
 */
export class SchemaValidator implements Validator {
  #validator: Validator | undefined;

  /** @throws PhraseError for a schema of another dialect, or one that would take forever. */
  getValidator<T>(schema: JsonSchemaType): JsonSchemaValidator<T> {
    const { $schema: dialect } = schema as { $schema?: unknown };
    if (typeof dialect === 'string' && !DIALECT.test(dialect)) {
      const known = '2020-12, 2019-09, draft-07, draft-06';
      throw new PhraseError(phrase('the dialect {0} is not supported, only {1}', visible(dialect, 200), known));
    }
    if (schemaCost(schema) > MAX_SCHEMA_COST)
      throw new PhraseError(phrase('it refers to its own parts too many times'));
    this.#validator ??= new (onDemand().CfWorkerJsonSchemaValidator)();
    return this.#validator.getValidator<T>(withoutPatterns(schema, 0) as JsonSchemaType);
  }
}

const onDemand = () => require('./onDemand') as typeof import('./onDemand');

/**
 * The problem of a value with a JSON schema, in words; undefined if none. An unusable schema is reported instead of thrown,
 * because it comes from a server.
 */
export function schemaProblem(schema: Record<string, unknown>, value: unknown): string | undefined {
  try {
    const result = new SchemaValidator().getValidator(schema)(value);
    return result.valid ? undefined : onDemand().plainProblem(result.errorMessage);
  } catch (error) {
    return `its schema can't be used: ${error instanceof Error ? error.message : error}`;
  }
}

/** A copy without `pattern` and `patternProperties`, where they are keywords and not property names. */
function withoutPatterns(schema: unknown, depth: number, areNames = false): unknown {
  if (depth > MAX_SCHEMA_DEPTH || typeof schema !== 'object' || schema === null) return schema;
  if (Array.isArray(schema)) return schema.map(item => withoutPatterns(item, depth + 1));
  const entries = Object.entries(schema).filter(
    ([key]) => areNames || (key !== 'pattern' && key !== 'patternProperties'),
  );
  return Object.fromEntries(
    entries.map(([key, value]) => [
      key,
      // Data is not a schema: a constant may well have a member "pattern".
      !areNames && ['const', 'enum', 'default', 'examples'].includes(key)
        ? value
        : withoutPatterns(
            value,
            depth + 1,
            !areNames && ['properties', '$defs', 'definitions', 'dependentSchemas'].includes(key),
          ),
    ]),
  );
}

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
