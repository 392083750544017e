import { createHash } from 'node:crypto';
import type { SamplingMessage } from '@modelcontextprotocol/client';
import { english } from '../../../base/phrase';
import {
  type ContentPart,
  FAILED,
  type MessagePart,
  type ModelMessage,
  piecesOf,
  text,
  user,
} from '../../languageModel/core';
import type { SamplingParams } from './checkRequest';

type Block = Extract<SamplingMessage['content'], unknown[]>[number];
type ResultBlock = Extract<Block, { type: 'tool_result' }>['content'][number];

/** A request as messages for a model. A system prompt is the first, as in chat. Tools have names for models. */
export function messagesOf(params: SamplingParams, names = new ModelToolNames(params)): ModelMessage[] {
  const { systemPrompt, messages } = params;
  const asked = messages.map(
    ({ role, content }): ModelMessage => ({ role, parts: [content].flat().map(block => partOf(block, names)) }),
  );
  return systemPrompt ? [user(text(systemPrompt)), ...asked] : asked;
}

function partOf(block: Block, names: ModelToolNames): MessagePart {
  switch (block.type) {
    case 'tool_use':
      return { kind: 'call', id: block.id, name: names.forModel(block.name), input: block.input };
    case 'tool_result': {
      const parts = block.content.flatMap(resultParts);
      // Who has structured content alone has put nothing else into the result.
      if (parts.length === 0 && block.structuredContent) parts.push(text(JSON.stringify(block.structuredContent)));
      // The editor's part has no place for this.
      return { kind: 'result', id: block.toolUseId, parts: block.isError ? [text(FAILED), ...parts] : parts };
    }
    default:
      return contentOf(block);
  }
}

/** The content of a result as in chat: of resources and links their text, of sounds and other files what they are. */
function resultParts(block: ResultBlock): readonly ContentPart[] {
  if (block.type === 'text' || block.type === 'image') return [contentOf(block)];
  return piecesOf(block, true).map(piece => (piece.kind === 'image' ? piece : text(english(piece.text))));
}

/** Nothing else gets here: `requestProblem` has refused it. */
function contentOf(block: ResultBlock | Exclude<Block, { type: 'tool_use' | 'tool_result' }>): ContentPart {
  if (block.type === 'image') {
    return { kind: 'image', mimeType: block.mimeType, data: Buffer.from(block.data, 'base64') };
  }
  return text(block.type === 'text' ? block.text : '');
}

/** Tool names that providers accept. The specification also allows dots and 128 characters. */
const TAKEN = /^[a-zA-Z0-9_-]{1,64}$/;
const MAX_LENGTH = 64;
const HASH_LENGTH = 10;

/** The tools that a model is offered: none where it must not use any (spec: client/sampling#tool-choice-modes). */
export const offeredTools = ({ tools = [], toolChoice }: Pick<SamplingParams, 'tools' | 'toolChoice'>) =>
  toolChoice?.mode === 'none' ? [] : tools;

/**
 * The tool names of one request as a model gets them, and back (spec: server/tools#tool-names). A valid name is kept; any other
 * becomes its legible part with a hash, so that names stay distinct. The result depends on the name alone, so that calls of
 * earlier requests match.
 */
export class ModelToolNames {
  readonly #forModel = new Map<string, string>();
  readonly #original = new Map<string, string>();

  constructor({ tools = [], messages }: Pick<SamplingParams, 'tools' | 'messages'>) {
    const called = messages.flatMap(({ content }) =>
      [content].flat().flatMap(block => (block.type === 'tool_use' ? [block.name] : [])),
    );
    const names = new Set([...tools.map(({ name }) => name), ...called]);
    for (const name of names) {
      let given = TAKEN.test(name) ? name : hashed(name, 0);
      // Such a name can be made on purpose.
      for (let attempt = 1; given !== name && (names.has(given) || this.#original.has(given)); attempt++)
        given = hashed(name, attempt);
      this.#forModel.set(name, given);
      this.#original.set(given, name);
    }
  }

  get areChanged(): boolean {
    return [...this.#forModel].some(([name, given]) => name !== given);
  }

  forModel(name: string): string {
    return this.#forModel.get(name) ?? name;
  }

  /** The tool that a model means. An invented name is kept: the server knows best that there is no such tool. */
  original(given: string): string {
    return this.#original.get(given) ?? given;
  }
}

function hashed(name: string, attempt: number): string {
  const readable = name
    .slice(0, 200)
    .replace(/[^a-zA-Z0-9-]+/g, '_')
    .replace(/^[_-]+/, '');
  const hash = createHash('sha256')
    .update(JSON.stringify([name, attempt]))
    .digest('hex')
    .slice(0, HASH_LENGTH);
  return `${readable.slice(0, MAX_LENGTH - HASH_LENGTH - 1) || 'tool'}_${hash}`;
}
