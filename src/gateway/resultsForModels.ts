import type { CallToolResult, Result } from '@modelcontextprotocol/server';
import { dataWithoutBytes, type FoundBytes } from '../base/bytesInText';
import { indentedLength, isDeeper, isObject } from '../base/json';
import { blockWithoutBytes, DrawnBlocks, MAX_READ, withFewBlocks } from './drawnBlocks';
import { formForModels, MAX_DEPTH } from './formsForModels';
import { promptWithoutBytes } from './promptsForModels';

/** The most that are attached to a result. */
const MAX_ATTACHED = 20;

/**
 * A result for a client that hands texts and structured content to its model as they are: bytes in them become attachments, which
 * the client treats by their type. What the result has as a picture, sound or file anyway is not attached again.
 */
export function resultWithoutBytes(result: CallToolResult): CallToolResult {
  const { content, structuredContent } = result;
  const attachments = new Attachments(content);
  const drawing = new DrawnBlocks();
  const shown = withFewBlocks(content).map(block => blockWithoutBytes(drawing.drawn(block), attachments.note));
  const data = dataWithoutBytes(structuredContent, attachments.note);
  const isUnchanged =
    data === structuredContent && shown.length === content.length && shown.every((block, at) => block === content[at]);
  if (isUnchanged) return result;
  const blocks = [...shown, ...attachments.blocks.map(drawing.drawn)];
  return { ...result, content: blocks, ...(data !== undefined && { structuredContent: data }) };
}

/** A result of a tool with an app, whose blocks the client draws beside it. */
export const resultWithoutHugeBlocks = (result: CallToolResult): CallToolResult => ({
  ...result,
  content: withFewBlocks(result.content).map(new DrawnBlocks().drawn),
});

/** The contents of a resource for a client that draws pictures in its own page. */
function contentsWithoutHugePictures(result: Result): Result {
  const { contents } = result;
  if (!Array.isArray(contents)) return result;
  const drawing = new DrawnBlocks(MAX_READ);
  const inItem = (item: unknown) => (isObject(item) ? drawing.inResource(item) : item);
  return { ...result, contents: contents.map(inItem) };
}

/** Characters of structured content that a client shows in indented lines. */
const MAX_LINES = 10_000_000;

/**
 * A result without structured content or metadata that is nested too deeply for clients; a note says so.
 * @param isShownInLines whether the client shows structured content, so that it is left out if that is too long.
 */
export function resultWithinDepth(result: CallToolResult, isShownInLines: boolean): CallToolResult {
  const { structuredContent, _meta, ...others } = result;
  const isDeep = isDeeper(structuredContent, MAX_DEPTH);
  const isLong = !isDeep && isShownInLines && indentedLength(structuredContent) > MAX_LINES;
  const isShown = !isDeep && !isLong;
  const hasMeta = !isDeeper(_meta, MAX_DEPTH);
  if (isShown && hasMeta) return result;
  const why = isDeep ? `is nested deeper than ${MAX_DEPTH} levels` : 'is too long to be shown';
  const note = `[MCP Host: structured content that ${why} was left out]`;
  return {
    ...others,
    ...(hasMeta && _meta && { _meta }),
    ...(isShown && structuredContent !== undefined && { structuredContent }),
    content: isShown ? result.content : [...result.content, { type: 'text', text: note }],
  };
}

/** The result of any request, for a client that draws it in the page of its window. */
export function shownForModels(method: string, result: Result): Result {
  const shown = formForModels(method, result);
  if (method === 'prompts/get') return promptWithoutBytes(shown);
  return method === 'resources/read' ? contentsWithoutHugePictures(shown) : shown;
}

class Attachments {
  /** The types of those that were found, by their base64. */
  readonly #found = new Map<string, { readonly at: number; readonly type: string }>();
  /** Data that the result has as content blocks, as base64. */
  readonly #given: ReadonlySet<unknown>;

  constructor(content: CallToolResult['content']) {
    this.#given = new Set(
      content.map(block => ('data' in block ? block.data : 'resource' in block && Object(block.resource).blob)),
    );
  }

  /** The note that replaces bytes in a text. */
  readonly note = (found: FoundBytes): string => {
    const blob = base64Of(found);
    if (this.#given.has(blob)) return `[${found.what}: attached]`;
    const { at } = this.#found.get(blob) ?? { at: this.#found.size };
    if (at < MAX_ATTACHED) this.#found.set(blob, { at, type: found.type });
    return at < MAX_ATTACHED ? `[${found.what}: attached as ${uriOf(at)}]` : `[${found.what}]`;
  };

  get blocks(): CallToolResult['content'] {
    return [...this.#found].map(([blob, { at, type }]) => ({
      type: 'resource',
      resource: { uri: uriOf(at), mimeType: type, blob },
    }));
  }
}

const uriOf = (at: number): string => `mcp-host://attached/${at + 1}`;

const base64Of = ({ bytes }: Pick<FoundBytes, 'bytes'>): string => Buffer.from(bytes).toString('base64');
