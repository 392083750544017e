import { crc32 } from 'node:zlib';
import type { CallToolResult, GetPromptResult } from '@modelcontextprotocol/client';
import { type BlockContent, base64Size, blockContent } from '../../../base/blockContent';
import { base64In, dataWithoutBytes, type FoundBytes, withoutBytes } from '../../../base/bytesInText';
import { attempt } from '../../../base/errors';
import { getOrInsert } from '../../../base/events';
import { canonicalJson, sha256 } from '../../../base/fingerprint';
import { indentedJson, isObject } from '../../../base/json';
import { roundedNote, sizePhrase } from '../../../base/numberText';
import { english, type Phrase, phrase } from '../../../base/phrase';
import { revealed, visible } from '../../../base/text';
import { interfaceInWords } from '../../../base/userInterface';
import { roleNote } from '../../../host';
import { essence, textOfBlob } from '../../resources/core';
import { type ContentPart, type ImagePart, type ModelMessage, shorten, text } from './modelMessage';

interface ContentOptions {
  readonly images: boolean;
  /** Most characters of text; more are given as head and tail. */
  readonly maxChars: number;
  /** The problem with the result of an executed tool. */
  readonly problem?: Phrase | undefined;
}

interface LeftOut {
  /** Set when text was shortened: all of it, for a document that can be opened. */
  readonly shortened?: { readonly whole: string };
  /** Notes for the person, one line each, on content that the model did not get. */
  readonly notes: readonly Phrase[];
}

interface PlannedContent extends LeftOut {
  readonly parts: readonly ContentPart[];
  /** Bytes that its texts had as base64. In their place the text has `[bytes 1: …]`, by their place in this list. */
  readonly bytes: readonly FoundBytes[];
}

export interface PlannedResult extends PlannedContent {
  readonly data?: unknown;
}

interface PlannedPrompt extends LeftOut {
  /** In the order and the roles of the server; those without content are left out. */
  readonly messages: readonly ModelMessage[];
}

/** How the text of a call begins that failed, that was denied, or that was never made, for the model. */
export const FAILED = 'The tool failed:';
export const NOT_CALLED = 'The tool was not called:';
export const DENIED = 'Denied:';

const NOTHING = 'The tool returned nothing.';
const MAX_IMAGES = 20;
const MAX_BLOCKS = 1000;
/** Longer texts are not compared with structured content. */
const MAX_COMPARED = 2_000_000;

/** Converts the result of a tool call for a model (spec: server/tools#tool-result). Never throws. */
export function planToolResult(result: CallToolResult, options: ContentOptions): PlannedResult {
  const content = listOf(result.content);
  const { structuredContent } = result;
  const pieces = [...(options.problem ? [note(options.problem)] : []), ...blocks(content, options)];
  if (structuredContent !== undefined && !saysAll(content, structuredContent)) {
    pieces.push(said(json(structuredContent)));
    const rounded = roundedNote(structuredContent);
    if (rounded) pieces.push(note(rounded));
  }
  if (pieces.length === 0) pieces.push(said(NOTHING));
  const bytes = new LeftOutBytes(pieces);
  const { parts, ...others } = fit(pieces, options.maxChars, bytes);
  const left = { ...others, ...(structuredContent !== undefined && { data: clean(structuredContent, bytes.note) }) };
  if (!result.isError) return { parts, ...left };
  const [first, ...more] = parts;
  const failed = first?.kind === 'text' ? [text(`${FAILED}\n${first.text}`), ...more] : [text(FAILED), ...parts];
  return { parts: failed, ...left };
}

/** The messages of a prompt for a model (spec: server/prompts#getting-a-prompt). Never throws. */
export function planPrompt(result: GetPromptResult, options: ContentOptions): PlannedPrompt {
  const messages: ModelMessage[] = [];
  const wholes: string[] = [];
  const notes: Phrase[] = [roleNote(result)].filter(note => note !== undefined);
  let left = options.maxChars;
  for (const message of listOf(result.messages).slice(0, MAX_BLOCKS)) {
    if (!message) continue;
    const content: unknown = message.content;
    const pieces = blocks(Array.isArray(content) ? content : [content], options);
    const planned = fit(pieces, Math.max(left, 0));
    const whole = wholeOf(pieces);
    left -= whole.length;
    wholes.push(whole);
    notes.push(...planned.notes);
    const role = message.role === 'assistant' ? 'assistant' : 'user';
    if (planned.parts.length > 0) messages.push({ role, parts: planned.parts });
  }
  return { messages, notes, ...(left < 0 && { shortened: { whole: wholes.join('\n\n') } }) };
}

