import type { CallToolResult, Tool } from '@modelcontextprotocol/client';
import { messageOf } from '../../base/errors';
import { localSchema } from '../../base/localSchema';
import { type Phrase, type PhraseError, phrase } from '../../base/phrase';
import { visible } from '../../base/text';
import { dialectProblem, plainProblem, SchemaChecks } from './schemaChecks';

const checks = new SchemaChecks();
const thorough = new SchemaChecks(true);

/** The problem of a value with a server's JSON schema, undefined if none. An unusable schema is reported too. */
export function schemaProblem(schema: Record<string, unknown>, value: unknown): string | undefined {
  try {
    const result = checks.getValidator(schema)(value);
    return result.valid ? undefined : plainProblem(result.errorMessage);
  } catch (error) {
    return `its schema can't be used: ${error instanceof Error ? error.message : error}`;
  }
}

/**
 * The problem of a tool's arguments with its input schema, in words for a model or person that can mend them; undefined also where
 * the schema is to blame: the server decides then. See `uncheckedPart`.
 */
export function argumentProblem(inputSchema: Record<string, unknown>, args: unknown): string | undefined {
  try {
    const { schema } = localSchema(inputSchema);
    const result = thorough.getValidator(schema)(args);
    return result.valid ? undefined : plainProblem(result.errorMessage);
  } catch {
    return undefined;
  }
}

/** The reason why arguments are sent that could not be checked, or only in part, as a sentence; undefined if they were. */
export function uncheckedPart({ inputSchema }: Pick<Tool, 'inputSchema'>): Phrase | undefined {
  const missing = localSchema(inputSchema).faults.find(({ kind }) => kind === 'reference');
  const why = dialectProblem(inputSchema) ?? (missing && missingReference(missing.name));
  return why && phrase('The arguments could not be checked against the input schema of the tool: {0}', why);
}

const missingReference = (reference: string) =>
  phrase('it refers to "{0}", which is not there', visible(reference, 80));

const MAX_REASON = 300;

/**
 * The problem with the structured content of a result (spec: server/tools#output-schema), as a sentence for the person and the
 * model; undefined if none. The call was carried out, perhaps with effects: the result stands in any case. `$ref`s to other
 * documents are never fetched (spec: basic#ref-resolution).
 */
export function outputProblem(
  { outputSchema }: Pick<Tool, 'outputSchema'>,
  { structuredContent, isError }: CallToolResult,
): Phrase | undefined {
  if (outputSchema === undefined || isError) return undefined;
  if (structuredContent === undefined) {
    // Of a tool that returns nothing, Effect leaves out the null.
    if (outputSchema.type === 'null') return undefined;
    return phrase(
      'The tool was carried out, but its result lacks the structured content that its output schema promises.',
    );
  }
  try {
    const checked = checks.getValidator(outputSchema)(structuredContent);
    if (checked.valid) return undefined;
    const why = visible(plainProblem(checked.errorMessage), MAX_REASON);
    return phrase('The tool was carried out, but its structured content does not fit its output schema: {0}', why);
  } catch (error) {
    const why = (error as Partial<PhraseError>).phrase ?? visible(messageOf(error, MAX_REASON), MAX_REASON);
    return phrase('The tool was carried out, but its result could not be checked against its output schema: {0}', why);
  }
}

/** What an input schema says that can't be meant, worded to complete "its input schema "; nothing is decided by it. */
export function schemaFault(schema: Readonly<Record<string, unknown>>): Phrase | undefined {
  const [fault] = localSchema(schema).faults;
  if (!fault) return dialectFault(schema);
  const name = visible(fault.name, 100);
  if (fault.kind === 'reference') return phrase('refers to "{0}", which is not there', name);
  return name === ''
    ? phrase('allows no arguments, although it describes some')
    : phrase('allows no members in "{0}", which is an object', name);
}

function dialectFault(schema: Readonly<Record<string, unknown>>): Phrase | undefined {
  const problem = dialectProblem(schema);
  return problem && phrase("can't be checked: {0}", problem);
}
