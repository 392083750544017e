/**
 * Characters that people do not see or that change how others are read: controls, format characters (bidi, zero width,
 * tags), line and paragraph separators, fillers, and the variation selectors that can carry hidden text.
 */
const HIDDEN =
  /\p{Cc}|\p{Cf}|\p{Zl}|\p{Zp}|\u034f|\u115f|\u1160|\u17b4|\u17b5|\u180b|\u180c|\u180d|\u3164|\uffa0|[\u{e0100}-\u{e01ef}]/gu;

/** Nothing to hide or to trim: most names are such. */
const PLAIN = /^[!-~](?:[ -~]*[!-~])?$/;

/**
 * Makes text from a server fit for one line of the editor: bounded to `maxLength` characters, line breaks as spaces, and
 * every hidden character shown as `⟨U+202E⟩`, so that what a person reads is what is there.
 */
export function visible(text: unknown, maxLength = 200): string {
  if (typeof text === 'string' && text.length <= maxLength && PLAIN.test(text)) return text;
  const bounded = String(text).slice(0, maxLength + 1);
  const line = bounded
    .replace(/[\t\r\n]+/g, ' ')
    .replace(HIDDEN, escapeHidden)
    .trim();
  return line.length > maxLength ? `${line.slice(0, maxLength)}…` : line;
}

/** The same for text of several lines: line breaks and tabs stay. */
export function visibleLines(text: string, maxLength = 10_000): string {
  const bounded = text.length > maxLength ? `${text.slice(0, maxLength)}…` : text;
  return bounded
    .replace(/\r\n?/g, '\n')
    .replace(HIDDEN, hidden => (hidden === '\n' || hidden === '\t' ? hidden : escapeHidden(hidden)));
}

/** What looks like a space, or like nothing, besides the space itself. */
const BLANK = /(?! )\p{Zs}|\u2800/gu;
const LONG_GAP = / {9,}/g;

/**
 * Text that a person judges to the letter, as before a launch: unbounded, on one line, with line breaks, tabs and odd
 * spaces shown as code points too, and long runs of spaces counted, so that nothing is pushed out of sight.
 */
export function exact(text: string): string {
  return text
    .replace(HIDDEN, escapeHidden)
    .replace(BLANK, escapeHidden)
    .replace(LONG_GAP, gap => `⟨${gap.length} spaces⟩`);
}

/** JSON for people to read and edit, in which every hidden character stands as its escape: the value is the very same. */
export function visibleJson(value: unknown): string {
  return visibleJsonText(JSON.stringify(value, null, 2) ?? 'null');
}

/** The same for a value that is text already, with line breaks between its parts. */
export function visibleJsonText(json: string): string {
  const escaped = (hidden: string) =>
    hidden === '\n'
      ? hidden
      : Array.from(
          { length: hidden.length },
          (_, at) => `\\u${hidden.charCodeAt(at).toString(16).padStart(4, '0')}`,
        ).join('');
  return json.replace(HIDDEN, escaped);
}

/** Text for a notification, where the editor makes links, also to commands, of `[text](target)`. */
export function withoutLinks(text: string): string {
  return text.replaceAll('](', '] (');
}

function escapeHidden(character: string): string {
  return `⟨U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}⟩`;
}