/** Whether the model gets structured content as text anyway, twice (spec: server/tools#structured-content). */
function saysAll(content: readonly unknown[], structured: unknown): boolean {
  try {
    const value = wrapped(structured);
    const wanted = [structured, value].flatMap(one => (one === undefined ? [] : [canonicalJson(one)]));
    return content.slice(0, MAX_BLOCKS).some(block => {
      const { type, text } = Object(block) as { type?: unknown; text?: unknown };
      if (type !== 'text' || typeof text !== 'string' || isForPersonOnly(block)) return false;
      return (
        text === value ||
        text === structured ||
        (text.length <= MAX_COMPARED && wanted.includes(canonicalOf(text) ?? ''))
      );
    });
  } catch {
    // Nested too deeply to be compared.
    return false;
  }
}

/** What a tool returned that is no object: SDKs for Python, and what follows them, send it as `{ "result": … }`. */
function wrapped(structured: unknown): unknown {
  const [[name, value] = [], ...others] = isObject(structured) ? Object.entries(structured) : [];
  return name === 'result' && others.length === 0 ? value : undefined;
}

const canonicalOf = (json: string): string | undefined => attempt(() => canonicalJson(JSON.parse(json)));

function blocks(content: readonly unknown[], { images }: ContentOptions): readonly Piece[] {
  let imagesLeft = MAX_IMAGES;
  const pieces = content.slice(0, MAX_BLOCKS).flatMap(block => {
    const these = piecesOf(block, images && imagesLeft > 0);
    imagesLeft -= these.filter(({ kind }) => kind === 'image').length;
    return these;
  });
  const more = content.length - MAX_BLOCKS;
  return more > 0 ? [...pieces, note(phrase('[{0} more parts left out]', more))] : pieces;
}

/** Pieces in their order; when their text is too long, all of it as one, head and tail, before the images. */
function fit(pieces: readonly Piece[], maxChars: number, left = new LeftOutBytes(pieces)): PlannedContent {
  const notes = pieces.flatMap(piece => (piece.kind === 'note' ? [piece.text] : []));
  const shown = pieces.map(piece => (piece.kind === 'said' ? said(withoutBytes(piece.text, left.note)) : piece));
  const whole = wholeOf(shown);
  const { bytes } = left;
  if (whole.length <= maxChars) {
    return {
      parts: shown.map(piece => (piece.kind === 'image' ? piece : text(revealed(english(piece.text))))),
      notes,
      bytes,
    };
  }
  const images = shown.filter(piece => piece.kind === 'image');
  return { parts: [text(revealed(shorten(whole, maxChars))), ...images], notes, bytes, shortened: { whole } };
}

/** The bytes that texts of a result had, each once. Those of a picture that the model gets anyway do not count. */
class LeftOutBytes {
  readonly bytes: FoundBytes[] = [];
  readonly #places = new Map<string, number>();
  readonly #pictures: ReadonlySet<string>;

  constructor(pieces: readonly Piece[]) {
    this.#pictures = new Set(pieces.flatMap(piece => (piece.kind === 'image' ? [sha256(piece.data)] : [])));
  }

