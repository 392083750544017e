import * as vscode from 'vscode';
import type { ChatQuestion } from '../../host/callChat';
import type { SamplingParams } from '../../host/sampling/checkRequest';
import { visibleJson, visibleLines } from '../../host/text';
import { formatSize } from '../size';
import type { SamplingResult } from './generate';

const { t } = vscode.l10n;
/** Characters of all texts together: a chat is narrow, the document has all. */
const MAX_TEXT = 4_000;
const MAX_JSON = 1_000;

/** What an answer in chat shows of a review: its texts to read, and what else there is as JSON. */
export type Excerpt = Pick<ChatQuestion, 'quotes' | 'json' | 'note'>;

type Content = SamplingParams['messages'][number]['content'] | SamplingResult['content'];
type Said = readonly [by: string, content: Content | string];

export function requestExcerpt({ messages, systemPrompt, ...others }: SamplingParams): Excerpt {
  const system: Said[] = systemPrompt ? [[t('system prompt'), systemPrompt]] : [];
  return excerpt([...system, ...messages.map(({ role, content }): Said => [role, content])], others);
}

export function answerExcerpt({ content, model, role: _role, ...others }: SamplingResult): Excerpt {
  return excerpt([[model, content]], others);
}

function excerpt(said: readonly Said[], others: object): Excerpt {
  const json = visibleJson(others);
  let left = MAX_TEXT;
  let more = Math.max(0, json.length - MAX_JSON);
  const quotes: { by: string; text: string }[] = [];
  for (const [by, content] of said) {
    const text = textOf(content);
    if (left > 0) quotes.push({ by, text: visibleLines(text, left) });
    more += Math.max(0, text.length - left);
    left = Math.max(0, left - text.length);
  }
  return {
    quotes,
    json: json.length > MAX_JSON ? `${json.slice(0, MAX_JSON)}…` : json,
    ...(more > 0 && { note: t('{0} more characters: "Edit…" shows all of it.', more) }),
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
