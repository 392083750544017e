import type {
  JsonSchemaType,
  JsonSchemaValidator,
  jsonSchemaValidator as Validator,
} from '@modelcontextprotocol/client';

/**
 * Checks values against the JSON schemas of servers. Regular expressions in them are ignored: a malicious one would block
 * the whole editor, and the server checks its own patterns. So are keywords whose value their dialect does not allow.
 */
export class SchemaValidator implements Validator {
  #checks: Validator | undefined;

  /** @throws PhraseError for a schema of another dialect, or one that would take forever. */
  getValidator<T>(schema: JsonSchemaType): JsonSchemaValidator<T> {
    this.#checks ??= new (onDemand().SchemaChecks)();
    return this.#checks.getValidator<T>(schema);
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
