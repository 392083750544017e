import type { CallToolResult, ContentBlock } from '@modelcontextprotocol/client';
import { lengthOf } from '../../base/json';
import { visible } from '../../base/text';
import { readBlocks } from '../reading/contentBlocks';
import type { ConnectionLog } from './connectionLog';

/** A request that somebody waits for; of a tool call with what the tool sent so far. */
export interface PendingRequest {
  readonly since: number;
  /** The name of the tool that is called. */
  readonly tool?: string | undefined;
  content?: ContentBlock[] | undefined;
  /** How long that is. */
  length?: number;
  /** Whether something was sent that may belong to this call or to another of the same tool. */
  isUncertain?: boolean;
}

const MAX_BLOCKS = 10_000;
/** In characters of JSON, of what is kept for one call. */
const MAX_LENGTH = 64 * 1024 * 1024;
const MAX_LOGGED = 10_000;
const UNCERTAIN = 'What the tool sent while it ran may belong to another of its calls. It is in the log of the server.';

/**
 * Collects the content that tools send before their results, as `streamContent` of fastmcp does: in notifications that name the
 * tool, and not the call. It belongs to the only pending call of that tool; if there are several or none, it is logged.
 */
export class StreamedContent {
  constructor(
    private readonly log: Pick<ConnectionLog, 'write' | 'leftOut'>,
    private readonly pending: ReadonlySet<PendingRequest>,
  ) {}

  /** Takes the parameters of a notification with content. */
  received({ toolName, content }: Readonly<Record<string, unknown>>): void {
    const note = (...part: [place: string, how?: string]) =>
      this.log.leftOut('notifications/tool/streamContent', ...part);
    const blocks = readBlocks(content, 'content', note);
    const calls = [...this.pending].filter(({ tool }) => tool !== undefined && tool === toolName);
    const [only] = calls;
    if (only && calls.length === 1) {
      only.content ??= [];
      const length = (only.length ?? 0) + lengthOf(blocks);
      if (length > MAX_LENGTH) note('content', `only its first ${MAX_LENGTH} characters are taken`);
      else {
        only.length = length;
        only.content.push(...blocks.slice(0, MAX_BLOCKS - only.content.length));
      }
      if (only.content.length >= MAX_BLOCKS) note('content', `only its first ${MAX_BLOCKS} blocks are taken`);
      return;
    }
    for (const call of calls) call.isUncertain = true;
    const whose = calls.length === 0 ? 'no call of it runs' : 'several of its calls run';
    this.#write(`${visible(String(toolName))} sent this, and ${whose}`, blocks);
  }

  /** @returns the result of a call, after what the tool had sent. */
  completed<T extends object>(result: T, call: PendingRequest): T {
    const { content: sent, isUncertain } = call;
    if (!sent && !isUncertain) return result;
    call.content = undefined;
    const { content, structuredContent } = result as unknown as CallToolResult;
    const all = [...(sent ?? []), ...content];
    if (isUncertain && all.length === 0 && structuredContent === undefined) all.push({ type: 'text', text: UNCERTAIN });
    return { ...result, content: all };
  }

  /** Logs what belongs to no result, as the call has failed. */
  ended({ tool, content }: PendingRequest): void {
    if (content) this.#write(`${visible(tool ?? '')} had sent before it failed`, content);
  }

  #write(what: string, blocks: readonly ContentBlock[]): void {
    const texts = blocks.map(block => (block.type === 'text' ? block.text : `[${block.type}]`));
    this.log.write('warning', `${what}: ${visible(texts.join('\n'), MAX_LOGGED)}`);
  }
}
