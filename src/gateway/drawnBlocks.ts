import type { CallToolResult } from '@modelcontextprotocol/server';
import { type FoundBytes, withoutBytes } from '../base/bytesInText';
import { indentedJson, isObject } from '../base/json';
import { withoutColours } from '../base/markdownCode';
import { drawingWork, mediaTypeOf } from '../base/mediaType';
import { percentDecoded, revealed } from '../base/text';
import { interfaceIn, interfaceInWords } from '../base/userInterface';
import { blockForModels, boundedText } from './formsForModels';

/** Pixels of all pictures in a result together: few bytes can be any number of them, and clients draw them in their own page. */
const MAX_PIXELS = 100_000_000;
/** Pixels of what a client reads itself. It may draw each link of a result. */
export const MAX_READ = 25_000_000;
/** Those that are only pixels, and say how many. SVG takes any time to draw. */
const DRAWN = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'];

/** Characters of a result that are shown as markdown, for which the time may grow with the square of their number. */
const MAX_TEXT = 8_000;
/** Clients draw each block in their own page. */
const MAX_BLOCKS = 200;

/** The texts of further blocks are one, with a note in the place of others. */
export function withFewBlocks(content: CallToolResult['content']): CallToolResult['content'] {
  if (content.length <= MAX_BLOCKS) return content;
  const [first, more] = [content.slice(0, MAX_BLOCKS - 1), content.slice(MAX_BLOCKS - 1)];
  const texts = more.flatMap(block => (block?.type === 'text' ? [block.text] : []));
  const others = more.length - texts.length;
  const note = `[MCP Host: ${others} further links, files and pictures were left out: at most ${MAX_BLOCKS} blocks are shown]`;
  return [...first, { type: 'text', text: [...texts, ...(others > 0 ? [note] : [])].join('\n') }];
}

const SVG = 'image/svg+xml';
const PLAIN = 'text/plain';
/** Sound, whose bytes no reader takes for those of a picture. */
const HEARD = ['audio/wav', 'audio/mpeg', 'audio/aac', 'audio/ogg', 'audio/flac', 'video/webm'];
const isPicture = (type: unknown): boolean => /^image\//i.test(String(type));

/** Whether a client may draw what is behind an address, whatever its type is. Clients read addresses in ways of their own. */
function isOfPicture(uri: unknown): boolean {
  const written = String(uri).replace(/[\0- ]/g, '');
  return /\.(png|jpe?g|gif|webp)\b/i.test(`${written} ${percentDecoded(percentDecoded(written))}`);
}

/** How all files begin that a browser draws without being told their type, in hexadecimal: JPEG, PNG, GIF, RIFF, icons, BMP, AVIF. */
const DRAWN_UNTOLD = /^(ffd8ff|89504e47|47494638|52494646|00000100|00000200|424d|.{8}66747970)/;
/** A film whose `ftyp` also says that it is a picture. */
const DRAWN_FILM = /^.{8}66747970.*6176(6966|6973)/;
/** How texts begin that a browser would draw. */
const DRAWN_TEXT = /^(?:BM|GIF8|RIFF|\p{Cc})/u;

/** Whether a browser would draw a file, whatever type its server gives it. @param type of its first bytes, if that is known */
function seemsPicture(bytes: Buffer, type: string | undefined): boolean {
  const beginning = bytes.toString('hex', 0, 256);
  if (type === undefined) return DRAWN_UNTOLD.test(beginning);
  return isPicture(type) || DRAWN_FILM.test(beginning);
}

type Content = Readonly<Record<string, unknown>>;

/**
 * Blocks as a client can draw them at once. Notes stand in the place of pictures that it can't draw; SVG becomes its text, which models can
 * read.
 */
export class DrawnBlocks {
  #textLeft = MAX_TEXT;

  /** @param left how many pixels may be drawn. */
  constructor(private left = MAX_PIXELS) {}

