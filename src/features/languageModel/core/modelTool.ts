import type { Tool } from '@modelcontextprotocol/client';
import { restored } from '../../../base/modelData';
import { visible } from '../../../base/text';
import { schemaProblem } from '../../../host';
import { originalArguments, providerSchema } from './providerSchema';

type WithSchema = Pick<Tool, 'inputSchema'>;
type Arguments = Record<string, unknown>;

const schemas = new WeakMap<WithSchema, ReturnType<typeof providerSchema>>();

/** The input schema of a tool as models get it, or why no provider would take it. Made once for each tool. */
export function schemaForModel(tool: WithSchema): ReturnType<typeof providerSchema> {
  let made = schemas.get(tool);
  if (!made) {
    made = providerSchema(tool.inputSchema);
    schemas.set(tool, made);
  }
  return made;
}

/**
 * Arguments in the server's own terms, of those that a model gave for `schemaForModel`.
 * @param coerced whether the editor has checked them, which turns numbers and booleans into texts where a schema takes both.
 */
export function argumentsInItsTerms(tool: WithSchema, given: Arguments, coerced = false): Arguments {
  const made = schemaForModel(tool);
  return restored(tool.inputSchema, 'problem' in made ? given : originalArguments(made, given, coerced));
}

/** The same, checked against the server's own schema. A problem completes a sentence for the model, which can mend it. */
export function argumentsForServer(
  tool: WithSchema,
  given: Arguments,
  coerced = false,
): { readonly args: Arguments } | { readonly problem: string } {
  const args = argumentsInItsTerms(tool, given, coerced);
  const problem = schemaProblem(tool.inputSchema, args);
  return problem ? { problem: `the arguments do not fit its input schema: ${visible(problem, 500)}` } : { args };
}
