import type { ContentBlock } from '@modelcontextprotocol/client';
import { indentedJson, isObject } from '../../base/json';
import { mediaTypeOf } from '../../base/mediaType';
import type { Note } from './carried';
import { flag, listOf, moment, number, object, oneOf, type Reader, shape, share, text } from './shapes';

type Members = Record<string, unknown>;

const annotations = shape({ audience: listOf(oneOf('user', 'assistant')), priority: share, lastModified: moment });
const common = { annotations, _meta: object };
const icons = listOf(
  shape({ src: { read: text, required: true }, mimeType: text, sizes: listOf(text), theme: oneOf('light', 'dark') }),
);

const optional = {
  text: shape({ ...common, text: value => value }),
  image: shape({ ...common, mimeType: text, data: value => value }),
  audio: shape({ ...common, mimeType: text, data: value => value }),
  resource: shape({ ...common, resource: value => value }),
  resource_link: shape({
    ...common,
    uri: value => value,
    name: text,
    title: text,
    description: text,
    mimeType: text,
    icons,
    size: number,
  }),
};
type Kind = keyof typeof optional;
const both = ['type', 'annotations', '_meta'];
const MEMBERS: Readonly<Record<Kind, ReadonlySet<string>>> = {
  text: new Set([...both, 'text']),
  image: new Set([...both, 'data', 'mimeType']),
  audio: new Set([...both, 'data', 'mimeType']),
  resource: new Set([...both, 'resource']),
  resource_link: new Set([...both, 'uri', 'name', 'title', 'description', 'mimeType', 'icons', 'size']),
};

const embedded = shape(
  {
    uri: value => value,
    mimeType: text,
    text: value => value,
    blob: value => value,
    _meta: object,
  },
  'go',
);

/** What a block is called in other protocols, without what spellings differ in. */
const KINDS: Readonly<Record<string, Kind>> = {
  text: 'text',
  inputtext: 'text',
  outputtext: 'text',
  image: 'image',
  audio: 'audio',
  resource: 'resource',
  embeddedresource: 'resource',
  resourcelink: 'resource_link',
};
/** Blocks of sampling, which are no content for people. */
const OTHERS: Readonly<Record<string, Reader<Members>>> = {
  tool_use: shape({ ...common, id: text, name: text, input: object }),
  tool_result: shape({
    ...common,
    toolUseId: text,
    isError: flag,
    structuredContent: object,
    content: (value, place, note) => readBlocks(value, place, note),
  }),
};

/** An address for what was embedded without one. */
const NO_ADDRESS = 'embedded:';
const AS_TEXT = 'it is taken as text';

/**
 * The blocks in what stands for content: a list, one block, a text, or nothing. What a block of a known type lacks is made up
 * from the rest. Text in a block of an unknown type is text; any other such block is kept as it is.
 */
export function readBlocks(value: unknown, place: string, note: Note): ContentBlock[] {
  if (Array.isArray(value)) return value.flatMap(item => readBlock(item, `${place}[]`, note));
  if (value === undefined || value === null) return [];
  note(place, isObject(value) ? 'a single block is taken as a list' : AS_TEXT);
  return readBlock(value, place, note);
}

/** The blocks that one block becomes: several if it is a list, or a resource with text and bytes. Never none, but for null. */
export function readBlock(given: unknown, place: string, note: Note): ContentBlock[] {
  if (given === null || given === undefined) {
    note(place);
    return [];
  }
  if (Array.isArray(given)) {
    note(place, 'the blocks of a list are taken');
    return given.flatMap(item => readBlock(item, place, note));
  }
  if (!isObject(given)) {
    note(place, AS_TEXT);
    return [{ type: 'text', text: String(given) }];
  }
  const kind = kindOf(given, place, note);
  if (kind) return BLOCKS[kind](optional[kind](given, place, note)!, place, note).map(known);
  const other = Object.hasOwn(OTHERS, given.type as string) && OTHERS[given.type as string]!(given, place, note);
  if (other) return [other as unknown as ContentBlock];
  const said = typeof given.text === 'string' ? given.text : 'json' in given ? indentedJson(given.json) : undefined;
  if (said === undefined && typeof given.type === 'string') {
    note(place, `its type "${given.type}" is unknown`);
    return [given as unknown as ContentBlock];
  }
  return asText(said ?? indentedJson(given), place, note);
}

