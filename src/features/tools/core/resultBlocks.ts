import type { CallToolResult, GetPromptResult, ReadResourceResult } from '@modelcontextprotocol/client';
import { type BlockContent, base64Size, blockContent } from '../../../base/blockContent';
import { base64In } from '../../../base/bytesInText';
import { DrawingBudget } from '../../../base/drawingBudget';
import { looksLikeJson, parsedJson } from '../../../base/json';
import { formatSize, roundedNote } from '../../../base/numberText';
import { english, type Phrase, phrase } from '../../../base/phrase';
import { visible } from '../../../base/text';
import { essence, textOfBlob } from '../../resources/core';

/** One part of a result, ready to be drawn. Nothing in it is markup. */
export type ResultBlock =
  | { readonly kind: 'note' | 'heading'; readonly text: string }
  | {
      readonly kind: 'text';
      readonly label: string;
      readonly text: string;
      /** A note on what is cut at its end. */
      readonly cut: string;
    }
  /** `json` is what the server sent: the page makes hidden characters visible. */
  | { readonly kind: 'json'; readonly label: string; readonly json: string }
  | { readonly kind: 'image' | 'audio'; readonly label: string; readonly mimeType: string; readonly data: string }
  | {
      readonly kind: 'link';
      readonly label: string;
      readonly address: string;
      readonly notes: readonly string[];
      /** Which block of the content it is. */
      readonly block: number;
      /** It can be opened in a browser too, once the person has seen where it leads. */
      readonly isWebsite: boolean;
    };

export type ContentBlock = CallToolResult['content'][number];

/** What precedes a result that says that its call has failed. */
export const REPORTED_ERROR = phrase('The tool reported an error (isError):');
/** What stands in the place of bytes that cannot be read. @param type of media */
export const noBase64 = (type: string): Phrase =>
  phrase('{0}: its data is not valid base64. That is a fault of the server.', type);

const MAX_BLOCKS = 200;
/** The longest text, in characters; the document of a result has more. */
const MAX_TEXT = 1_000_000;
const MAX_JSON = 2_000_000;
/** The longest image or sound, as base64. */
const MAX_MEDIA = 40_000_000;
/** Types that `img` and `audio` of a page draw without running anything. */
const IMAGES = /^image\/(png|jpeg|gif|webp)$/;
const SOUNDS = /^audio\/[\w.+-]{1,40}$/;

/** Our own words, and the room for a server's. */
interface Drawing {
  readonly localized: (phrase: Phrase) => string;
  readonly budget: DrawingBudget;
}

/** What a page shows of a call's result (spec: server/tools#tool-result). @param localized words our own texts. */
export function resultBlocks(result: CallToolResult, localized: (phrase: Phrase) => string = english): ResultBlock[] {
  const drawing = { localized, budget: new DrawingBudget() };
  const content = Array.isArray(result.content) ? result.content : [];
  const { structuredContent } = result;
  const structured = structuredContent === undefined ? undefined : JSON.stringify(structuredContent);
  let sent = structured;
  const blocks = content.slice(0, MAX_BLOCKS).flatMap((block, index): ResultBlock[] => {
    // Servers repeat structured content as text for those who don't read it (spec: server/tools#structured-content).
    // The text still has the digits of long numbers, which the value has lost.
    if (
      block?.type !== 'text' ||
      structured === undefined ||
      !(block.text === structuredContent || sameJson(block.text, structured))
    )
      return blocksOf(block, index, drawing);
    sent = block.text;
    return [];
  });
  if (content.length > MAX_BLOCKS)
    blocks.push({ kind: 'note', text: localized(phrase('{0} more are not shown', content.length - MAX_BLOCKS)) });
  const label = localized(phrase('Structured content'));
  if (typeof structuredContent === 'string') blocks.push(textBlock(label, structuredContent, drawing));
  else if (sent !== undefined) blocks.push(jsonBlock(label, sent, drawing));
  const rounded = sent === structured ? roundedNote(structuredContent) : undefined;
  if (rounded) blocks.push({ kind: 'note', text: localized(rounded) });
  if (blocks.length === 0) blocks.push({ kind: 'note', text: localized(phrase('The tool returned nothing.')) });
  return blocks;
}

function blocksOf(raw: unknown, index: number, drawing: Drawing): ResultBlock[] {
  const { localized } = drawing;
  const block = blockContent(raw);
  if (block.kind === 'unknown') {
    const label = localized(phrase('Content of unknown type "{0}"', visible(block.type, 80)));
    return [jsonBlock(label, JSON.stringify(raw) ?? 'null', drawing)];
  }
  if (block.kind !== 'link' && block.shown?.kind === 'website')
    return [linkBlock(localized(phrase('Website')), block.shown.url, [], index)];
  const { uri, name, title = name, description, mimeType, size } = block.resource ?? {};
  const notes = [
    mimeType && visible(mimeType, 80),
    size !== undefined && formatSize(size),
    description && visible(description, 1_000),
  ];
  const label = title === undefined ? localized(phrase('Resource')) : visible(title);
  const links = block.resource ? [linkBlock(label, uri, notes, index)] : [];
  if (block.kind === 'link') return links;
  const inside = block.kind === 'text' ? block.text : (textOfBlob(block) ?? block);
  return [
    ...links,
    typeof inside === 'string' ? textBlock(localized(phrase('Text')), inside, drawing) : mediaBlock(inside, drawing),
  ];
}

