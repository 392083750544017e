// What the editor's chat extension and the providers of its models refuse of a tool, by the rules that the table in
// src/features/languageModel/README.md lists. One refused tool fails the whole request, as it does there.

const TYPES = ['string', 'number', 'integer', 'boolean', 'array', 'object', 'null'];
/** What all providers know. */
const KEYWORDS = [
  ...['type', 'description', 'enum', 'default', 'properties', 'required', 'items', 'anyOf'],
  ...['minimum', 'maximum', 'minLength', 'maxLength', 'minItems', 'maxItems'],
];

/** Why a tool is refused, the first reason alone; undefined if it is not. */
exports.refusal = ({ name, description, inputSchema }) => {
  if (!/^[a-zA-Z0-9_-]{1,64}$/.test(name)) return `the name ${name}`;
  if (!description) return 'no description';
  if (inputSchema === undefined) return undefined;
  const { type, properties } = inputSchema;
  if (type !== 'object' || !isNode(properties)) return 'parameters must be an object with properties';
  return nodeRefusal(inputSchema, '#');
};

function nodeRefusal(node, at) {
  if (!isNode(node)) return `${at} is no object`;
  const unknown = Object.keys(node).find(key => !KEYWORDS.includes(key));
  if (unknown) return `${at}: ${unknown} is not supported`;
  const { type, anyOf, items, properties = {}, required = [], enum: values, description = '' } = node;
  if (anyOf !== undefined) {
    if (at === '#') return 'anyOf at the top';
    if (Object.keys(node).length > 1) return `${at}: anyOf beside other keywords`;
    if (!Array.isArray(anyOf) || anyOf.length < 2) return `${at}: anyOf is no choice`;
    return first(anyOf, (one, index) =>
      one.anyOf ? `${at}: anyOf in anyOf` : nodeRefusal(one, `${at}/anyOf/${index}`),
    );
  }
  if (!TYPES.includes(type)) return `${at}: the type ${JSON.stringify(type)}`;
  if (typeof description !== 'string' || description.length > 1024) return `${at}: its description`;
  if (type === 'array' && !items) return `${at}: tool parameters array type must have items`;
  if (values && !(type === 'string' && values.length > 0 && values.every(value => typeof value === 'string' && value)))
    return `${at}: an enum that has not only texts`;
  if (values && new Set(values).size < values.length) return `${at}: an enum with duplicates`;
  for (const key of ['minLength', 'maxLength', 'minItems', 'maxItems'])
    if (key in node && !(Number.isInteger(node[key]) && node[key] >= 0)) return `${at}: ${key}`;
  for (const key of ['minimum', 'maximum']) if (key in node && !Number.isFinite(node[key])) return `${at}: ${key}`;
  if ('default' in node && typeof node.default !== (type === 'integer' ? 'number' : type)) return `${at}: its default`;
  if ('properties' in node && at !== '#' && Object.keys(properties).length === 0) return `${at}: properties are empty`;
  const lacking = required.find(key => !Object.hasOwn(properties, key));
  if (lacking !== undefined) return `${at}: requires ${lacking}, which is not defined`;
  if (new Set(required).size < required.length) return `${at}: required has duplicates`;
  return (
    (items && nodeRefusal(items, `${at}/items`)) ||
    first(Object.entries(properties), ([key, value]) =>
      /^[a-zA-Z0-9_.-]{1,64}$/.test(key) ? nodeRefusal(value, `${at}/${key}`) : `${at}: the name ${key}`,
    )
  );
}

const isNode = value => typeof value === 'object' && value !== null && !Array.isArray(value);

function first(list, find) {
  for (const [index, item] of list.entries()) {
    const found = find(item, index);
    if (found) return found;
  }
}
