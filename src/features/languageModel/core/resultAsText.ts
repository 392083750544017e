import type { CallToolResult } from '@modelcontextprotocol/client';
import type { Phrase } from '../../../base/phrase';
import { visible } from '../../../base/text';
import { FAILED, planToolResult } from './contentPlan';
import { shorten } from './modelMessage';

/** Beyond this the agent that runs VS Code's chat writes a result to a file: its model sees the path and 500 characters. */
const SHOWN_BYTES = 8_000;
const OVERVIEW_CHARS = 480;
/** The most that is passed on. */
const MAX_CHARS = 4_000_000;
const MAX_LISTED = 8;

/**
 * A result for a client that glues texts together, drops links, sounds and files, or replaces everything by structured content: one
 * text with all that a model of `@mcp` reads, then the pictures. Long texts begin with an overview. Never throws.
 */
export function resultAsText(result: CallToolResult, problem?: Phrase): CallToolResult {
  const { parts } = planToolResult(result, { images: true, maxChars: MAX_CHARS, problem });
  const texts = parts.flatMap(part => (part.kind === 'text' ? [part.text as string] : []));
  const images = parts.filter(part => part.kind === 'image');
  // A model that sees no pictures gets nothing else of them.
  const notes = images.map(({ mimeType, data }) => `[picture ${mimeType}, ${data.length} bytes]`);
  const whole = [...texts, ...notes].join('\n\n');
  const isLong = Buffer.byteLength(whole) > SHOWN_BYTES;
  const text = isLong ? `${overview([...texts, ...notes], result.isError === true)}\n\n${whole}` : whole;
  const { structuredContent: _, ...others } = result;
  return {
    ...others,
    content: [
      { type: 'text', text },
      ...images.map(({ mimeType, data }) => ({
        type: 'image' as const,
        mimeType,
        data: Buffer.from(data).toString('base64'),
      })),
    ],
  };
}

/** How much there is, and how each part begins. */
function overview(parts: readonly string[], isError: boolean): string {
  const chars = parts.reduce((sum, part) => sum + part.length, 0).toLocaleString('en-US');
  const count = `${parts.length} ${parts.length === 1 ? 'part' : 'parts'}`;
  const head = `${isError ? `${FAILED} ` : ''}[Overview: ${chars} characters in ${count}.`;
  const shown = parts.slice(0, MAX_LISTED);
  const each = Math.floor((OVERVIEW_CHARS - head.length - 20) / shown.length) - 24;
  const lines = shown.map(
    (part, at) =>
      `${at + 1} (${part.length.toLocaleString('en-US')}): ${visible(part.slice(0, 400), Math.max(each, 16))}`,
  );
  return shorten(`${head} ${lines.join(' · ')}]`, OVERVIEW_CHARS);
}
