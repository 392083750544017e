import type { SamplingMessage } from '@modelcontextprotocol/client';
import { type ContentPart, FAILED, type MessagePart, type ModelMessage, text, user } from '../../languageModel';
import type { SamplingParams } from './checkRequest';

type Block = Extract<SamplingMessage['content'], unknown[]>[number];
type ResultBlock = Extract<Block, { type: 'tool_result' }>['content'][number];

/** A request as messages for a model. The editor has no role for a system prompt: as in chat, it is the first message. */
export function messagesOf({ systemPrompt, messages }: SamplingParams): ModelMessage[] {
  const asked = messages.map(({ role, content }): ModelMessage => ({ role, parts: [content].flat().map(partOf) }));
  return systemPrompt ? [user(text(systemPrompt)), ...asked] : asked;
}

function partOf(block: Block): MessagePart {
  switch (block.type) {
    case 'tool_use':
      return { kind: 'call', id: block.id, name: block.name, input: block.input };
    case 'tool_result': {
      const parts = block.content.map(contentOf);
      // Who has structured content alone has put nothing else into the result.
      if (parts.length === 0 && block.structuredContent) parts.push(text(JSON.stringify(block.structuredContent)));
      // The editor's part has no place for this.
      return { kind: 'result', id: block.toolUseId, parts: block.isError ? [text(FAILED), ...parts] : parts };
    }
    default:
      return contentOf(block);
  }
}

/** Nothing else gets here: `requestProblem` has refused it. */
function contentOf(block: ResultBlock | Exclude<Block, { type: 'tool_use' | 'tool_result' }>): ContentPart {
  if (block.type === 'image') {
    return { kind: 'image', mimeType: block.mimeType, data: Buffer.from(block.data, 'base64') };
  }
  return text(block.type === 'text' ? block.text : '');
}
