import { isObject, stringsOf } from '../../../base/json';
import { visible } from '../../../base/text';
import { isAny } from './providerSchema';
import { entriesOf, type SchemaNode } from './schemaNode';

const MAX_NOTE = 100;
/** Levels of members whose descriptions are given. */
const NOTED_LEVELS = 2;
const MAX_VALUES = 24;
const IDENTIFIER = /^[A-Za-z_$][\w$]*$/;

/** A node of a converted schema as a type of TypeScript. @param noted how many levels of members have their descriptions. */
export function typeText(node: SchemaNode, noted = NOTED_LEVELS): string {
  const { anyOf, type, items, properties, required } = node;
  if (isAny(node)) return 'unknown';
  if (Array.isArray(anyOf)) return union(anyOf.filter(isObject).map(one => typeText(one, noted)));
  if (Array.isArray(node.enum) && node.enum.length > 0 && node.enum.length <= MAX_VALUES)
    return union(node.enum.map(value => JSON.stringify(value)));
  if (type === 'integer') return 'number';
  if (type === 'array') {
    const item = isObject(items) ? typeText(items, noted) : 'unknown';
    return /^[\w.]+$/.test(item) ? `${item}[]` : `Array<${item}>`;
  }
  if (type !== 'object') return typeof type === 'string' ? type : 'unknown';
  const needed = new Set(stringsOf(required));
  const members = entriesOf(properties).map(([key, value]) => {
    const property = isObject(value) ? value : {};
    const about = Array.isArray(property.anyOf) ? property.anyOf[0] : property;
    const note = noted > 0 ? commentOf(about.description, MAX_NOTE) : '';
    return `${keyOf(key)}${needed.has(key) ? '' : '?'}: ${typeText(property, noted - 1)}${note && ` /* ${note} */`}`;
  });
  return members.length === 0 ? 'Record<string, unknown>' : `{ ${members.join('; ')} }`;
}

const union = (types: readonly string[]) => [...new Set(types)].join(' | ') || 'unknown';

export const keyOf = (key: string) => (IDENTIFIER.test(key) ? key : JSON.stringify(key));

/** On one line, without what would end the comment. */
export function commentOf(text: unknown, length: number): string {
  if (typeof text !== 'string') return '';
  return visible(
    text
      .slice(0, 2 * length)
      .replace(/\s+/g, ' ')
      .trim(),
    length,
  ).replaceAll('*/', '* /');
}
