import { CfWorkerJsonSchemaValidator } from '@modelcontextprotocol/client/validators/cf-worker';

/**
 * What is wrong with a value by a JSON schema, in words; undefined when nothing is. A schema that can't be used says so
 * instead of throwing: it comes from a server.
 */
export function schemaProblem(schema: Record<string, unknown>, value: unknown): string | undefined {
  try {
    const result = new CfWorkerJsonSchemaValidator().getValidator(schema)(value);
    return result.valid ? undefined : result.errorMessage;
  } catch (error) {
    return `its schema can't be used: ${error instanceof Error ? error.message : error}`;
  }
}
