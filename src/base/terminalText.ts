const ESC = '\u001b';
/** The 8-bit characters that begin a string. One ends another, as in a terminal. */
const STRINGS = '\u009d\u0090\u0098\u009e\u009f';
/** Ends of strings: BEL, and ST in its 8-bit and 7-bit forms. */
const STRING_END = `(?:\u0007|\u009c|${ESC}\\\\)`;

/**
 * Terminal commands (ECMA-48) in their 7-bit and 8-bit forms: strings such as links and titles, then colours and cursor
 * movements, then everything else. Of an unfinished string only the introducer is matched, so that it hides no text.
 */
const COMMAND = new RegExp(
  [
    `(?:${ESC}[\\]PX^_]|[${STRINGS}])[^\u0007\u009c${ESC}${STRINGS}\\n]{0,10000}${STRING_END}`,
    `(?:${ESC}\\[|\u009b)[0-?]*[ -/]*[@-~]`,
    `${ESC}[ -/]*[0-~]`,
  ].join('|'),
  'g',
);
const HAS_COMMAND = new RegExp(`[${ESC}\u0080-\u009f]`);
const HAS_OVERWRITING = /[\r\b]/;

/**
 * The text that a terminal would end up showing: without colours, links and cursor movements, and with only the last version
 * of what was overwritten, such as progress. Do this before striking out secrets, because a colour code inside a secret
 * would hide it.
 */
export function plainText(text: string): string {
  const bare = HAS_COMMAND.test(text) ? text.replace(COMMAND, '') : text;
  return HAS_OVERWRITING.test(bare) ? bare.split('\n').map(lastWritten).join('\n') : bare;
}

/** The same for every string in a JSON value. */
export function plainData(data: unknown): unknown {
  if (typeof data === 'string') return plainText(data);
  if (typeof data !== 'object' || data === null) return data;
  const json = JSON.stringify(data);
  if (!json.includes('\\u001b') && !HAS_COMMAND.test(json)) return data;
  return JSON.parse(json, (_, part) => (typeof part === 'string' ? part.replace(COMMAND, '') : part));
}

function lastWritten(line: string): string {
  const written = line.split('\r');
  return withoutErased(written.findLast(part => part.trim() !== '') ?? '');
}

function withoutErased(text: string): string {
  if (!text.includes('\b')) return text;
  const left: string[] = [];
  for (const character of text) {
    if (character === '\b') left.pop();
    else left.push(character);
  }
  return left.join('');
}
