import { getOrInsert } from '../../../base/events';
import { isObject, stringsOf } from '../../../base/json';
import { commentOf, convertedOnce, type DefinedTool, entriesOf, keyOf, typeText } from '../../languageModel/core';

const MAX_SUMMARY = 240;
/** Longer result types are left out of a declaration. */
const MAX_RESULT = 600;

/** Made once for each tool. */
const signatures = new WeakMap<DefinedTool, string>();

/** Names for a script of the tools by their names for models, in which `-` is `_` unless two tools would have one name. */
export function functionNames(tools: Iterable<DefinedTool>): ReadonlyMap<string, string> {
  const named = [...tools].map(({ name }) => ({ name, plain: name.replaceAll('-', '_') }));
  const counts = new Map<string, number>();
  for (const { plain } of named) counts.set(plain, (counts.get(plain) ?? 0) + 1);
  return new Map(named.map(({ name, plain }) => [name, counts.get(plain) === 1 ? plain : name]));
}

/**
 * A tool as a member of an object in TypeScript: a function of its arguments. Made from the schema that models get, in which
 * references are resolved and names are what providers accept.
 * @param maxDescription without it, only the beginning of its description.
 */
export function declarationOf(tool: DefinedTool, name: string, maxDescription = MAX_SUMMARY): string {
  const description = commentOf(tool.tool.description ?? tool.tool.title, maxDescription);
  return `${description && `/** ${description} */\n`}${keyOf(name)}${signatureOf(tool)}`;
}

function signatureOf(tool: DefinedTool): string {
  const known = getOrInsert(signatures, tool, () => {
    const { properties, required } = tool.definition.inputSchema;
    const args = entriesOf(properties).length === 0 ? '' : typeText(tool.definition.inputSchema);
    const optional = stringsOf(required).length === 0 ? '?' : '';
    return `(${args && `args${optional}: ${args}`}): Promise<${resultOf(tool.tool.outputSchema)}>;`;
  });
  return known;
}

function resultOf(outputSchema: unknown): string {
  const made = isObject(outputSchema) ? convertedOnce(outputSchema) : undefined;
  if (!made || 'problem' in made || made.renamed.size > 0) return 'any';
  const type = typeText(made.schema, 0);
  return type.length <= MAX_RESULT ? type : 'any';
}
