import { isObject, stringsOf } from '../../../base/json';
import { partAt } from '../../../base/localSchema';
import { beginningOf } from '../../../base/text';

/** A JSON schema, or a part of one, as a server sent it: any keyword may hold anything. */
export type SchemaNode = Readonly<Record<string, unknown>>;

const TYPES = ['string', 'number', 'integer', 'boolean', 'array', 'object', 'null'] as const;
export type SchemaType = (typeof TYPES)[number];
const MAX_ALTERNATIVES = 50;

/** Own entries, without the one key that can't be copied by assignment. */
export function entriesOf(value: unknown): readonly [string, unknown][] {
  return isObject(value) ? Object.entries(value).filter(([key]) => key !== '__proto__') : [];
}

/** The types that a node allows; empty when it does not say. */
export function typesOf(node: SchemaNode): readonly SchemaType[] {
  const declared = Array.isArray(node.type) ? node.type : [node.type];
  const types = TYPES.filter(type => declared.includes(type));
  if (types.length > 0) return types.includes('number') ? types.filter(type => type !== 'integer') : types;
  if (isObject(node.properties)) return ['object'];
  if (node.items !== undefined || node.prefixItems !== undefined) return ['array'];
  const values = valuesOf(node) ?? [];
  return TYPES.filter(type => type !== 'integer' && values.some(value => isOfType(value, type)));
}

/** The values that a node is limited to by `enum` or `const`, if they are simple ones. */
function valuesOf(node: SchemaNode): readonly unknown[] | undefined {
  const values = Object.hasOwn(node, 'const') ? [node.const] : node.enum;
  return Array.isArray(values) && values.length > 0 && values.every(isSimple) ? values : undefined;
}

/** The texts that a node is limited to. One provider takes only an `enum` of texts, none of them empty. */
function textsOf(node: SchemaNode): readonly unknown[] | undefined {
  const texts = valuesOf(node)?.filter(value => value !== null);
  return texts?.length && texts.every(value => typeof value === 'string' && value !== '') ? texts : undefined;
}

export function isOfType(value: unknown, type: SchemaType): boolean {
  if (type === 'null') return value === null;
  if (type === 'integer') return Number.isInteger(value);
  return typeof value === type && value !== null;
}

/** What a node may be besides. */
export function alternativesOf({ anyOf, oneOf }: SchemaNode): readonly unknown[] {
  const alternatives = Array.isArray(anyOf) ? anyOf : Array.isArray(oneOf) ? oneOf : [];
  return alternatives.slice(0, MAX_ALTERNATIVES);
}

/** Whether a value is neither list nor object. */
export function isSimple(value: unknown): boolean {
  return value === null || ['string', 'number', 'boolean'].includes(typeof value);
}

/** Both at once, as `allOf` has it. Where they differ and can't be joined, `second` counts. */
export function merge(first: SchemaNode, second: SchemaNode): SchemaNode {
  const merged: Record<string, unknown> = { ...first, ...second };
  if (isObject(first.properties) && isObject(second.properties)) {
    const properties = new Map(entriesOf(first.properties));
    for (const [key, value] of entriesOf(second.properties)) {
      const before = properties.get(key);
      properties.set(key, before === undefined ? value : { allOf: [before, value] });
    }
    merged.properties = Object.fromEntries(properties);
  }
  if (first.required !== undefined) merged.required = [...stringsOf(first.required), ...stringsOf(second.required)];
  return merged;
}

/** The schema at a pointer from the root (`#/$defs/a`); undefined when it leads nowhere. */
export function resolvePointer(root: SchemaNode, pointer: string): SchemaNode | undefined {
  const part = partAt(root, pointer);
  return isObject(part) ? part : undefined;
}

/** The values that a text is limited to. As a keyword, one provider takes only texts, none of them empty. */
export function limits(node: SchemaNode): SchemaNode {
  const values = valuesOf(node)?.filter(value => typeof value === 'string') ?? [];
  return values.length > 0 && values.every(value => value !== '') ? { enum: [...new Set(values)] } : {};
}

export function counts(node: SchemaNode, ...keywords: string[]): SchemaNode {
  const isCount = (value: unknown) => Number.isSafeInteger(value) && (value as number) >= 0;
  return Object.fromEntries(keywords.filter(key => isCount(node[key])).map(key => [key, node[key]]));
}

/** Exclusive bounds of integers become inclusive, which more providers know. In draft-04 they are flags of those. */
export function bounds(node: SchemaNode, type: 'number' | 'integer'): SchemaNode {
  const { minimum, maximum, exclusiveMinimum: above, exclusiveMaximum: below } = node;
  const rounded = (value: unknown, round: (value: number) => number) =>
    Number.isFinite(value) ? [type === 'integer' ? round(value as number) : (value as number)] : [];
  const least = [
    ...rounded(minimum, value => (above === true ? Math.floor(value) + 1 : Math.ceil(value))),
    ...rounded(above, value => Math.floor(value) + 1),
  ];
  const most = [
    ...rounded(maximum, value => (below === true ? Math.ceil(value) - 1 : Math.floor(value))),
    ...rounded(below, value => Math.ceil(value) - 1),
  ];
  return {
    ...(least.length > 0 && { minimum: Math.max(...least) }),
    ...(most.length > 0 && { maximum: Math.min(...most) }),
  };
}

