const ESC = '\u001b';
/** What strings begin with, in eight bits. One ends another, as in a terminal. */
const STRINGS = '\u009d\u0090\u0098\u009e\u009f';
/** Ends of strings: BEL, ST in eight bits and in seven. */
const STRING_END = `(?:\u0007|\u009c|${ESC}\\\\)`;

/**
 * What a terminal takes for a command (ECMA-48), in the forms of seven and of eight bits: strings such as links and titles,
 * then colours and the cursor, then all else. Of a string that does not end only its beginning is taken, so that no text is
 * hidden by it.
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
 * The text that a terminal would be left with: without colours, links and moves of the cursor, and of what was written over,
 * as progress is, only the last. To be done before secrets are struck out, as a colour within one would hide it.
 */
export function plainText(text: string): string {
  const bare = HAS_COMMAND.test(text) ? text.replace(COMMAND, '') : text;
  return HAS_OVERWRITING.test(bare) ? bare.split('\n').map(lastWritten).join('\n') : bare;
}

/** The same for any JSON value: its strings without commands. */
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
