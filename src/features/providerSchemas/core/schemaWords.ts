import { entriesOf, isNode, isSimple, resolvePointer, type SchemaNode, textsOf, typesOf } from './schemaNode';

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
const MAX_MEMBERS = 24;
const MAX_DEPTH = 3;

/** The demands of a node that its converted form does not make, a line for each. Bounded, whatever the node has. */
export function keywordsInWords(node: SchemaNode, source: SchemaNode): string {
  return Object.entries(LABELS)
    .filter(([keyword]) => Object.hasOwn(node, keyword) && needsWords(keyword, node))
    .map(([keyword, label]) => `${label}: ${brief(node[keyword], source)}`)
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
    case 'exclusiveMinimum':
    case 'exclusiveMaximum':
      return typeof value === 'number' && !typesOf(node).includes('integer');
    default:
      return typeof value === 'boolean' ? value && keyword === 'uniqueItems' : !isNode(value) || hasMembers(value);
  }
}

const hasMembers = (node: SchemaNode) => Object.keys(node).length > 0;

/** JSON for a model, cut where it is deep or long, with references followed. On the top level, texts and lists stand bare. */
function brief(value: unknown, source: SchemaNode, depth = MAX_DEPTH): string {
  if (typeof value === 'string') {
    const text = value.length > MAX_TEXT ? `${value.slice(0, MAX_TEXT)}…` : value;
    return depth === MAX_DEPTH ? text : JSON.stringify(text);
  }
  if (isSimple(value)) return JSON.stringify(value);
  if (depth === 0 || !(isNode(value) || Array.isArray(value))) return '…';
  if (Array.isArray(value)) {
    const items = value.slice(0, MAX_MEMBERS).map(item => brief(item, source, depth - 1));
    return depth === MAX_DEPTH ? items.join(', ') : `[${items.join(', ')}]`;
  }
  const target = typeof value.$ref === 'string' ? resolvePointer(source, value.$ref) : undefined;
  if (target) return brief(target, source, depth - 1);
  const members = entriesOf(value).slice(0, MAX_MEMBERS);
  return `{${members.map(([key, member]) => `${JSON.stringify(key)}: ${brief(member, source, depth - 1)}`).join(', ')}}`;
}
