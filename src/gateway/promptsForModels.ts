import type { CallToolResult, Result } from '@modelcontextprotocol/server';
import { withoutColours } from '../base/markdownCode';
import { startOf } from '../base/text';
import { blockWithoutBytes, changed, DrawnBlocks, withFewBlocks } from './drawnBlocks';

/** A prompt for a client that hands texts to its model as they are: bytes in them become notes, and nothing is attached. */
export function promptWithoutBytes(result: Result): Result {
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
    if (text.length <= left) return withoutColours(text);
    return `${withoutColours(startOf(text, left))}\n[MCP Host: ${text.length - left} more characters were left out: use the prompt with @mcp]`;
  }
}
