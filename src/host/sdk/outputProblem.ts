import type { CallToolResult, Tool } from '@modelcontextprotocol/client';
import { messageOf } from '../../base/errors';
import { type Phrase, type PhraseError, phrase } from '../../base/phrase';
import { visible } from '../../base/text';
import { SchemaValidator } from './schemaValidator';

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
    return phrase(
      'The tool was carried out, but its result lacks the structured content that its output schema promises.',
    );
  }
  try {
    const checked = new SchemaValidator().getValidator(outputSchema)(structuredContent);
    if (checked.valid) return undefined;
    const { plainProblem } = require('./onDemand') as typeof import('./onDemand');
    const why = visible(plainProblem(checked.errorMessage), MAX_REASON);
    return phrase('The tool was carried out, but its structured content does not fit its output schema: {0}', why);
  } catch (error) {
    const why = (error as Partial<PhraseError>).phrase ?? visible(messageOf(error, MAX_REASON), MAX_REASON);
    return phrase('The tool was carried out, but its result could not be checked against its output schema: {0}', why);
  }
}
