import { isUtf8 } from 'node:buffer';
import type { ReadResourceResult } from '@modelcontextprotocol/client';
import type { BlockContent } from '../../../base/blockContent';
import { base64In } from '../../../base/bytesInText';
import { LINE_WEIGHT } from '../../../base/drawingBudget';
import { parsedJson } from '../../../base/json';
import { normalized } from '../../../base/normalized';
import { PhraseError, phrase } from '../../../base/phrase';
import { extensionOf, isJson, type MediaKind, mediaKindOf, mediaKindOfExtension, resourceFileName } from './fileName';

export interface ResourceContent {
  readonly mimeType: string | undefined;
  readonly kind: MediaKind;
  /** As the server sent it. */
  readonly bytes: Uint8Array;
  /** As an editor shows it: minified JSON is spread over lines. */
  readonly shown: Uint8Array;
  /** All contents, where the answer has several: such a resource is a directory. */
  readonly parts?: readonly ResourcePart[];
}

export interface ResourcePart extends ResourceContent {
  /** Unique among the parts without regard to case, and safe as a file name. */
  readonly name: string;
  /** The server's own. */
  readonly uri: string;
}

/**
 * The content of the resource that was asked for. A server may answer with several: the one with the asked URI counts,
 * else the first. Throws a `PhraseError` that completes "could not read …: " when the answer can't be used.
 */
export function contentOf({ contents }: ReadResourceResult, uri: string, listedMimeType?: string): ResourceContent {
  if (contents.length > 1) {
    const parts = partsOf(contents);
    const { name: _, uri: __, ...chosen } = parts.find(part => part.uri === uri) ?? parts[0]!;
    return { ...chosen, parts };
  }
  const [chosen] = contents;
  if (!chosen) throw new PhraseError(phrase('its response has no contents'));
  return decoded(chosen, uri, listedMimeType);
}

type Contents = ReadResourceResult['contents'];

/** Those that can be used; one that can't takes the others down only when it is the last. */
function partsOf(contents: Contents): ResourcePart[] {
  const taken = new Map<string, number>();
  const parts: ResourcePart[] = [];
  let problem: unknown;
  for (const one of contents) {
    try {
      const content = decoded(one, one.uri);
      parts.push({ ...content, uri: one.uri, name: uniqueName(one.uri, content.mimeType, taken) });
    } catch (error) {
      problem = error;
    }
  }
  if (parts.length === 0) throw problem;
  return parts;
}

function uniqueName(uri: string, mimeType: string | undefined, taken: Map<string, number>): string {
  // The editor may normalise a path; the name has to be found again.
  const name = normalized(resourceFileName({ uri, mimeType }));
  const extension = extensionOf(name);
  const stem = extension ? name.slice(0, -extension.length - 1) : name;
  let unique = name;
  let count = taken.get(name.toLowerCase()) ?? 1;
  while (taken.has(unique.toLowerCase())) unique = `${stem} (${++count})${extension ? `.${extension}` : ''}`;
  // So that thousands of one name are not counted from the start each time.
  taken.set(name.toLowerCase(), count);
  if (!taken.has(unique.toLowerCase())) taken.set(unique.toLowerCase(), 1);
  return unique;
}

function decoded(chosen: Contents[number], uri: string, listedMimeType?: string): ResourceContent {
  const mimeType = chosen.mimeType ?? listedMimeType;
  if ('text' in chosen) {
    const bytes = Buffer.from(chosen.text, 'utf8');
    // The editor tells bytes from text by these.
    const kind = bytes.subarray(0, 512).includes(0) ? 'binary' : 'text';
    return { mimeType, kind, bytes, shown: isJson(mimeType) ? spread(chosen.text, bytes) : bytes };
  }
  const bytes = decodeBase64(chosen.blob);
  const kind = blobKind(bytes, uri, mimeType);
  const shown = kind === 'text' && isJson(mimeType) ? spread(bytes.toString('utf8'), bytes) : bytes;
  return { mimeType, kind, bytes, shown };
}

const LARGE_BYTES = 20 * 1024 * 1024;

/** Whether a size in bytes is one that an editor takes long for. */
export const isLargeSize = (size: number): boolean => size > LARGE_BYTES;

/** How much work a text is for an editor, in bytes: a line is as much as some letters. */
export function weightOf({ shown, parts = [] }: ResourceContent): number {
  let lines = 0;
  for (const byte of shown) if (byte === 10 || byte === 13) lines++;
  return parts.reduce((sum, part) => sum + weightOf(part), shown.length + lines * LINE_WEIGHT);
}

/** Whether an editor takes long to show this. A folder is none. */
export const isLarge = (content: ResourceContent): boolean => !content.parts && isLargeSize(weightOf(content));

/** Size in bytes of what an editor will show, if the listing determines it: JSON may be formatted. */
export function listedSize(resource: { size?: number | undefined; mimeType?: string | undefined }): number | undefined {
  const { size, mimeType } = resource;
  return size !== undefined && Number.isSafeInteger(size) && size >= 0 && !isJson(mimeType) ? size : undefined;
}

function spread(text: string, bytes: Uint8Array): Uint8Array {
  const formatted = formatJson(text);
  return formatted === text ? bytes : Buffer.from(formatted, 'utf8');
}

