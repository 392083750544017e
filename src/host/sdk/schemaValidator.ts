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

/**
 * In bundles this module also replaces the SDK client's `_shims` (esbuild.js), which include AJV, 150 KB. Every client of ours is
 * given its validator.
 */
export { SchemaValidator as DefaultJsonSchemaValidator };
/**
 * Tells the SDK what a `TypeError` of `fetch` is: a network error in Node. In web windows it may come from a preflight, and the
 * SDK asks again without headers.
 */
export const CORS_IS_POSSIBLE = (process.platform as string) === 'web';

const onDemand = () => require('./onDemand') as typeof import('./onDemand');

type Problems = ReturnType<typeof onDemand>;

/** See `schemaProblems.ts`, which is loaded with the first value that is checked. */
export const schemaProblem: Problems['schemaProblem'] = (schema, value) => onDemand().schemaProblem(schema, value);
export const argumentProblem: Problems['argumentProblem'] = (schema, args) => onDemand().argumentProblem(schema, args);
export const uncheckedPart: Problems['uncheckedPart'] = tool => onDemand().uncheckedPart(tool);
export const outputProblem: Problems['outputProblem'] = (tool, result) =>
  tool.outputSchema === undefined || result.isError ? undefined : onDemand().outputProblem(tool, result);
