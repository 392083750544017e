import { visibleJsonText } from '../../../base/text';

const INDENT = '  ';

/**
 * JSON with a line for each member, and every character of its values as it was sent: numbers keep their digits, as no value
 * is read. Hidden characters stand as escapes. Takes text that was cut, or is no JSON, as far as it goes.
 */
export function prettyJson(text: string): string {
  let out = '';
  let depth = 0;
  const line = () => `\n${INDENT.repeat(depth)}`;
  for (let at = 0; at < text.length; ) {
    const character = text[at]!;
    if (character === '"') {
      const end = endOfString(text, at);
      out += text.slice(at, end);
      at = end;
      continue;
    }
    at++;
    if (character === '{' || character === '[') {
      const next = afterSpace(text, at);
      if (text[next] === (character === '{' ? '}' : ']')) {
        out += character + text[next];
        at = next + 1;
      } else {
        depth++;
        out += character + line();
      }
    } else if (character === '}' || character === ']') {
      depth = Math.max(0, depth - 1);
      out += line() + character;
    } else if (character === ',') out += character + line();
    else if (character === ':') out += ': ';
    else if (!isSpace(character)) out += character;
  }
  return visibleJsonText(out);
}

const isSpace = (character: string | undefined) => character !== undefined && ' \t\r\n'.includes(character);

function afterSpace(text: string, from: number): number {
  let at = from;
  while (isSpace(text[at])) at++;
  return at;
}

/** Behind the closing quote, or at the end of what was cut. */
function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    if (text[at] === '\\') at++;
    else if (text[at] === '"') return at + 1;
  }
  return text.length;
}
