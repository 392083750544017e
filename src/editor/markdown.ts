/** Text for a link that the editor makes itself: it puts it between brackets as it is, and shows entities as they are. */
export function linkLabel(text: string): string {
  return text.replace(/[[\]\\<>`]/g, '');
}

/**
 * Text as markdown in which nothing is markup, link or icon. In place of `MarkdownString.appendText`, which makes every
 * space unbreakable, so that lines are cut within words, and leaves addresses to become links.
 */
export function plainMarkdown(text: string): string {
  return text
    .replace(/[!-/:-@[-`{-~]/g, character => `&#${character.charCodeAt(0)};`)
    .replace(/^[ \t]+/gm, indent => '&nbsp;'.repeat(indent.length))
    .replace(/\n/g, '  \n');
}
