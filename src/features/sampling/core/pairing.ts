import type { SamplingMessage } from '@modelcontextprotocol/client';
import { type Phrase, phrase } from '../../../base/phrase';

/**
 * Why calls of tools and their results do not fit together (spec: client/sampling#tool-use-and-result-balance): each
 * message with calls is followed by one that has the result of each of them, and nothing else.
 */
export function pairingProblem(messages: readonly SamplingMessage[]): Phrase | undefined {
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
