import { exact, visibleJson } from '../../../base/text';
import type { ReviewText } from './samplingText';

/** Words of ours in a conversation. */
interface ConversationWords {
  readonly system: string;
  /** Above everything that is no message. */
  readonly others: string;
}

/** Before each line that is not ours, so that none can pass for the name of a speaker. */
const QUOTE = '│ ';

/**
 * A request or an answer as one reads a conversation: who says what, then everything else of it as JSON. All that its JSON has is
 * in it, with hidden characters visible.
 */
export function conversationText({ text }: ReviewText, { system, others }: ConversationWords): string {
  const { systemPrompt, messages, role, content, model, ...rest } = JSON.parse(text) as Record<string, unknown>;
  const parts: string[] = [];
  const add = (by: string, lines: readonly string[]) => parts.push([by, ...lines.map(line => QUOTE + line)].join('\n'));
  if (systemPrompt !== undefined) add(system, linesOf(systemPrompt));
  for (const message of Array.isArray(messages) ? messages : []) {
    const { role: by, content: said, ...more } = Object(message) as Record<string, unknown>;
    add(exact(String(by)), [...contentOf(said), ...(Object.keys(more).length > 0 ? jsonOf(more) : [])]);
  }
  if (content !== undefined) add(exact(String(model ?? role)), contentOf(content));
  const left = { ...(content === undefined && { role, content, model }), ...rest };
  const known = Object.fromEntries(Object.entries(left).filter(([, value]) => value !== undefined));
  if (Object.keys(known).length > 0) add(others, jsonOf(known));
  return parts.join('\n\n');
}

function contentOf(content: unknown): string[] {
  return [content].flat().flatMap(block => {
    const { type, text, ...more } = Object(block) as Record<string, unknown>;
    const { data, mimeType, ...others } = more;
    // The review has the name, size and hash of a picture or a sound in the place of its data.
    if ((type === 'image' || type === 'audio') && text === undefined && Object.keys(others).length === 0)
      return [exact(`[${data} · ${mimeType}]`)];
    const isPlain = type === 'text' && text !== undefined && Object.keys(more).length === 0;
    return isPlain ? linesOf(text) : jsonOf(block);
  });
}

/** The lines of a text, which the review has as a list when there are several. */
const linesOf = (text: unknown): string[] => [text].flat().map(line => exact(String(line)));

const jsonOf = (value: unknown): string[] => visibleJson(value).split('\n');
