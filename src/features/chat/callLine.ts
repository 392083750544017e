import type { CallToolResult } from '@modelcontextprotocol/client';

import vscode = require('vscode');

import { formatDuration } from '../../base/numberText';
import { linkLabel, plainMarkdown, visible } from '../../base/text';
import { t } from '../../editor/window';
import { imageTypeOf } from '../languageModel';
import type { WantedCall } from '../trust';
import { toolTitle } from './approval';

/** Pictures are kept in the history of a chat, so only small ones are shown in the answer itself. */
const MAX_PICTURE = 200_000;
const MAX_PICTURES = 3;

/** How a call ended. `ms`: how long it took; absent when it was not made. `files`: its result, then its pictures. */
interface CallEnd {
  readonly decided: string;
  readonly ms?: number;
  readonly result?: CallToolResult;
  readonly files?: readonly vscode.Uri[];
}

/** Shows the line that remains of a call in an answer: tool, server, decision, duration, link to the result. */
export function sayCallEnd(
  stream: vscode.ChatResponseStream,
  { server, tool }: Pick<WantedCall, 'server' | 'tool'>,
  { decided, ms, result, files = [] }: CallEnd,
): void {
  const wasMade = ms !== undefined;
  const failed = wasMade && (!result || result.isError === true);
  const parts = [visible(server.id, 100), decided];
  if (failed) parts.push(t('failed'));
  if (wasMade) parts.push(formatDuration(ms));
  const icon = wasMade ? (failed ? 'error' : 'check') : 'circle-slash';
  sayLine(stream, { icon, title: toolTitle(tool), parts });
  const alt = plainMarkdown(t('Image'));
  sayFiles(
    stream,
    files,
    thumbnails(result).map(data => `![${alt}](${data}|height=120)`),
  );
}

/** Ends a line with the files that belong to it. @param shown markdown of ours, below it. */
export function sayFiles(
  stream: vscode.ChatResponseStream,
  files: readonly vscode.Uri[],
  shown: readonly string[] = [],
): void {
  for (const file of files) {
    stream.markdown(new vscode.MarkdownString(plainMarkdown(' · '), true));
    stream.anchor(file, linkLabel(file.path.slice(file.path.lastIndexOf('/') + 1)));
  }
  stream.markdown(new vscode.MarkdownString(`\n\n${shown.join('\n\n')}\n\n`, true));
}

interface ChatLine {
  readonly icon: string;
  readonly title: string;
  readonly parts: readonly string[];
  /** Separator after the line; without it, more may be added to the line. */
  readonly end?: '\n\n' | undefined;
}

/** Shows a line with one of our icons, a title and details. */
export function sayLine(stream: vscode.ChatResponseStream, { icon, title, parts, end }: ChatLine): void {
  // The editor joins pieces of markdown into one paragraph only if all of them may have icons.
  stream.markdown(
    new vscode.MarkdownString(
      `\n\n$(${icon}) **${plainMarkdown(title)}** · ${parts.map(plainMarkdown).join(' · ')}${end ?? ''}`,
      true,
    ),
  );
}

/** The small pictures of a result, as `data:` URIs. */
function thumbnails(result: CallToolResult | undefined): string[] {
  const found: string[] = [];
  for (const block of result?.content ?? []) {
    if (found.length === MAX_PICTURES) break;
    if (block.type !== 'image' || typeof block.data !== 'string' || block.data.length > MAX_PICTURE) continue;
    const bytes = Buffer.from(block.data, 'base64');
    const type = imageTypeOf(bytes);
    if (type) found.push(`data:${type};base64,${bytes.toString('base64')}`);
  }
  return found;
}