function textBlock(label: string, all: string, { localized, budget }: Drawing): ResultBlock {
  if (looksLikeJson(all) && all.length <= MAX_JSON && parsedJson(all) !== undefined && budget.hasRoomFor(all))
    return { kind: 'json', label, json: all };
  const text = budget.lines(all.slice(0, MAX_TEXT));
  const left = all.length - (text === undefined ? 0 : MAX_TEXT);
  const cut = left > 0 ? localized(phrase('{0} more characters are in the document of the result', left)) : '';
  return { kind: 'text', label, text: text ?? '', cut };
}

function jsonBlock(label: string, json: string, drawing: Drawing): ResultBlock {
  const fits = json.length <= MAX_JSON && drawing.budget.hasRoomFor(json);
  return fits ? { kind: 'json', label, json } : textBlock(label, ` ${json}`, drawing);
}

function mediaBlock(
  { base64: data, mimeType: type, media }: Extract<BlockContent, { kind: 'bytes' }>,
  { localized, budget }: Drawing,
): ResultBlock {
  const mimeType = essence(type) ?? '';
  const base64 = base64In(data);
  const kind = media === 'audio' ? media : 'image';
  const shown = visible(type ?? localized(phrase('unknown type')), 80);
  if (base64 === undefined) {
    return { kind: 'note', text: localized(noBase64(shown)) };
  }
  const size = formatSize(base64Size(base64));
  const isDrawn = (kind === 'image' ? IMAGES : SOUNDS).test(mimeType) && base64.length <= MAX_MEDIA;
  if (!isDrawn || (kind === 'image' && !budget.draws(Buffer.from(base64, 'base64')))) {
    return {
      kind: 'note',
      text: localized(phrase('{0}, {1}: it can be opened from the document of the result.', shown, size)),
    };
  }
  return { kind, label: `${shown}, ${size}`, mimeType, data: base64 };
}

function linkBlock(
  label: string,
  uri: unknown,
  notes: readonly (string | false | undefined)[],
  block: number,
): ResultBlock {
  const address = String(uri);
  const isWebsite = /^https?:\/\//i.test(address) && URL.canParse(address);
  return {
    kind: 'link',
    label,
    address: visible(address, 2_000),
    notes: notes.filter(note => typeof note === 'string'),
    block,
    isWebsite,
  };
}

/** The messages of a prompt as they would be sent, each below the role that speaks. */
export function promptBlocks(
  { messages }: GetPromptResult,
  localized: (phrase: Phrase) => string = english,
): ResultBlock[] {
  const drawing = { localized, budget: new DrawingBudget() };
  const blocks = messages.slice(0, MAX_BLOCKS).flatMap(({ role, content }, index): ResultBlock[] => {
    const who = role === 'assistant' ? phrase('Assistant') : phrase('User');
    return [{ kind: 'heading', text: `${index + 1}. ${localized(who)}` }, ...blocksOf(content, index, drawing)];
  });
  if (messages.length > MAX_BLOCKS)
    blocks.push({ kind: 'note', text: localized(phrase('{0} more are not shown', messages.length - MAX_BLOCKS)) });
  if (messages.length === 0) blocks.push({ kind: 'note', text: localized(phrase('The server returned no message.')) });
  return blocks;
}

/** The blocks of a resource. One that was read as a whole needs no link to itself. */
export function resourceBlocks(
  { contents }: ReadResourceResult,
  localized: (phrase: Phrase) => string = english,
): ResultBlock[] {
  const drawing = { localized, budget: new DrawingBudget() };
  const blocks = contents
    .slice(0, MAX_BLOCKS)
    .flatMap((resource, index) => blocksOf({ type: 'resource', resource }, index, drawing));
  return contents.length === 1 ? blocks.filter(({ kind }) => kind !== 'link') : blocks;
}

/** The address of a link, as the server wrote it, and what else it says of what is there. */
export function linkedResource(
  content: readonly ContentBlock[],
  index: number,
): { readonly uri: string; readonly name?: string; readonly mimeType?: string | undefined } | undefined {
  const block = blockContent(content[index]);
  if (block.kind === 'unknown' || !block.resource) return undefined;
  if (block.kind !== 'link' && block.shown?.kind === 'website') return { uri: block.shown.url };
  return block.resource;
}

function sameJson(text: unknown, json: string): boolean {
  if (typeof text !== 'string' || !looksLikeJson(text) || text.length > MAX_JSON) return false;
  return JSON.stringify(parsedJson(text)) === json;
}
