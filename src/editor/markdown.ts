/**
 * Text for a link that the editor makes itself: it puts the text between brackets unescaped, and shows entities literally.
 */
export function linkLabel(text: string): string {
  return text.replace(/[[\]\\<>`]/g, '');
}

/**
 * Text as markdown in which nothing is markup, link or icon. Used instead of `MarkdownString.appendText`, which makes every
 * space non-breaking, so that lines break within words, and lets addresses become links.
 */
export function plainMarkdown(text: string): string {
  return text
    .replace(/[!-/:-@[-`{-~]/g, character => `&#${character.charCodeAt(0)};`)
    .replace(/^[ \t]+/gm, indent => '&nbsp;'.repeat(indent.length))
    .replace(/\n/g, '  \n');
}
