import type { CreateMessageRequest, SamplingMessage } from '@modelcontextprotocol/client';
import { isObject, lengthOf } from '../../../base/json';
import { type Phrase, phrase } from '../../../base/phrase';

export type SamplingParams = CreateMessageRequest['params'];

/** In characters, all texts together: more than any model of today reads, less than an editor of text minds. */
const MAX_TEXT = 2_000_000;
/** Of all that is shown but the data of images and other files: a review has it as one text. */
const MAX_SHOWN = 2 * MAX_TEXT;
/** In bytes, all images together. */
const MAX_IMAGES = 20 * 1024 * 1024;
const MAX_MESSAGES = 1_000;
const MAX_TOOLS = 128;
const MAX_STOP_SEQUENCES = 64;
/** In characters. The specification wants at most 128. */
const MAX_TOOL_NAME = 1_000;

/** Why a request, which a person may have edited, can't go to a model (spec: client/sampling); else undefined. */
export function requestProblem(params: unknown, checks: ContentChecks): Phrase | undefined {
  if (!isObject(params)) return phrase('it is not an object');
  const { messages, systemPrompt } = params;
  if (!Array.isArray(messages) || messages.length === 0) return phrase('it has no messages');
  if (messages.length > MAX_MESSAGES)
    return phrase('it has {0} messages; {1} are allowed', messages.length, MAX_MESSAGES);
  if (systemPrompt !== undefined && typeof systemPrompt !== 'string') return phrase('its systemPrompt is not a string');
  const totals: Totals = { text: systemPrompt?.length ?? 0, images: 0, data: 0 };
  for (const [index, message] of messages.entries()) {
    const problem = messageProblem(message, checks, totals);
    if (problem) return phrase('message {0}: {1}', index + 1, problem);
  }
  const problem = optionsProblem(params) ?? toolsProblem(params, totals);
  if (problem) return problem;
  if (totals.text > MAX_TEXT) return phrase('it has {0} characters of text; {1} are allowed', totals.text, MAX_TEXT);
  const shown = lengthOf(params) - totals.data;
  if (shown > MAX_SHOWN) return phrase('it has {0} characters of text; {1} are allowed', shown, MAX_SHOWN);
  if (totals.images > MAX_IMAGES)
    return phrase('its images have {0} bytes; {1} are allowed', totals.images, MAX_IMAGES);
  return pairingProblem(messages as SamplingParams['messages']);
}

function messageProblem(message: unknown, checks: ContentChecks, totals: Totals): Phrase | undefined {
  if (!isObject(message)) return phrase('it is not an object');
  const { role, content } = message;
  if (role !== 'user' && role !== 'assistant')
    return phrase('its role is {0}, not "user" or "assistant"', String(JSON.stringify(role)));
  const blocks: unknown[] = Array.isArray(content) ? content : [content];
  if (blocks.length === 0) return phrase('it has no content');
  for (const block of blocks) {
    const problem = checkContent(block, role, checks, totals);
    if (problem) return problem;
  }
  return undefined;
}

function optionsProblem(params: Record<string, unknown>): Phrase | undefined {
  const { maxTokens, temperature, stopSequences, includeContext } = params;
  if (!Number.isSafeInteger(maxTokens) || Number(maxTokens) < 1)
    return phrase('its maxTokens is not a number of tokens');
  if (temperature !== undefined && !(typeof temperature === 'number' && temperature >= 0 && temperature <= 2)) {
    return phrase('its temperature is not a number from 0 to 2');
  }
  const isList = (value: unknown) =>
    Array.isArray(value) &&
    value.length <= MAX_STOP_SEQUENCES &&
    value.every(text => typeof text === 'string' && text !== '' && text.length <= 1_000);
  if (stopSequences !== undefined && !isList(stopSequences))
    return phrase('its stopSequences is not a short list of strings');
  const contexts: unknown[] = [undefined, 'none', 'thisServer', 'allServers'];
  return contexts.includes(includeContext) ? undefined : phrase('its includeContext is unknown');
}

function toolsProblem({ tools, toolChoice }: Record<string, unknown>, totals: Totals): Phrase | undefined {
  if (toolChoice !== undefined) {
    const modes: unknown[] = [undefined, 'auto', 'required', 'none'];
    if (!isObject(toolChoice) || !modes.includes(toolChoice.mode)) return phrase('its toolChoice is unknown');
    if (toolChoice.mode === 'required' && !(Array.isArray(tools) && tools.length > 0)) {
      return phrase('its toolChoice requires a tool, but it has none');
    }
  }
  if (tools === undefined) return undefined;
  if (!Array.isArray(tools) || tools.length > MAX_TOOLS)
    return phrase('its tools is not a list of at most {0}', MAX_TOOLS);
  const names = new Set<string>();
  for (const tool of tools as unknown[]) {
    if (!isObject(tool) || typeof tool.name !== 'string' || tool.name === '')
      return phrase('one of its tools has no name');
    const { name, inputSchema, description } = tool;
    if (name.length > MAX_TOOL_NAME)
      return phrase('the name of one of its tools has {0} characters; {1} are allowed', name.length, MAX_TOOL_NAME);
    if (names.has(name)) return phrase('it has two tools named {0}', name);
    if (!isObject(inputSchema)) return phrase('its tool {0} has no inputSchema', name);
    if (description !== undefined && typeof description !== 'string')
      return phrase('the description of {0} is not a string', name);
    names.add(name);
    totals.text += JSON.stringify(tool).length;
  }
  return undefined;
}