  /** The note that replaces bytes in a text. */
  readonly note = (found: FoundBytes): string => {
    const digest = sha256(found.bytes);
    if (this.#pictures.has(digest)) return `[${found.what}: a picture of this result]`;
    const at = getOrInsert(this.#places, digest, () => this.bytes.push(found) - 1);
    return `[bytes ${at + 1}: ${found.what}]`;
  };
}

function wholeOf(pieces: readonly Piece[]): string {
  return pieces.flatMap(piece => (piece.kind === 'image' ? [] : [english(piece.text)])).join('\n\n');
}

const listOf = <T>(value: readonly T[] | undefined): readonly (T | null)[] => (Array.isArray(value) ? value : []);

/** Undefined where data is nested too deeply to be written as JSON. */
const clean = (data: unknown, note: LeftOutBytes['note']): unknown => attempt(() => dataWithoutBytes(data, note));

function json(value: unknown): string {
  return attempt(() => indentedJson(value), '[structured content that is nested too deeply to be shown]');
}

/** The model's view of one content block, with bytes that its text may have, or a note in its place. */
type Piece = SaidText | ImagePart | Note;

interface SaidText {
  readonly kind: 'said';
  readonly text: string;
}

interface Note {
  readonly kind: 'note';
  readonly text: Phrase;
}

/** Image types that every model with vision accepts. */
const IMAGE_TYPES = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'];
const MAX_IMAGE_BYTES = 5 * 1024 * 1024;

const said = (text: string): SaidText => ({ kind: 'said', text });

const note = (value: Phrase): Note => ({ kind: 'note', text: value });

/** Whether content, or the resource in it, is marked as for the person alone (spec: server/resources#annotations). */
function isForPersonOnly(block: unknown): boolean {
  const { annotations, resource } = Object(block) as { annotations?: unknown; resource?: unknown };
  const { audience } = Object(annotations) as { audience?: unknown };
  if (Array.isArray(audience)) return audience.includes('user') && !audience.includes('assistant');
  return resource !== undefined && isForPersonOnly(resource);
}

/** One content block for a model (spec: `ContentBlock`). Takes whatever a server sends; never throws. */
export function piecesOf(raw: unknown, images: boolean): readonly Piece[] {
  if (typeof raw !== 'object' || raw === null) return [];
  if (isForPersonOnly(raw)) return [note(phrase('[content that the server meant for the user only]'))];
  const block = blockContent(raw);
  if (block.kind === 'unknown') return [note(phrase('[content of unknown type "{0}"]', visible(block.type, 60)))];
  const { resource } = block;
  const uri = visible(resource?.uri, 2000);
  if (block.kind === 'link')
    return [said(`${visible(block.resource.title ?? block.resource.name ?? '', 200)} (${uri})`)];
  if (block.shown) return [said(interfaceInWords(block.shown))];
  const sent = block.kind === 'text' ? block.text : textOfBlob(block);
  if (sent !== undefined && resource) return [said(`Resource ${uri}:\n${sent}`)];
  if (block.kind === 'text') return block.text === '' ? [] : [said(block.text)];
  if (block.media === 'image') {
    const piece = imagePiece(block, images);
    return resource && piece.kind === 'image' ? [said(`Resource ${uri}:`), piece] : [piece];
  }
  return [note(resource ? phrase('[resource {0} {1}]', uri, facts(block)) : phrase('[audio {0}]', facts(block)))];
}

type Bytes = Extract<BlockContent, { kind: 'bytes' }>;

function imagePiece(block: Bytes, images: boolean): Piece {
  const { resource, base64 } = block;
  const what = resource ? phrase('{0} ({1})', visible(resource.uri, 2000), facts(block)) : facts(block);
  if (!images) return note(phrase('[image {0}]', what));
  if (!IMAGE_TYPES.includes(essence(block.mimeType) ?? ''))
    return note(phrase('[image {0}, of a type that models do not accept]', what));
  if (base64Size(base64) > MAX_IMAGE_BYTES) return note(phrase('[image {0}, too large for a model]', what));
  const data = base64In(base64);
  if (!data) return note(phrase('[image {0}, not valid base64]', what));
  const bytes = new Uint8Array(Buffer.from(data, 'base64'));
  const actual = imageTypeOf(bytes);
  if (!actual) return note(phrase('[image {0}, not a whole image]', what));
  return { kind: 'image', mimeType: actual, data: bytes };
}

/** Type and size of what a model does not get. */
function facts({ mimeType, base64 }: Bytes): Phrase {
  const type = mimeType === undefined ? phrase('of unknown type') : visible(mimeType, 100);
  return phrase('{0}, {1}', type, sizePhrase(base64Size(base64)));
}

type ImageType = 'image/png' | 'image/jpeg' | 'image/gif' | 'image/webp';

/**
 * The type of an image by its bytes; undefined when models do not accept the type, or the image is incomplete. The editor
 * decodes the images of a message, and fails the whole request, without a reason, for one that it can't read.
 */
export function imageTypeOf(data: Uint8Array): ImageType | undefined {
  const bytes = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
  if (isWholePng(bytes)) return 'image/png';
  if (bytes.length > 100 && bytes.readUIntBE(0, 3) === 0xffd8ff && bytes.lastIndexOf('ffd9', -1, 'hex') > 0) {
    return 'image/jpeg';
  }
  if (/^GIF8[79]a/.test(bytes.toString('latin1', 0, 6)) && bytes.lastIndexOf(0x3b) > 13) return 'image/gif';
  const isWebp = bytes.toString('latin1', 0, 4) === 'RIFF' && bytes.toString('latin1', 8, 12) === 'WEBP';
  if (isWebp && bytes.length > 20 && bytes.readUInt32LE(4) + 8 <= bytes.length) return 'image/webp';
  return undefined;
}

/**
 * Walks the chunks to the end, checking their sums (https://www.w3.org/TR/png/#5DataRep). As viewers do, it forgives a wrong
 * sum of what is not needed for the picture (a lower-case first letter: an ancillary chunk).
 */
function isWholePng(bytes: Buffer): boolean {
  if (bytes.toString('latin1', 0, 8) !== '\x89PNG\r\n\x1a\n') return false;
  let pixels = false;
  for (let at = 8; at + 12 <= bytes.length; ) {
    const end = at + 8 + bytes.readUInt32BE(at);
    if (end + 4 > bytes.length) return false;
    const isNeeded = (bytes[at + 4]! & 0x20) === 0;
    if (isNeeded && crc32(bytes.subarray(at + 4, end)) !== bytes.readUInt32BE(end)) return false;
    const type = bytes.toString('latin1', at + 4, at + 8);
    if (type === 'IDAT') pixels = true;
    if (type === 'IEND') return pixels;
    at = end + 4;
  }
  return false;
}
