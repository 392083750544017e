import type { CallToolResult, GetPromptResult } from '@modelcontextprotocol/client';
import { dataWithoutBytes, type FoundBytes, withoutBytes } from '../../../base/bytesInText';
import { canonicalJson } from '../../../base/fingerprint';
import { english, type Phrase, phrase } from '../../../base/phrase';
import { revealed } from '../../../base/text';
import { isForPersonOnly, note, type Piece, piecesOf, said } from './contentBlocks';
import { type ContentPart, type ModelMessage, shorten, text } from './modelMessage';

interface ContentOptions {
  /** Whether the model sees images. */
  readonly images: boolean;
  /** Most characters of text; more are given as head and tail. */
  readonly maxChars: number;
  /** The problem with the result of an executed tool. */
  readonly problem?: Phrase | undefined;
}

/** Content that was left out for the model. */
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
  /** The structured content without these bytes. */
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
  if (structuredContent !== undefined && !saysAll(content, structuredContent))
    pieces.push(said(json(structuredContent)));
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
  const notes: Phrase[] = [];
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

/**
 * Whether the model gets structured content as text anyway: servers should send it twice (spec:
 * server/tools#structured-content).
 */
function saysAll(content: readonly unknown[], structured: unknown): boolean {
  try {
    const wanted = canonicalJson(structured);
    return content.slice(0, MAX_BLOCKS).some(block => {
      const { type, text: json } = Object(block) as { type?: unknown; text?: unknown };
      if (type !== 'text' || typeof json !== 'string' || isForPersonOnly(block)) return false;
      return json.length <= MAX_COMPARED && canonicalOf(json) === wanted;
    });
  } catch {
    // Nested too deeply to be compared.
    return false;
  }
}

function canonicalOf(json: string): string | undefined {
  try {
    return canonicalJson(JSON.parse(json));
  } catch {
    return undefined;
  }
}

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
      ...{ notes, bytes },
    };
  }
  const images = shown.filter(piece => piece.kind === 'image');
  return { parts: [text(revealed(shorten(whole, maxChars))), ...images], notes, bytes, shortened: { whole } };
}

/** The bytes that texts of a result had, each once. Those of a picture that the model gets anyway do not count. */
class LeftOutBytes {
  readonly bytes: FoundBytes[] = [];
  readonly #pictures: readonly Uint8Array[];

  constructor(pieces: readonly Piece[]) {
    this.#pictures = pieces.flatMap(piece => (piece.kind === 'image' ? [piece.data] : []));
  }

  /** What a text says in their place. */
  readonly note = (found: FoundBytes): string => {
    if (this.#pictures.some(picture => areSame(picture, found.bytes)))
      return `[${found.what}: a picture of this result]`;
    let at = this.bytes.findIndex(({ bytes }) => areSame(bytes, found.bytes));
    if (at < 0) at = this.bytes.push(found) - 1;
    return `[bytes ${at + 1}: ${found.what}]`;
  };
}

const areSame = (one: Uint8Array, other: Uint8Array): boolean =>
  one.length === other.length && one.every((byte, at) => byte === other[at]);

function wholeOf(pieces: readonly Piece[]): string {
  return pieces.flatMap(piece => (piece.kind === 'image' ? [] : [english(piece.text)])).join('\n\n');
}

function listOf<T>(value: readonly T[] | undefined): readonly (T | null)[] {
  return Array.isArray(value) ? value : [];
}

/** Undefined where data is nested too deeply to be written as JSON. */
function clean(data: unknown, note: LeftOutBytes['note']): unknown {
  try {
    return dataWithoutBytes(data, note);
  } catch {
    return undefined;
  }
}

function json(value: unknown): string {
  try {
    return JSON.stringify(value, null, 2);
  } catch {
    return '[structured content that is nested too deeply to be shown]';
  }
}