/**
 * Why calls of tools and their results do not fit together (spec: client/sampling#tool-use-and-result-balance): each
 * message with calls is followed by one that has the result of each of them, and nothing else.
 */
function pairingProblem(messages: readonly SamplingMessage[]): Phrase | undefined {
  let open = new Set<string>();
  for (const [index, message] of messages.entries()) {
    const blocks = [message.content].flat();
    const results = blocks.flatMap(block => (block.type === 'tool_result' ? [block.toolUseId] : []));
    const where = (problem: Phrase) => phrase('message {0}: {1}', index + 1, problem);
    if (results.length > 0 && results.length < blocks.length) {
      return where(phrase('Tool results mixed with other content'));
    }
    const unknown = results.find(id => !open.has(id));
    if (unknown !== undefined) return where(phrase('a tool result does not belong to a tool use right before it'));
    if (new Set(results).size < results.length) return where(phrase('a tool use has two results'));
    if (results.length < open.size) return where(phrase('Tool result missing in request'));
    const calls = blocks.flatMap(block => (block.type === 'tool_use' ? [block.id] : []));
    open = new Set(calls);
    if (open.size < calls.length) return where(phrase('two tool uses have one id'));
  }
  return open.size > 0 ? phrase('Tool result missing in request') : undefined;
}

interface ContentChecks {
  /** MIME type of an image by its bytes; undefined for types that models do not accept, and for incomplete images. */
  imageTypeOf(data: Uint8Array): string | undefined;
}

/** Sums over a request: characters of text, bytes of images, characters of base64. */
interface Totals {
  text: number;
  images: number;
  data: number;
}

type Block = Record<string, unknown>;

/** Why a block of content can't be given to a model; undefined when it can. Adds its size to `totals`. */
function checkContent(
  block: unknown,
  role: 'user' | 'assistant',
  checks: ContentChecks,
  totals: Totals,
): Phrase | undefined {
  if (!isObject(block)) return phrase('its content is not an object');
  switch (block.type) {
    case 'tool_use':
      if (role !== 'assistant') return phrase('only the assistant can have a tool_use');
      if (typeof block.id !== 'string' || typeof block.name !== 'string' || !isObject(block.input)) {
        return phrase('its tool_use has no id, name or input');
      }
      totals.text += block.name.length + JSON.stringify(block.input).length;
      return undefined;
    case 'tool_result': {
      if (role !== 'user') return phrase('only the user can have a tool_result');
      if (typeof block.toolUseId !== 'string' || !Array.isArray(block.content)) {
        return phrase('its tool_result has no toolUseId or content');
      }
      totals.text += JSON.stringify(block.structuredContent ?? '').length;
      for (const inner of block.content as unknown[]) {
        const problem = isObject(inner)
          ? resultProblem(inner, checks, totals)
          : phrase('its tool_result has no content');
        if (problem) return problem;
      }
      return undefined;
    }
    default:
      return plainProblem(block, checks, totals);
  }
}

/** Content that only results have. A model gets what is text, and a note of what is not. */
function resultProblem(block: Block, checks: ContentChecks, totals: Totals): Phrase | undefined {
  switch (block.type) {
    case 'audio':
      if (typeof block.data !== 'string') return phrase('its audio has no data');
      totals.data += block.data.length;
      return undefined;
    case 'resource_link':
      if (typeof block.uri !== 'string') return phrase('its resource_link has no uri');
      totals.text += JSON.stringify(block).length;
      return undefined;
    case 'resource': {
      const { uri, text, blob, mimeType } = isObject(block.resource) ? block.resource : {};
      if (typeof uri !== 'string' || (typeof text !== 'string' && typeof blob !== 'string'))
        return phrase('its resource has no uri, or neither text nor blob');
      totals.text += uri.length + (typeof text === 'string' ? text.length : 0);
      if (typeof blob === 'string') totals.data += blob.length;
      if (typeof blob === 'string' && String(mimeType).startsWith('image/'))
        totals.images += Buffer.byteLength(blob, 'base64');
      return undefined;
    }
    default:
      return plainProblem(block, checks, totals);
  }
}

function plainProblem(block: Block, checks: ContentChecks, totals: Totals): Phrase | undefined {
  switch (block.type) {
    case 'text':
      if (typeof block.text !== 'string') return phrase('its text is not a string');
      totals.text += block.text.length;
      return undefined;
    case 'image':
      return imageProblem(block, checks, totals);
    case 'audio':
      return phrase('it contains audio, which language models in this editor do not accept');
    default:
      return phrase(
        'it contains content of type {0}, which models do not accept',
        String(JSON.stringify(block.type)).slice(0, 100),
      );
  }
}

function imageProblem({ data, mimeType }: Block, { imageTypeOf }: ContentChecks, totals: Totals): Phrase | undefined {
  if (typeof data !== 'string' || typeof mimeType !== 'string') return phrase('its image has no data or mimeType');
  const bytes = Buffer.from(data, 'base64');
  totals.images += bytes.length;
  totals.data += data.length;
  const type = imageTypeOf(bytes);
  if (!type) return phrase('its image is invalid or incomplete; PNG, JPEG, GIF and WebP are accepted');
  if (type === mimeType) return undefined;
  return phrase('its image is {0}, not {1}', type, JSON.stringify(mimeType.slice(0, 100)));
}
