import type { Tool } from '@modelcontextprotocol/client';
import { getOrInsert } from '../../../base/events';
import { fingerprint } from '../../../base/fingerprint';
import { isObject } from '../../../base/json';
import { restored } from '../../../base/modelData';
import type { Phrase } from '../../../base/phrase';
import { visible } from '../../../base/text';
import { Turns } from '../../../base/turns';
import { argumentProblem } from '../../../host';
import { originalArguments, providerSchema } from './providerSchema';
import type { DefinedTool, OfferedTool } from './toolNames';

type WithSchema = Pick<Tool, 'inputSchema'>;
type Arguments = Record<string, unknown>;

const schemas = new WeakMap<object, ReturnType<typeof providerSchema>>();

/** In characters. */
const MAX_DESCRIPTION = 2_000;
const MAX_TITLE = 120;

/** A tool as models get it, or why no provider would accept it. */
export function defineTool(named: OfferedTool): DefinedTool | { readonly problem: Phrase } {
  const { name, serverName, tool } = named;
  const made = schemaForModel(tool);
  if ('problem' in made) return made;
  const title = () => visible(tool.title ?? tool.annotations?.title ?? tool.name, MAX_TITLE);
  const description = `${visible(serverName)}: ${visible(tool.description ?? title(), MAX_DESCRIPTION)}`;
  return { ...named, definition: { name, description, inputSchema: made.schema } };
}

/** The input schema of a tool as models get it, or why no provider would take it. */
export const schemaForModel = ({ inputSchema }: WithSchema): ReturnType<typeof providerSchema> =>
  convertedOnce(inputSchema);

/** A schema as models get it. Made once for each. A file of an interface may have anything in its place. */
export const convertedOnce = (schema: object): ReturnType<typeof providerSchema> =>
  isObject(schema) ? getOrInsert(schemas, schema, () => providerSchema(schema)) : providerSchema(schema);

/** How long schemas are made before other work has its turn, in milliseconds. */
const TURN_MS = 10;

/** Makes the schemas of thousands of tools in short turns. @param areTyped with those of their results. */
export async function makeSchemas(
  tools: Iterable<WithSchema & Pick<Tool, 'outputSchema'>>,
  areTyped = false,
): Promise<void> {
  const turns = new Turns(TURN_MS);
  for (const { inputSchema, outputSchema } of tools) {
    convertedOnce(inputSchema);
    if (areTyped && outputSchema) convertedOnce(outputSchema);
    if (turns.isOver) await turns.next();
  }
}

/** Tools whose schemas are made in this turn; the others are made in turns meanwhile. @param turn may be shared. */
export function madeSoFar<T extends WithSchema>(tools: readonly T[], turn: Turns): readonly T[] {
  const made = tools.filter(({ inputSchema }) => {
    if (!turn.isOver) convertedOnce(inputSchema);
    return !isObject(inputSchema) || schemas.has(inputSchema);
  });
  if (made.length < tools.length) void makeSchemas(tools);
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

/** A model's arguments as the server's own schema has them, checked. A problem is a sentence for the model. */
export function argumentsForServer(
  tool: WithSchema,
  given: Arguments,
  coerced = false,
): { readonly args: Arguments } | { readonly problem: string } {
  const args = argumentsInItsTerms(tool, given, coerced);
  const problem = argumentRefusal(tool, args);
  return problem ? { problem } : { args };
}

/** Arguments that were refused, by their tools: the latest are the last. */
const refused = new WeakMap<WithSchema, Set<string>>();
const MAX_REFUSED = 100;

/**
 * Why a call by a model or program is not sent: its arguments do not fit the input schema of the tool. That helps to mend them,
 * but schemas of servers are often wrong and the server decides: the same arguments are not refused twice.
 */
export function argumentRefusal(tool: WithSchema, args: Arguments): string | undefined {
  const problem = argumentProblem(tool.inputSchema, args);
  if (!problem) return undefined;
  const before = getOrInsert(refused, tool, () => new Set());
  const key = fingerprint(args);
  if (before.delete(key)) return undefined;
  before.add(key);
  if (before.size > MAX_REFUSED) before.delete(before.values().next().value!);
  const again = 'If you are sure that they are right, make exactly this call again, and they are sent.';
  return `the arguments do not fit its input schema: ${visible(problem, 500)} ${again}`;
}
