import { formatSize, numberText } from '../../base/numberText';
import { exact, visibleJson } from '../../base/text';
import { t, verbatim } from '../../editor/window';
import type { ChatQuestion } from '../../host';
import { layOut, markWords, rowsText } from '../trust';
import type { SamplingParams } from './core/checkRequest';
import type { SamplingResult } from './generate';

/** The most rows in total: a chat is narrow, and what does not fit is shown on a page before it is sent. */
const MAX_ROWS = 40;
const COLUMNS = 70;

/** The part of a review that an answer in chat shows: its texts, and everything else as JSON. */
export interface Excerpt extends Pick<ChatQuestion, 'quotes' | 'json' | 'note'> {
  /** Whether that is all. */
  readonly isWhole: boolean;
}

type Content = SamplingParams['messages'][number]['content'] | SamplingResult['content'];
type Message = readonly [by: string, content: Content | string];

export function requestExcerpt({ messages, systemPrompt, ...others }: SamplingParams): Excerpt {
  const system: Message[] = systemPrompt ? [[t('system prompt'), systemPrompt]] : [];
  return excerpt([...system, ...messages.map(({ role, content }): Message => [role, content])], others);
}

export function answerExcerpt({ content, model, role: _role, ...others }: SamplingResult): Excerpt {
  return excerpt([[model, content]], others);
}

function excerpt(messages: readonly Message[], others: object): Excerpt {
  let left = MAX_ROWS;
  let more = 0;
  const cut = (lines: readonly string[]) => {
    const shown: string[] = [];
    for (const line of lines) {
      const rows = Math.max(1, Math.ceil(line.length / COLUMNS));
      if (left > 0) shown.push(rows <= left ? line : `${line.slice(0, left * COLUMNS)}…`);
      more += Math.max(0, rows - left);
      left = Math.max(0, left - rows);
    }
    return shown;
  };
  // Everything else comes first, so that tools, for example, are not cut off.
  const json = cut(rowsText(layOut(visibleJson(others), COLUMNS, markWords()).rows).split('\n'));
  const quotes = messages
    .map(([by, content]) => ({ by, lines: cut(textOf(content).split('\n').map(exact)) }))
    .filter(({ lines }) => lines.length > 0);
  return {
    quotes: quotes.map(({ by, lines }) => ({ by, text: lines.join('\n') })),
    json: json.join('\n'),
    isWhole: more === 0,
    ...(more > 0 && { note: verbatim('{0} more rows are not shown here.', numberText(more)) }),
  };
}

function textOf(content: Content | string): string {
  if (typeof content === 'string') return content;
  const texts = [content].flat().map(block => {
    if (block.type === 'text') return block.text;
    if (block.type === 'image') return `[${block.mimeType}, ${formatSize(Buffer.byteLength(block.data, 'base64'))}]`;
    return visibleJson(block);
  });
  return texts.join('\n');
}