/** The kind by type, else by extension, else by the bytes: many servers call everything octets. */
function blobKind(bytes: Uint8Array, uri: string, mimeType: string | undefined): MediaKind {
  const kind = mediaKindOf(mimeType) ?? mediaKindOfExtension(extensionOf(resourceFileName({ uri })) ?? '');
  if (kind && kind !== 'binary') return kind;
  return isUtf8(bytes) && !bytes.includes(0) ? 'text' : 'binary';
}

/** The text of an embedded resource of a type of text that was sent as bytes; undefined for other content. */
export function textOfBlob(block: Extract<BlockContent, { kind: 'bytes' }>): string | undefined {
  const { base64, mimeType, media } = block;
  const data = media === 'other' && mediaKindOf(mimeType) === 'text' ? base64In(base64) : undefined;
  if (data === undefined) return undefined;
  const bytes = Buffer.from(data, 'base64');
  return isUtf8(bytes) && !bytes.includes(0) ? bytes.toString('utf8') : undefined;
}

function decodeBase64(blob: string): Buffer {
  const base64 = base64In(blob);
  if (base64 === undefined) throw new PhraseError(phrase('its response is not valid base64'));
  return Buffer.from(base64, 'base64');
}

/** Larger documents stay as they are: spreading them out would cost more than it helps. */
const MAX_JSON_LENGTH = 5 * 1024 * 1024;
/** Deeper documents are unreadable, and their indentation alone would fill memory. */
const MAX_DEPTH = 100;
const MAX_SPREAD_LENGTH = 4 * MAX_JSON_LENGTH;

/** Spreads minified JSON over lines. Anything else, JSON that has lines already included, comes back unchanged. */
export function formatJson(text: string): string {
  const json = text.trim();
  if (json.length > MAX_JSON_LENGTH || json.includes('\n')) return text;
  return parsedJson(json) === undefined ? text : spreadJson(json);
}

/**
 * JSON with a line for each member, indented by two spaces. Works on the text, not on the parsed value, so that long numbers,
 * duplicate keys and the order of keys stay what the server sent; text that was cut is spread as far as it goes. What is too deep
 * or becomes too long comes back unchanged.
 */
export function spreadJson(text: string): string {
  const lines = Array.from({ length: MAX_DEPTH + 1 }, (_, depth) => `\n${'  '.repeat(depth)}`);
  // One string that grew by each token would be a chain of millions.
  const pieces: string[] = [];
  let tokens: string[] = [];
  let length = 0;
  let depth = 0;
  let before = '';
  for (let at = 0; at < text.length; ) {
    const end = endOfToken(text, at);
    const token = text.slice(at, end);
    at = end;
    if (' \t\r\n'.includes(token)) continue;
    const isFirst = before === '{' || before === '[';
    const closes = token === '}' || token === ']';
    if (closes) depth = Math.max(0, depth - 1);
    const lead = isFirst === closes ? '' : (lines[depth] ?? '');
    if (token === '{' || token === '[') depth++;
    const trail = token === ',' ? (lines[depth] ?? '') : token === ':' ? ' ' : '';
    length += lead.length + token.length + trail.length;
    if (depth > MAX_DEPTH || length > MAX_SPREAD_LENGTH) return text;
    tokens.push(lead, token, trail);
    if (tokens.length > 10_000) {
      pieces.push(tokens.join(''));
      tokens = [];
    }
    before = token;
  }
  return pieces.join('') + tokens.join('');
}

/** A string, a number or word, or one other character. */
function endOfToken(json: string, start: number): number {
  if (json[start] === '"') return endOfString(json, start);
  let at = start;
  while (isOfWord(json.charCodeAt(at))) at++;
  return Math.max(at, start + 1);
}

/** ASCII letters, digits, `+`, `-` and `.`. NaN, behind the end, is none. */
const isOfWord = (code: number) =>
  (code >= 0x30 && code <= 0x39) ||
  ((code | 0x20) >= 0x61 && (code | 0x20) <= 0x7a) ||
  [0x2b, 0x2d, 0x2e].includes(code);

/** Index after the closing quote of the string that begins at `start`, or the end of what was cut. */
function endOfString(json: string, start: number): number {
  for (let at = start + 1; at < json.length; at++) {
    if (json[at] === '\\') at++;
    else if (json[at] === '"') return at + 1;
  }
  return json.length;
}

/** How much of a resource a hex view shows: 64 Ki lines. */
export const MAX_HEX_BYTES = 1024 * 1024;

const WIDTH = 16;

/** Offset, 16 bytes and their ASCII on each line, up to `maxBytes`. */
export function hexDump(bytes: Uint8Array, maxBytes = MAX_HEX_BYTES): string {
  const shown = Math.min(bytes.length, maxBytes);
  const lines: string[] = [];
  for (let offset = 0; offset < shown; offset += WIDTH)
    lines.push(hexLine(bytes.subarray(offset, Math.min(offset + WIDTH, shown)), offset));
  return lines.map(line => `${line}\n`).join('');
}

function hexLine(row: Uint8Array, offset: number): string {
  let hex = '';
  let ascii = '';
  for (let index = 0; index < WIDTH; index++) {
    const byte = row[index];
    hex += `${index === WIDTH / 2 ? '  ' : ' '}${byte === undefined ? '  ' : HEX[byte]}`;
    if (byte !== undefined) ascii += byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : '.';
  }
  return `${offset.toString(16).padStart(8, '0')} ${hex}  ${ascii}`;
}

const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));