/** Descriptions for models of keywords that not all providers accept. */
const LABELS = {
  enum: 'One of',
  const: 'Always',
  format: 'Format',
  pattern: 'Pattern',
  multipleOf: 'Multiple of',
  exclusiveMinimum: 'Greater than',
  exclusiveMaximum: 'Less than',
  items: 'Items in order',
  prefixItems: 'Items in order',
  contains: 'Contains',
  uniqueItems: 'Unique items',
  minProperties: 'Fewest members',
  maxProperties: 'Most members',
  patternProperties: 'Members by pattern',
  additionalProperties: 'Other members',
  propertyNames: 'Names of members',
  dependentRequired: 'Requires',
  dependentSchemas: 'Requires',
  dependencies: 'Requires',
  not: 'Not',
  if: 'If',
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  then: 'Then',
  else: 'Else',
  contentEncoding: 'Encoding',
  contentMediaType: 'Media type',
};

const MAX_TEXT = 200;
const MAX_PATTERN_OF_FORMAT = 40;
const MAX_MEMBERS = 24;
const MAX_DEPTH = 3;

/** The demands of a node that its converted form lacks, a line each. @param length beyond it they may be left out. */
export function keywordsInWords(node: SchemaNode, source: SchemaNode, length: number): string {
  const text = { source, left: length };
  return Object.entries(LABELS)
    .filter(([keyword]) => Object.hasOwn(node, keyword) && needsWords(keyword, node))
    .map(([keyword, label]) => `${label}: ${brief(node[keyword], text)}`)
    .join('\n');
}

/** For the end of a loop of references: the names of the members that such a value has again. */
export function namesInWords({ properties }: SchemaNode): SchemaNode {
  const names = entriesOf(properties).slice(0, MAX_MEMBERS);
  return names.length === 0 ? {} : { description: `As above, with ${names.map(([name]) => name).join(', ')}` };
}

/** Which of several sets of arguments are required. Empty: each requires the same. */
export function setsInWords(sets: readonly (readonly string[])[]): string {
  const texts = new Set(sets.map(names => names.slice(0, MAX_MEMBERS).join(' and ') || 'nothing more'));
  return texts.size < 2 ? '' : `Required: ${[...texts].slice(0, MAX_MEMBERS).join(', or ')}`;
}

function needsWords(keyword: string, node: SchemaNode): boolean {
  const value = node[keyword];
  switch (keyword) {
    case 'enum':
    case 'const':
      return textsOf(node) === undefined && value !== null;
    case 'items':
      return Array.isArray(value);
    case 'pattern':
      // Libraries write a long one beside each format, which says it better.
      return (
        typeof value === 'string' && value.length <= (node.format === undefined ? MAX_TEXT : MAX_PATTERN_OF_FORMAT)
      );
    case 'propertyNames':
      return isObject(value) && Object.keys(value).some(key => key !== 'type');
    case 'exclusiveMinimum':
    case 'exclusiveMaximum':
      return typeof value === 'number' && !typesOf(node).includes('integer');
    default:
      return typeof value === 'boolean'
        ? value && keyword === 'uniqueItems'
        : !isObject(value) || Object.keys(value).length > 0;
  }
}

/** Of a text that is made of values of a schema: where references lead, and how many more values may be in it. */
interface BriefText {
  readonly source: SchemaNode;
  left: number;
}

/** JSON for a model, cut where it is deep or long, with references followed. On the top level, texts and lists stand bare. */
function brief(value: unknown, text: BriefText, depth = MAX_DEPTH): string {
  // Each is a character at least.
  if (text.left-- <= 0) return '…';
  if (typeof value === 'string') {
    const said = beginningOf(value, MAX_TEXT);
    return depth === MAX_DEPTH ? said : JSON.stringify(said);
  }
  if (isSimple(value)) return JSON.stringify(value);
  if (depth === 0 || !(isObject(value) || Array.isArray(value))) return '…';
  if (Array.isArray(value)) {
    const items = value.slice(0, MAX_MEMBERS).map(item => brief(item, text, depth - 1));
    return depth === MAX_DEPTH ? items.join(', ') : `[${items.join(', ')}]`;
  }
  const target = typeof value.$ref === 'string' ? resolvePointer(text.source, value.$ref) : undefined;
  if (target) return brief(target, text, depth - 1);
  const members = entriesOf(value).slice(0, MAX_MEMBERS);
  return `{${members.map(([key, member]) => `${JSON.stringify(key)}: ${brief(member, text, depth - 1)}`).join(', ')}}`;
}