/** A block without members that its type does not have. The same block if there are none. */
function known(block: ContentBlock): ContentBlock {
  const names = MEMBERS[block.type as Kind];
  if (!names) return block;
  const members = Object.entries(block);
  const good = members.filter(([name]) => names.has(name));
  return good.length === members.length ? block : (Object.fromEntries(good) as unknown as ContentBlock);
}

/** The type of a block; undefined if it is unknown. A block without one has that of its members. */
function kindOf(block: Members, place: string, note: Note): Kind | undefined {
  const { type } = block;
  if (Object.hasOwn(optional, type as string)) return type as Kind;
  const said = typeof type === 'string' ? type : Array.isArray(type) && typeof type[0] === 'string' ? type[0] : '';
  const other = KINDS[said.replace(/[_-]/g, '').toLowerCase()] ?? (said === '' ? kindByMembers(block) : undefined);
  if (other) note(`${place}.type`, `it is taken as "${other}"`);
  return other;
}

function kindByMembers(block: Members): Kind | undefined {
  const has = (name: string) => Object.keys(block).some(key => key.toLowerCase() === name);
  if (has('text')) return 'text';
  if (has('data')) return String(block.mimeType).startsWith('audio/') ? 'audio' : 'image';
  if (has('resource')) return 'resource';
  return has('uri') ? 'resource_link' : undefined;
}

type BlockReader = (block: Members, place: string, note: Note) => ContentBlock[];

const BLOCKS: Readonly<Record<Kind, BlockReader>> = {
  text: ({ type: _, text: said, ...others }, place, note) => {
    const { annotations: a, _meta, ...rest } = others;
    if (typeof said === 'string') return [{ type: 'text', text: said, ...others }];
    const left = said ?? (Object.keys(rest).length > 0 ? rest : '');
    note(`${place}.text`, AS_TEXT);
    return [
      {
        type: 'text',
        text: textOfValue(left),
        ...(a !== undefined && { annotations: a }),
        ...(_meta !== undefined && { _meta }),
      } as ContentBlock,
    ];
  },
  image: (block, place, note) => mediaBlock('image', block, place, note),
  audio: (block, place, note) => mediaBlock('audio', block, place, note),
  resource: ({ resource, ...block }, place, note) => {
    const at = `${place}.resource`;
    const parts = readEmbedded(resource, at, note, typeof block.uri === 'string' ? block.uri : undefined);
    if (parts.length === 0) return asText(indentedJson(resource ?? block), place, note);
    return parts.map(part => ({ ...block, type: 'resource', resource: part }) as unknown as ContentBlock);
  },
  resource_link: (block, place, note) => {
    const { uri, name, title } = block;
    if (typeof uri !== 'string' || uri === '') return asText(indentedJson(block), place, note);
    if (typeof name === 'string') return [{ ...block, type: 'resource_link' } as unknown as ContentBlock];
    note(`${place}.name`, 'its title or the end of its address is taken');
    const made = typeof title === 'string' && title !== '' ? title : endOf(uri);
    return [{ ...block, type: 'resource_link', name: made } as unknown as ContentBlock];
  },
};

function mediaBlock(kind: 'image' | 'audio', block: Members, place: string, note: Note): ContentBlock[] {
  const [, type, inAddress] = /^data:([\w.+-]+\/[\w.+-]+)?(?:;[^,]*)?,(.*)$/s.exec(String(block.data)) ?? [];
  const data = String(inAddress ?? block.data).replace(/\s/g, '');
  if (data === '' || !isBase64(data) || block.data === undefined || block.data === null) {
    const { url, uri } = block;
    const address = [url, uri].find(one => typeof one === 'string');
    return address === undefined
      ? asText(indentedJson(block), place, note)
      : BLOCKS.resource_link(
          { uri: address, ...(block.mimeType !== undefined && { mimeType: block.mimeType }) },
          place,
          note,
        );
  }
  if (data !== block.data) note(`${place}.data`, 'it is taken as base64');
  const mimeType = block.mimeType ?? type ?? sniffed(data, kind);
  if (mimeType !== block.mimeType) note(`${place}.mimeType`, `it is taken as ${mimeType}`);
  return [{ ...block, type: kind, data, mimeType } as unknown as ContentBlock];
}

