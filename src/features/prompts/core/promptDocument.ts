import type { GetPromptResult, Prompt } from '@modelcontextprotocol/client';
import { base64Size, blockContent } from '../../../base/blockContent';
import { textWeight, withinWeight } from '../../../base/drawingBudget';
import { indentedJson } from '../../../base/json';
import { formatSize } from '../../../base/numberText';
import { english, type Phrase, phrase } from '../../../base/phrase';
import { visible, visibleLines } from '../../../base/text';
import { roleNote } from '../../../host';

type Message = GetPromptResult['messages'][number];
type Content = Message['content'];

interface PromptRun {
  /** Configured name of the server. */
  readonly server: string;
  readonly prompt: Prompt;
  readonly args: Readonly<Record<string, string>>;
  readonly result: GetPromptResult;
}

type Localizer = (phrase: Phrase | string) => string;

/** Longer documents make the editor slow. */
const MAX_TEXT = 5_000_000;

/**
 * The messages of a prompt as markdown for reading: roles as headings. Text that could be taken for such a heading, or for
 * other markup, stands in a fence, so that no server can write itself a message of another role.
 * @param localized words what we say in it.
 */
export function promptDocument({ server, prompt, args, result }: PromptRun, localized: Localizer = english): string {
  const parts = [`# ${inline(prompt.title || prompt.name)}`];
  parts.push(localized(phrase('Prompt {0} from MCP server {1}', code(prompt.name), code(server))));
  const description = result.description ?? prompt.description;
  if (description) parts.push(localized(text(description, 10_000)));
  if (Object.keys(args).length > 0)
    parts.push(localized(phrase('Arguments:')), fence(visibleLines(indentedJson(args)), 'json'));
  const roles = roleNote(result);
  if (roles) parts.push(inline(localized(roles)));
  if (result.messages.length === 0) parts.push(localized(phrase('The server returned no message.')));
  let left = MAX_TEXT;
  for (const [index, { role, content }] of result.messages.entries()) {
    if (left <= 0) {
      const more = result.messages.length - index;
      parts.push(localized(phrase('{0} more messages are not shown: the result is too large.', more)));
      break;
    }
    const shown = contentText(content, left, localized);
    left -= textWeight(shown);
    const who = role === 'assistant' ? phrase('Assistant') : phrase('User');
    parts.push(`## ${index + 1}. ${localized(who)}`, shown);
  }
  return `${parts.join('\n\n')}\n`;
}

/** The bare text of the messages, for the clipboard; what is not text is named by its URI or kind. */
export function promptText({ messages }: GetPromptResult): string {
  const several = messages.some(({ role }) => role !== 'user');
  return messages
    .map(({ role, content }) => `${several ? `${role === 'user' ? 'User' : 'Assistant'}:\n` : ''}${bareText(content)}`)
    .join('\n\n');
}

function bareText(content: Content): string {
  const block = blockContent(content);
  if (block.kind === 'unknown') return `[${visible(block.type)}]`;
  if (block.kind === 'text') return block.text;
  if (block.kind === 'bytes' && !block.resource) return `[${block.media} ${block.mimeType}]`;
  return block.resource?.uri ?? '';
}

function contentText(content: Content, maxLength: number, localized: Localizer): string {
  const block = blockContent(content);
  if (block.kind === 'unknown') return localized(phrase('Content of unknown type {0}', code(String(block.type))));
  const { resource } = block;
  const type = inline(resource?.mimeType ?? '');
  const head = resource && `${code(resource.uri)}${type && ` (${type})`}`;
  if (block.kind === 'text') {
    if (head === undefined) return localized(text(block.text, maxLength));
    return `${localized(phrase('Resource: {0}', head))}\n\n${fence(visibleLines(withinWeight(block.text, maxLength), maxLength))}`;
  }
  if (block.kind === 'bytes') {
    const size = formatSize(base64Size(block.base64));
    if (head !== undefined) return localized(phrase('Resource: {0}', `${head}, ${size}`));
    const what = `${inline(block.mimeType ?? '')}, ${size}`;
    return localized(block.media === 'image' ? phrase('Image: {0}', what) : phrase('Audio: {0}', what));
  }
  const { uri, name, title, description, size } = block.resource;
  const facts = [inline(title || name || ''), type, size !== undefined && formatSize(size)];
  const first = localized(phrase('Resource link: {0} ({1})', code(uri), facts.filter(Boolean).join(', ')));
  return description ? `${first}\n\n${localized(text(description, 10_000))}` : first;
}

/** Plain sentences stay as they are; whatever has a character of markdown or HTML, or reads as a list, is fenced. */
function text(value: string, maxLength: number): Phrase | string {
  const shown = visibleLines(withinWeight(value, maxLength), maxLength);
  if (shown.trim() === '') return phrase('(empty)');
  return /[\\`*_[\]<>#|~&]|:\/\/|^(?:[ \t]*(?:[-+=]|\d+[.)])|\t| {4})/m.test(shown) ? fence(shown) : shown.trim();
}

const longestRun = (value: string): number =>
  [...value.matchAll(/`+/g)].reduce((most, [run]) => Math.max(most, run.length), 0);

/** A fence longer than any in the text. */
function fence(value: string, language = 'text'): string {
  const mark = '`'.repeat(Math.max(2, longestRun(value)) + 1);
  return `${mark}${language}\n${value}\n${mark}`;
}

/** One line without markup. */
const inline = (value: string): string => visible(value).replace(/[\\`*_{}[\]<>#|~&]/g, '\\$&');

function code(value: string): string {
  const shown = visible(value, 1_000);
  const longest = longestRun(shown);
  const mark = '`'.repeat(longest + 1);
  return longest > 0 ? `${mark} ${shown} ${mark}` : `${mark}${shown}${mark}`;
}
