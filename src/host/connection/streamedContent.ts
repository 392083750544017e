import type { CallToolResult, ContentBlock } from '@modelcontextprotocol/client';
import { visible } from '../../base/text';
import type { ConnectionLog } from './connectionLog';

/** What one call sent while it ran. */
interface Streamed {
  readonly content: ContentBlock[];
  /** Whether something may belong to this call or to another of the same tool. */
  isUncertain: boolean;
}

const MAX_BLOCKS = 10_000;
const MAX_LOGGED = 10_000;
const UNCERTAIN = 'What the tool sent while it ran may belong to another of its calls. It is in the log of the server.';

/**
 * Collects the content that tools send before their results, as `streamContent` of fastmcp does: in notifications that name the
 * tool, and not the call. It belongs to the only running call of that tool; if there are several or none, it is logged.
 */
export class StreamedContent {
  readonly #running = new Map<string, Set<Streamed>>();

  constructor(private readonly log: Pick<ConnectionLog, 'write' | 'leftOut'>) {}

  /** Waits for a call that was just sent. What arrives meanwhile comes first in its result, or in the log if the call fails. */
  during(tool: string, call: Promise<CallToolResult>): Promise<CallToolResult> {
    const streamed: Streamed = { content: [], isUncertain: false };
    const running = this.#running.get(tool) ?? new Set();
    this.#running.set(tool, running.add(streamed));
    return call
      .then(
        result => withStreamed(result, streamed),
        error => {
          if (streamed.content.length > 0) this.#write(`${visible(tool)} had sent before it failed`, streamed.content);
          throw error;
        },
      )
      .finally(() => {
        running.delete(streamed);
        if (running.size === 0) this.#running.delete(tool);
      });
  }

  /** Takes the parameters of a notification with content. */
  received({ toolName, content }: Readonly<Record<string, unknown>>): void {
    const note = (...part: [place: string, how?: string]) =>
      this.log.leftOut('notifications/tool/streamContent', ...part);
    const blocks = reader().readBlocks(content, 'content', note);
    const all = typeof toolName === 'string' ? [...(this.#running.get(toolName) ?? [])] : [];
    const [only] = all;
    if (only && all.length === 1) {
      only.content.push(...blocks.slice(0, MAX_BLOCKS - only.content.length));
      if (only.content.length >= MAX_BLOCKS) note('content', `only its first ${MAX_BLOCKS} blocks are taken`);
      return;
    }
    for (const one of all) one.isUncertain = true;
    const whose = all.length === 0 ? 'no call of it runs' : 'several of its calls run';
    this.#write(`${visible(String(toolName))} sent this, and ${whose}`, blocks);
  }

  #write(what: string, blocks: readonly ContentBlock[]): void {
    const texts = blocks.map(block => (block.type === 'text' ? block.text : `[${block.type}]`));
    this.log.write('warning', `${what}: ${visible(texts.join('\n'), MAX_LOGGED)}`);
  }
}

function withStreamed(result: CallToolResult, streamed: Streamed): CallToolResult {
  const content = [...streamed.content, ...result.content];
  const isSilent = content.length === 0 && result.structuredContent === undefined;
  if (isSilent && streamed.isUncertain) content.push({ type: 'text', text: UNCERTAIN });
  return content.length === result.content.length ? result : { ...result, content };
}

/** Loaded with the first such notification. */
const reader = () => require('../sdk/onDemand') as typeof import('../sdk/onDemand');