  /** For a content block. */
  readonly drawn = <T>(block: T): T => {
    if (!isObject(block)) return block;
    const { type, data, mimeType, resource, uri } = block;
    if (type === 'text') return this.#forPerson(block);
    if (typeof data === 'string') {
      const text = this.#textFor(data, mimeType, true);
      if (text !== undefined) return { type: 'text', text } as T;
      return changed(block, 'mimeType', mediaTypeOf(Buffer.from(data.slice(0, 512), 'base64'))?.type ?? mimeType);
    }
    // Whatever is behind a link is drawn as its type.
    if (type === 'resource_link' && (isPicture(mimeType) || isOfPicture(uri))) {
      if ((DRAWN.includes(String(mimeType)) || mimeType === undefined) && this.#draws(MAX_READ)) return block;
      if (!isOfPicture(uri)) return changed(block, 'mimeType', PLAIN);
      return { type: 'text', text: `[MCP Host: a link to a picture was left out: ${String(uri)}]` } as T;
    }
    if (type !== 'resource' || !isObject(resource)) return block;
    const shown = this.inResource(resource);
    return shown !== resource && 'blob' in resource
      ? ({ type: 'text', text: shown.text } as T)
      : changed(block, 'resource', shown);
  };

  /** For the contents of a resource. A text is no picture, though some can be written as one. */
  readonly inResource = (contents: Content): Content => {
    const { blob, mimeType, text } = contents;
    if (typeof blob === 'string') {
      const { blob: _, ...others } = contents;
      const instead = this.#textFor(blob, mimeType);
      return instead === undefined ? contents : { ...others, mimeType: PLAIN, text: instead };
    }
    if (typeof text !== 'string') return contents;
    const seen = mediaTypeOf(Buffer.from(text.slice(0, 100)))?.type;
    if (isPicture(seen) && seen !== SVG) return { ...contents, mimeType: PLAIN, text: noteOf() };
    // Clients that draw it by its beginning or its address see none.
    const shown = DRAWN_TEXT.test(text) ? changed(contents, 'text', `\n${text}`) : contents;
    return isPicture(mimeType) ? { ...shown, mimeType: PLAIN } : shown;
  };

  /**
   * What stands in the place of bytes. Undefined: they are no picture, or one that may be drawn.
   * @param isShown whether they are drawn whatever their type is.
   */
  #textFor(base64: string, mimeType: unknown, isShown = false): string | undefined {
    const bytes = Buffer.from(base64, 'base64');
    const media = mediaTypeOf(bytes);
    const { type, width, height } = media ?? {};
    const isNone = isShown ? HEARD.includes(String(type)) : !isPicture(mimeType) && !seemsPicture(bytes, type);
    if (isNone) return undefined;
    if ((type ?? mimeType) === SVG) return revealed(bytes.toString('utf8'));
    const work = drawingWork(media);
    return DRAWN.includes(String(type)) && work > 0 && this.#draws(work) ? undefined : noteOf(width, height, mimeType);
  }

  /** A text that is for the person, too: the client shows it as markdown. What is longer is for the model alone, or ends. */
  #forPerson<T extends Content>(block: T): T {
    const { annotations, text: said } = block;
    const { audience } = Object(annotations) as { audience?: unknown };
    if (typeof said !== 'string' || !Array.isArray(audience) || !audience.includes('user')) return block;
    if (said.length <= this.#textLeft) {
      this.#textLeft -= said.length;
      return changed(block, 'text', withoutColours(said));
    }
    if (audience.includes('assistant'))
      return { ...block, annotations: changed(annotations as object, 'audience', undefined) };
    const start = withoutColours(boundedText(said, Math.max(1, this.#textLeft)));
    this.#textLeft = 0;
    return { ...block, text: start };
  }

  #draws(pixels: number): boolean {
    const fits = pixels <= this.left;
    if (fits) this.left -= pixels;
    return fits;
  }
}

function noteOf(width = 0, height = 0, mimeType?: unknown): string {
  const size = width * height > 0 ? ` of ${width} × ${height} pixels` : '';
  const what = /^audio\//i.test(String(mimeType)) ? 'a sound' : 'a picture';
  return `[MCP Host: ${what}${size} was left out: it can't be shown here]`;
}

export const changed = <T extends object>(item: T, key: string, value: unknown): T =>
  (item as Record<string, unknown>)[key] === value ? item : { ...item, [key]: value };

/**
 * A content block with the members of its type, whose text has no bytes. Its own data stays: models do not get it as text. A block of an
 * unknown type becomes its JSON, as clients leave it out.
 */
export function blockWithoutBytes<T>(block: T, note?: (found: FoundBytes) => string): T {
  if (!isObject(block)) return block;
  const shown = interfaceIn(block);
  if (shown) return { type: 'text', text: interfaceInWords(shown) } as T;
  const known = blockForModels(block) ?? { type: 'text', text: indentedJson(block) };
  const { text, resource } = known;
  if (typeof text === 'string') return changed(known, 'text', withoutBytes(text, note)) as T;
  if (!isObject(resource) || typeof resource.text !== 'string') return known as T;
  return changed(known, 'resource', changed(resource, 'text', withoutBytes(resource.text, note))) as T;
}