/** The type of a file in base64 by its first bytes; undefined for others than the usual ones. */
const typeOfBytes = (base64: string): string | undefined =>
  mediaTypeOf(Buffer.from(base64.slice(0, 512), 'base64'))?.type;

function sniffed(data: string, kind: 'image' | 'audio'): string {
  const type = typeOfBytes(data);
  return type?.startsWith(kind) ? type : kind === 'image' ? 'image/png' : 'audio/wav';
}

/** Whether a text is a file in base64, of the kind that it is declared to be: some servers have bytes in `text`. */
function isFile(text: unknown, mimeType: unknown): text is string {
  if (typeof text !== 'string' || typeof mimeType !== 'string' || !isBase64(text.slice(0, 64).replace(/\s/g, '')))
    return false;
  return typeOfBytes(text)?.split('/')[0] === mimeType.split('/')[0] && isBase64(text.replace(/\s/g, ''));
}

const isBase64 = (value: string) => value.length % 4 !== 1 && /^[A-Za-z0-9+/_-]*={0,2}$/.test(value);

/** The contents of a resource: several if it has both text and bytes. @param address what it has if it names none. */
export function readEmbedded(given: unknown, place: string, note: Note, address = NO_ADDRESS): Members[] {
  if (typeof given === 'string' || Array.isArray(given)) {
    note(place, AS_TEXT);
    if (Array.isArray(given)) return given.flatMap(item => readEmbedded(item, place, note, address));
    return [{ uri: address, text: given }];
  }
  const read = embedded(given, place, note);
  if (!read) return [];
  const { text: sent, ...others } = read;
  const isBytes = others.blob === undefined && isFile(sent, others.mimeType);
  if (isBytes) note(`${place}.text`, 'it is taken as base64');
  const { text: said, blob, ...one } = isBytes ? { ...others, blob: sent } : read;
  const uri = text(one.uri, `${place}.uri`, note) ?? address;
  if (uri !== one.uri && uri === address) note(`${place}.uri`, `it is taken as ${uri}`);
  const bytes = typeof blob === 'string' && isBase64(blob.replace(/\s/g, '')) ? blob : undefined;
  if (blob !== undefined && bytes === undefined) note(`${place}.blob`, AS_TEXT);
  const words = said ?? (bytes === undefined ? (blob ?? '') : undefined);
  if (words !== undefined && typeof words !== 'string') note(`${place}.text`, AS_TEXT);
  if (said === undefined && blob === undefined) note(`${place}.text`, 'it is taken as empty');
  if (typeof said === 'string' && bytes === undefined && uri === one.uri && blob === undefined) return [read];
  if (said === undefined && bytes !== undefined && uri === one.uri && !isBytes) return [read];
  return [
    ...(words === undefined ? [] : [{ ...one, uri, text: textOfValue(words) }]),
    ...(bytes === undefined ? [] : [{ ...one, uri, blob: bytes }]),
  ];
}

function asText(said: string, place: string, note: Note): ContentBlock[] {
  note(place, AS_TEXT);
  return [{ type: 'text', text: said }];
}

/** Any value as text: the texts of a list, one after the other. */
export function textOfValue(value: unknown): string {
  if (typeof value === 'string') return value;
  if (Array.isArray(value) && value.every(item => typeof item === 'string')) return value.join('\n');
  const { text: inner } = Object(value) as { text?: unknown };
  return typeof inner === 'string' ? inner : indentedJson(value);
}

const endOf = (uri: string): string =>
  uri
    .replace(/[?#].*/s, '')
    .split('/')
    .findLast(part => part !== '') ?? uri;

/** One block, for a reader of something that has one. */
export const block: Reader<ContentBlock> = (value, place, note) => readBlock(value, place, note)[0];
