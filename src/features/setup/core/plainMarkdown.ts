import { visibleLines } from '../../../base/text';

/** A part of a text, to be shown as text. */
export interface Block {
  readonly kind: 'heading' | 'item' | 'code' | 'text';
  readonly text: string;
}

const MAX_LENGTH = 20_000;
const MAX_BLOCKS = 400;
const FENCE = /^ {0,3}(```|~~~)/;
const HEADING = /^ {0,3}#{1,6}[ \t]+(.*?)[ \t]*#*$/;
const ITEM = /^[ \t]*(?:[-*+]|\d{1,3}[.)])[ \t]+(.*)$/;
/** Lines below headings, between paragraphs and in tables. */
const RULE = /^[ \t]*[-=*_|:][-=*_|: \t]*$/;

/**
 * Reads markdown of strangers as plain text: nothing in it becomes a link, a picture or HTML. Pictures are left out but for their
 * descriptions, HTML tags are left out, and a link is its text with its address.
 */
export function plainBlocks(markdown: string): Block[] {
  const blocks: Block[] = [];
  let paragraph: string[] = [];
  let code: string[] | undefined;
  const add = (kind: Block['kind'], text: string) => {
    if (text.trim() !== '' && blocks.length < MAX_BLOCKS) blocks.push({ kind, text: visibleLines(text, MAX_LENGTH) });
  };
  const endParagraph = () => {
    add('text', inline(paragraph.join(' ')));
    paragraph = [];
  };
  for (const line of withoutComments(markdown.slice(0, MAX_LENGTH)).split(/\r\n?|\n/)) {
    if (FENCE.test(line)) {
      if (code) add('code', code.join('\n'));
      else endParagraph();
      code = code ? undefined : [];
    } else if (code) {
      code.push(line);
    } else if (line.trim() === '' || RULE.test(line)) {
      endParagraph();
    } else {
      const [, heading] = HEADING.exec(line) ?? [];
      const [, item] = ITEM.exec(line) ?? [];
      if (heading === undefined && item === undefined) {
        paragraph.push(line.trim());
        continue;
      }
      endParagraph();
      add(heading === undefined ? 'item' : 'heading', inline(heading ?? item ?? ''));
    }
  }
  if (code) add('code', code.join('\n'));
  endParagraph();
  return blocks;
}

/** Every repetition is bounded, so that a text of nothing but brackets takes no longer than another. */
function inline(text: string): string {
  return text
    .replace(/!\[([^[\]]{0,300})\](?:\([^()]{0,1000}\)|\[[^[\]]{0,100}\])/g, '$1')
    .replace(
      /\[([^[\]]{0,300})\]\(\s{0,9}<?([^()\s<>]{0,1000})>?(?:\s[^()]{0,300})?\)/g,
      (_all, name: string, to: string) =>
        /^https?:/i.test(to) && name.trim() !== '' && name !== to ? `${name} (${to})` : name,
    )
    .replace(/<(https?:\/\/[^<>\s]{1,1000})>/g, '$1')
    .replace(/<\/?[a-z][^<>]{0,1000}>/gi, '')
    .replace(/(\*\*|__|`+)(?=\S)(.{1,1000}?)\1/g, '$2')
    .trim();
}

function withoutComments(text: string): string {
  let rest = text;
  for (;;) {
    const from = rest.indexOf('<!--');
    if (from < 0) return rest;
    const to = rest.indexOf('-->', from);
    rest = rest.slice(0, from) + (to < 0 ? '' : rest.slice(to + 3));
  }
}
