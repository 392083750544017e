import type { CallToolResult, Result } from '@modelcontextprotocol/server';
import { dataWithoutBytes, type FoundBytes, withoutBytes } from '../base/bytesInText';
import { type HostError, INTERNAL_ERROR, SERVER_ERROR, URL_ELICITATION_REQUIRED } from '../base/errors';
import { indentedLength, isDeeper, isObject } from '../base/json';
import { revealedData } from '../base/modelData';
import { revealed, startOf } from '../base/text';
import { interfaceIn, interfaceInWords } from '../base/userInterface';
import { changed, DrawnBlocks, MAX_READ, withFewBlocks } from './drawnBlocks';
import { boundedItem, boundedText } from './itemsForModels';

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

/** Clients give up a whole result, and some their connection, for JSON that is nested deeper than a limit of their own. */
const MAX_DEPTH = 100;

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

/** The result of any request but a call, for a client that draws its icons and pictures in the page of its window. */
export function shownForModels(method: string, result: Result): Result {
  if (method === 'prompts/get') return promptWithoutBytes(result);
  if (method === 'resources/read') return contentsWithoutHugePictures(result);
  const [list] = LISTS.filter(key => Array.isArray(result[key]));
  return list ? { ...result, [list]: (result[list] as object[]).map(item => boundedItem(item)) } : result;
}

const LISTS = ['tools', 'prompts', 'resources', 'resourceTemplates'];

/** A prompt for a client that hands texts to its model as they are: bytes in them become notes, and nothing is attached. */
function promptWithoutBytes(result: Result): Result {
  const { messages } = result;
  if (!Array.isArray(messages)) return result;
  const drawing = new DrawnBlocks();
  const blocks = withFewBlocks(
    messages.map((message: unknown) => Object(message).content as CallToolResult['content'][number]),
  );
  const texts = new PromptTexts();
  const shown = blocks.map((block, at) => {
    const content = texts.bounded(withoutAddress(blockWithoutBytes(drawing.drawn(block))));
    return { ...messages[at], content };
  });
  return { ...result, messages: shown };
}

/**
 * A block of a prompt that names no address: a client attaches what it finds there, which may be a file of the person or a resource of
 * another server. Of what a server sends with an address, the text or picture stays.
 */
function withoutAddress<T>(block: T): T {
  const { type, uri, name, resource } = Object(block) as Record<string, unknown>;
  if (type === 'resource_link') return { type: 'text', text: `${String(name)}: ${String(uri)}` } as T;
  if (type !== 'resource') return block;
  const { uri: address, text, blob, mimeType } = Object(resource) as Record<string, unknown>;
  if (typeof text === 'string') return { type: 'text', text: `${String(address)}\n${text}` } as T;
  // Those that can't be drawn are notes by now.
  if (typeof blob === 'string' && /^image\//i.test(String(mimeType)))
    return { type: 'image', data: blob, mimeType } as T;
  return { type: 'text', text: `[MCP Host: the file ${String(address)} was left out: use the prompt with @mcp]` } as T;
}

/** Characters of a prompt, which a client puts into its input, and later reads as markdown. */
const MAX_PROMPT = 20_000;

class PromptTexts {
  #left = MAX_PROMPT;

  readonly bounded = <T>(block: T): T => {
    const { text } = Object(block) as { text?: unknown };
    return typeof text === 'string' ? (changed(block as object, 'text', this.#within(text)) as T) : block;
  };

  #within(text: string): string {
    const left = this.#left;
    this.#left = Math.max(0, left - text.length);
    if (text.length <= left) return text;
    return `${startOf(text, left)}\n[MCP Host: ${text.length - left} more characters were left out: use the prompt with @mcp]`;
  }
}

/** Characters of an error's message. */
const MAX_ERROR = 8_000;

export function errorWithoutBytes({ code, message, data }: WireError): WireError {
  return new WireError(code, boundedText(withoutBytes(message), MAX_ERROR), dataWithoutBytes(data));
}

/** A content block whose text has no bytes. Its own data stays: models do not get it as text. */
function blockWithoutBytes<T>(block: T, note?: (found: FoundBytes) => string): T {
  if (!isObject(block)) return block;
  const { type, text, resource } = block;
  if (type === 'text') return typeof text === 'string' ? changed(block, 'text', withoutBytes(text, note)) : block;
  if (type === 'resource_link') return boundedItem(block);
  const shown = interfaceIn(block);
  if (shown) return { type: 'text', text: interfaceInWords(shown) } as T;
  if (type === 'resource' && isObject(resource) && typeof resource.text === 'string') {
    const inside = changed(resource, 'text', withoutBytes(resource.text, note));
    return changed(block, 'resource', inside);
  }
  return block;
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

/** An error in the form in which it goes over the wire (spec: JSON-RPC 2.0, error object). */
export class WireError extends Error {
  constructor(
    readonly code: number,
    message: string,
    readonly data?: unknown,
  ) {
    super(message);
    this.name = 'WireError';
  }
}

/** A server's own error, with hidden characters made visible; of any other error the message for people. */
export function wireError(error: unknown): WireError {
  if (error instanceof WireError) return error;
  const { rpcError, code, message } = error as Partial<HostError>;
  // The host has asked the person already, as far as that is allowed: the client would ask by itself.
  if (rpcError?.code === URL_ELICITATION_REQUIRED) return new WireError(SERVER_ERROR, revealed(rpcError.message));
  if (rpcError && Number.isSafeInteger(rpcError.code))
    return new WireError(rpcError.code, revealed(rpcError.message), revealedData(rpcError.data));
  return new WireError(
    INTERNAL_ERROR,
    revealed(message ?? String(error)),
    code === undefined ? undefined : { reason: code },
  );
}

/** Whether a person has to do something before the call can be made; the model then gets the remedy. */
export function needsPerson(error: unknown): error is HostError {
  const { name, code = '' } = error as Partial<HostError>;
  return (
    name === 'HostError' && ['CHANGED', 'NEEDS_INPUT', 'NEEDS_TRUST', 'NOT_ALLOWED', 'UNAUTHORIZED'].includes(code)
  );
}
