// What markdown has others than its reader's program draw: code by its language, formulas, diagrams.

/** Markdown whose code has no language: clients colour it in their page, by grammars that a text can keep busy. */
export const withoutColours = (markdown: string): string =>
  markdown
    .split(/\r\n?|\n/)
    .map(withoutLanguage)
    .join('\n');

/**
 * A line that begins a block of code says the language behind its mark. In backticks it has no further ones. Before it stand marks of lists,
 * tasks and quotes: no other letter.
 */
function withoutLanguage(line: string): string {
  const [before = ''] = /^(?:\[x\]|[^\p{L}`~])*/iu.exec(line) ?? [];
  const [mark] = /^(?:```+|~~~+)/.exec(line.slice(before.length)) ?? [];
  if (mark === undefined) return line;
  const isInline = mark.startsWith('`') && line.includes('`', before.length + mark.length);
  return isInline ? line : before + mark;
}

/**
 * Markdown of which no diagram is drawn, as from blocks and elements of a class, and no formula with commands, by which a short one may become
 * a long one: a character that is not seen stands within what would begin them.
 */
export const withoutDrawings = (markdown: string): string =>
  withoutColours(markdown).replace(/\\(?=[a-z@])|:(?=::)|class(?=\s*=)/gi, '$&\u2060');
