import { getOrInsert } from '../../../base/events';
import { isObject, stringsOf } from '../../../base/json';
import { visible } from '../../../base/text';
import { convertedOnce, type DefinedTool, entriesOf, isAny, type SchemaNode } from '../../languageModel/core';

const MAX_SUMMARY = 240;
const MAX_NOTE = 100;
/** Levels of arguments whose descriptions are given. */
const NOTED_DEPTH = 2;
const MAX_VALUES = 24;
/** Longer result types are left out of a declaration. */
const MAX_RESULT = 600;
const IDENTIFIER = /^[A-Za-z_$][\w$]*$/;

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
    const args = entriesOf(properties).length === 0 ? '' : typeOf(tool.definition.inputSchema, 0);
    const optional = stringsOf(required).length === 0 ? '?' : '';
    return `(${args && `args${optional}: ${args}`}): Promise<${resultOf(tool.tool.outputSchema)}>;`;
  });
  return known;
}

function resultOf(outputSchema: unknown): string {
  const made = isObject(outputSchema) ? convertedOnce(outputSchema) : undefined;
  if (!made || 'problem' in made || made.renamed.size > 0) return 'any';
  const type = typeOf(made.schema, NOTED_DEPTH);
  return type.length <= MAX_RESULT ? type : 'any';
}

function typeOf(node: SchemaNode, depth: number): string {
  const { anyOf, type, items, properties, required } = node;
  if (isAny(node)) return 'unknown';
  if (Array.isArray(anyOf)) return union(anyOf.filter(isObject).map(one => typeOf(one, depth)));
  if (Array.isArray(node.enum) && node.enum.length > 0 && node.enum.length <= MAX_VALUES)
    return union(node.enum.map(value => JSON.stringify(value)));
  if (type === 'integer') return 'number';
  if (type === 'array') {
    const item = isObject(items) ? typeOf(items, depth) : 'unknown';
    return /^[\w.]+$/.test(item) ? `${item}[]` : `Array<${item}>`;
  }
  if (type !== 'object') return typeof type === 'string' ? type : 'unknown';
  const needed = new Set(stringsOf(required));
  const members = entriesOf(properties).map(([key, value]) => {
    const property = isObject(value) ? value : {};
    const about = Array.isArray(property.anyOf) ? property.anyOf[0] : property;
    const note = depth < NOTED_DEPTH ? commentOf(about.description, MAX_NOTE) : '';
    return `${keyOf(key)}${needed.has(key) ? '' : '?'}: ${typeOf(property, depth + 1)}${note && ` /* ${note} */`}`;
  });
  return members.length === 0 ? 'Record<string, unknown>' : `{ ${members.join('; ')} }`;
}

const union = (types: readonly string[]) => [...new Set(types)].join(' | ') || 'unknown';

const keyOf = (key: string) => (IDENTIFIER.test(key) ? key : JSON.stringify(key));

/** On one line, without what would end the comment. */
function commentOf(text: unknown, length: number): string {
  if (typeof text !== 'string') return '';
  return visible(
    text
      .slice(0, 2 * length)
      .replace(/\s+/g, ' ')
      .trim(),
    length,
  ).replaceAll('*/', '* /');
}
