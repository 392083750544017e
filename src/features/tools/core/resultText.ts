import type { CallToolResult, Tool } from '@modelcontextprotocol/client';
import { type BlockContent, blockContent } from '../../../base/blockContent';
import { base64In } from '../../../base/bytesInText';
import { DrawingBudget } from '../../../base/drawingBudget';
import { indentedJson, looksLikeJson } from '../../../base/json';
import { formatDuration, formatSize, roundedNote } from '../../../base/numberText';
import { english, type Phrase, phrase } from '../../../base/phrase';
import { visible } from '../../../base/text';
import { extensionsOf, formatJson } from '../../resources/core';
import { noBase64, REPORTED_ERROR } from './resultBlocks';

/** A call of a tool that came to its end. */
export interface FinishedCall {
  /** Configured names, as a person knows them. */
  server: { readonly id: string; readonly name: string };
  tool: Tool;
  args: Record<string, unknown>;
  result: CallToolResult;
  /** The problem with the result of an executed tool. */
  problem?: Phrase | undefined;
  /** How long it took, in milliseconds. */
  ms: number;
}

/** Where a link of the document leads: to a file kept with it, or to a resource of the server. */
type LinkTarget =
  | { readonly kind: 'file'; readonly name: string }
  | { readonly kind: 'resource'; readonly resource: { uri: string; name?: string; mimeType?: string | undefined } };

export interface ResultLink {
  /** Position of the first character, in UTF-16 units. */
  readonly start: number;
  readonly end: number;
  readonly target: LinkTarget;
}

export interface RenderedResult {
  readonly text: string;
  readonly links: readonly ResultLink[];
  readonly files: ReadonlyMap<string, Uint8Array>;
  /** Names of those files that an editor shows as pictures. */
  readonly images: readonly string[];
}

type Block = CallToolResult['content'][number];

/** Longer text is shown head and tail; the whole is a file beside. */
const MAX_TEXT = 1_000_000;
const SHOWN_HEAD = 200_000;
const SHOWN_TAIL = 50_000;
const MAX_BLOCKS = 1_000;

/** The result of a call (spec: server/tools#tool-result) as plain text. @param localized words our own texts. */
export function renderResult(call: FinishedCall, localized: (phrase: Phrase) => string = english): RenderedResult {
  const { server, tool, args, result, problem, ms } = call;
  const page = new Page(localized);
  const title = tool.title ?? tool.annotations?.title;
  const failed = result.isError === true;
  const outcome = failed ? `✘ ${localized(phrase('ERROR'))}` : problem ? '⚠ OK' : '✔ OK';
  page.line([outcome, visible(tool.name), visible(server.name), formatDuration(ms)]);
  if (title && title !== tool.name) page.line(visible(title));
  if (failed) page.line(REPORTED_ERROR);
  if (problem) page.line(problem);
  page.heading(phrase('Arguments'));
  page.text(indentedJson(args), 'arguments.json');

  const content = Array.isArray(result.content) ? result.content : [];
  for (const [index, block] of content.slice(0, MAX_BLOCKS).entries()) {
    addBlock(page, block, content.length > 1 ? ` ${index + 1}` : '');
    addAnnotations(page, block);
  }
  if (content.length > MAX_BLOCKS) page.heading(phrase('{0} more are not shown', content.length - MAX_BLOCKS));
  if (result.structuredContent !== undefined) {
    page.heading(phrase('Structured content'));
    const rounded = roundedNote(result.structuredContent);
    if (rounded) page.line(rounded);
    const { structuredContent } = result;
    if (typeof structuredContent === 'string') page.text(structuredContent, 'structured-content.txt');
    else page.text(indentedJson(structuredContent), 'structured-content.json');
  }
  if (content.length === 0 && result.structuredContent === undefined) {
    page.heading(phrase('Result'));
    page.line(phrase('The tool returned nothing.'));
  }
  return page.rendered;
}

