import { english } from '../../base/phrase';
import { type Note, respelled, spellingsOf, typeName } from './carried';
import type { CatalogKind } from './lists';
import {
  anything,
  flag,
  icons,
  listOf,
  moment,
  number,
  object,
  oneOf,
  type Reader,
  required,
  shape,
  share,
  text,
} from './shapes';

const annotations = shape(
  { audience: listOf(oneOf('user', 'assistant')), priority: share, lastModified: moment },
  'go',
);
const common = {
  title: text,
  description: text,
  icons,
  _meta: object,
};
const argument = shape({ name: required(text), title: text, description: text, required: flag }, 'go');
const args = listOf<Record<string, unknown>>((value, ...how) =>
  argument(typeof value === 'string' ? { name: value } : value, ...how),
);

const schema = shape({ properties: object, required: listOf(text), $defs: object, definitions: object });
/** Tools that a server gives a model in a question. */
export const offeredTool: Reader<Record<string, unknown>> = (value, place, note) => {
  const tool = ITEMS.tools(value, place, note);
  if (!tool) return undefined;
  // What a tool returns does not concern the model that is asked to call it.
  const { inputSchema, outputSchema, ...others } = tool;
  if (outputSchema !== undefined) note(`${place}.outputSchema`);
  return { ...others, inputSchema: { ...schema(inputSchema, `${place}.inputSchema`, note), type: 'object' } };
};

const ITEMS: Readonly<Record<CatalogKind, Reader<Record<string, unknown>>>> = {
  tools: shape(
    {
      name: required(text),
      ...common,
      annotations: shape({
        title: text,
        readOnlyHint: flag,
        destructiveHint: flag,
        idempotentHint: flag,
        openWorldHint: flag,
      }),
      execution: shape({ taskSupport: oneOf('required', 'optional', 'forbidden') }),
      inputSchema: anything,
      outputSchema: anything,
    },
    'go',
  ),
  prompts: shape(
    {
      name: required(text),
      ...common,
      arguments: (value, ...how) => (typeof value === 'string' ? undefined : args(value, ...how)),
    },
    'go',
  ),
  resources: shape(
    { uri: required(text), name: required(text), ...common, mimeType: text, size: number, annotations },
    'go',
  ),
  resourceTemplates: shape(
    {
      uriTemplate: required(text),
      name: required(text),
      ...common,
      mimeType: text,
      annotations,
    },
    'go',
  ),
};
const REQUIRED: Readonly<Record<CatalogKind, readonly string[]>> = {
  tools: ['name'],
  prompts: ['name'],
  resources: ['uri', 'name'],
  resourceTemplates: ['uriTemplate', 'name'],
};

/** An item of a list without what is useless in it, or why it can't be used: completes "it was left out: ". */
export function readItem(
  kind: CatalogKind,
  item: Record<string, unknown>,
  note: Note,
): Record<string, unknown> | string {
  const known = respelled(item, NAMES, '', () => {});
  const name = typeof known.name === 'string' ? undefined : nameFor(kind, known);
  if (name !== undefined && 'name' in item) note('name', `it is taken as "${name}"`);
  // What has other arguments is another item: they say what to call it with.
  let isOther = false;
  const watched: Note = (place, how) => {
    if (how === undefined && place === 'arguments') isOther = true;
    note(place, how);
  };
  const read = ITEMS[kind](name === undefined ? item : { ...item, name }, '', watched);
  if (read && !isOther) return read;
  if (isOther) return `"arguments" is ${english(typeName(item.arguments))}, and not a list of arguments`;
  const missing = REQUIRED[kind].find(key => typeof item[key] !== 'string') ?? 'name';
  return `"${missing}" is ${english(typeName(item[missing]))}, and not a string`;
}

const NAMES = spellingsOf('name', 'title', 'uri', 'uriTemplate');

/** A resource has an address, whatever it is called. */
function nameFor(kind: CatalogKind, { title, uri, uriTemplate, name }: Record<string, unknown>): string | undefined {
  if (kind !== 'resources' && kind !== 'resourceTemplates') return undefined;
  return [name, title, uri, uriTemplate].map(one => text(one, '', () => {})).find(Boolean);
}
