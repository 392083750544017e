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
} from '../../languageModel';
import type { SamplingParams } from './checkRequest';
import { ModelToolNames } from './modelToolNames';

type Block = Extract<SamplingMessage['content'], unknown[]>[number];
type ResultBlock = Extract<Block, { type: 'tool_result' }>['content'][number];

/**
 * A request as messages for a model. The editor has no role for a system prompt: as in chat, it is the first message. Tools
 * go by the names that models take.
 */
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
