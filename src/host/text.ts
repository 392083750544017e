/**
 * Characters that people do not see or that change how others are read: C0 and C1 controls, soft hyphen, zero width and
 * bidi controls, line and paragraph separators, invisible operators, variation-selector and tag blocks.
 */
const HIDDEN =
  /[\u0000-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb\u{1bca0}-\u{1bca3}\u{1d173}-\u{1d17a}\u{e0000}-\u{e0fff}]/gu;

/**
 * Makes text from a server fit for one line of the editor: bounded to `maxLength` characters, line breaks as spaces, and
 * every hidden character shown as `⟨U+202E⟩`, so that what a person reads is what is there.
 */
export function visible(text: unknown, maxLength = 200): string {
  const bounded = String(text).slice(0, maxLength + 1);
  const line = bounded.replace(/[\t\r\n]+/g, ' ').replace(HIDDEN, escapeHidden).trim();
  return line.length > maxLength ? `${line.slice(0, maxLength)}…` : line;
}

/** The same for text of several lines: line breaks and tabs stay. */
export function visibleLines(text: string, maxLength = 10_000): string {
  const bounded = text.length > maxLength ? `${text.slice(0, maxLength)}…` : text;
  return bounded.replace(/\r\n?/g, '\n').replace(HIDDEN, hidden => (hidden === '\n' || hidden === '\t' ? hidden : escapeHidden(hidden)));
}

function escapeHidden(character: string): string {
  return `⟨U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}⟩`;
}