function addBlock(page: Page, raw: Block, number: string): void {
  const block = blockContent(raw);
  page.heading(titleOf(block), number);
  if (block.kind === 'unknown') {
    page.text(indentedJson(raw), `content${number.trim()}.json`);
    return;
  }
  const { resource } = block;
  const isLink = block.kind === 'link';
  if (resource) {
    const { uri, name, title, description, mimeType, size } = resource;
    const facts = [mimeType && visible(mimeType, 80), size === undefined ? '' : formatSize(size)];
    if (isLink) page.line([visible(title ?? name), ...facts].filter(fact => fact !== undefined));
    page.link(visible(uri, 2_000), { kind: 'resource', resource });
    if (description) page.line(visible(description, 1_000));
  }
  if (isLink) return;
  const of = resource ? 'resource' : block.kind === 'text' ? 'text' : block.media;
  const file = `${of}${number.trim()}`;
  if (block.kind === 'bytes') page.binary(block.base64, block.mimeType, file, block.media === 'image');
  else page.text(looksLikeJson(block.text) ? formatJson(block.text) : block.text, `${file}.txt`);
}

function titleOf(block: BlockContent): Phrase {
  if (block.kind === 'unknown') return phrase('Content of unknown type "{0}"', visible(block.type, 80));
  if (block.kind === 'link') return phrase('Resource link');
  if (block.resource) return phrase('Resource');
  if (block.kind === 'text') return phrase('Text');
  return block.media === 'image' ? phrase('Image') : phrase('Audio');
}

/** Adds audience and priority of the content (spec: server/resources#annotations). */
function addAnnotations(page: Page, block: Block): void {
  const { annotations, resource } = Object(block) as { annotations?: unknown; resource?: { annotations?: unknown } };
  const said = Object(annotations ?? resource?.annotations) as Record<string, unknown>;
  const { audience, priority, lastModified } = said;
  if (Array.isArray(audience)) page.line(phrase('For: {0}', visible(audience.join(', '), 80)));
  if (typeof priority === 'number') page.line(phrase('Priority: {0}', priority));
  if (typeof lastModified === 'string') page.line(phrase('Last modified: {0}', visible(lastModified, 40)));
}

class Page {
  #written = '';
  readonly #budget = new DrawingBudget();
  readonly #links: ResultLink[] = [];
  readonly #files = new Map<string, Uint8Array>();
  readonly #images: string[] = [];

  constructor(private readonly localized: (phrase: Phrase) => string) {}

  get rendered(): RenderedResult {
    return { text: this.#written, links: this.#links, files: this.#files, images: this.#images };
  }

  line(text: Phrase | string | readonly string[]): void {
    this.#written += `${this.#worded(text)}\n`;
  }

  heading(text: Phrase, number = ''): void {
    const title = this.localized(text) + number;
    this.#written += `\n── ${title} ${'─'.repeat(Math.max(3, 60 - title.length))}\n`;
  }

  link(link: Phrase | string, target: LinkTarget): void {
    const text = this.#worded(link);
    const start = this.#written.length;
    this.line(text);
    this.#links.push({ start, end: start + text.length, target });
  }

  text(text: string, fileName: string): void {
    const isLong = text.length > MAX_TEXT;
    const head = this.#budget.lines(isLong ? text.slice(0, SHOWN_HEAD) : text);
    if (head !== undefined) this.line(head);
    if (head !== undefined && !isLong) return;
    const tail = head === undefined ? undefined : this.#budget.lines(text.slice(-SHOWN_TAIL));
    const shown = (head === undefined ? 0 : SHOWN_HEAD) + (tail === undefined ? 0 : SHOWN_TAIL);
    this.line(phrase('\n… {0} characters omitted …', text.length - shown));
    const size = formatSize(Buffer.byteLength(text));
    this.file(phrase('Open in full ({0})', size), fileName, Buffer.from(text));
    if (tail !== undefined) this.line(`\n${tail}`);
  }

  binary(base64: string, mimeType: string | undefined, name: string, isImage: boolean): void {
    const data = base64In(base64);
    if (data === undefined) {
      this.line(noBase64(visible(mimeType ?? '', 80)));
      return;
    }
    const bytes = Buffer.from(data, 'base64');
    const extension = extensionsOf(mimeType)[0] ?? 'bin';
    const fileName = `${name}.${extension}`;
    const type = mimeType === undefined ? phrase('unknown type') : visible(mimeType, 80);
    this.file(phrase('Open {0} ({1}, {2})', fileName, type, formatSize(bytes.length)), fileName, bytes);
    if (isImage && this.#budget.draws(bytes)) this.#images.push(fileName);
  }

  file(text: Phrase, name: string, bytes: Uint8Array): void {
    this.#files.set(name, bytes);
    this.link(text, { kind: 'file', name });
  }

  #worded(text: Phrase | string | readonly string[]): string {
    if (typeof text === 'string') return text;
    return 'text' in text ? this.localized(text) : text.filter(Boolean).join(' · ');
  }
}
