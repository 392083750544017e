/** Larger documents stay as they are: spreading them out would cost more than it helps. */
const MAX_LENGTH = 5 * 1024 * 1024;
/** Deeper documents are unreadable, and their indentation alone would fill memory. */
const MAX_DEPTH = 100;
const MAX_FORMATTED_LENGTH = 4 * MAX_LENGTH;

/**
 * Spreads minified JSON over lines, indented by two spaces. Works on the text, not on the parsed value, so that long
 * numbers, duplicate keys and the order of keys stay what the server sent. Anything else, JSON that has lines already
 * included, comes back unchanged.
 */
export function formatJson(text: string): string {
  const json = text.trim();
  if (json.length > MAX_LENGTH || json.includes('\n') || !isJson(json)) return text;
  let formatted = '';
  let depth = 0;
  for (let index = 0; index < json.length; index++) {
    const character = json[index]!;
    switch (character) {
      case '"': {
        const end = endOfString(json, index);
        formatted += json.slice(index, end);
        index = end - 1;
        break;
      }
      case '{':
      case '[': {
        const next = nextToken(json, index);
        const isEmpty = json[next] === '}' || json[next] === ']';
        formatted += isEmpty ? character + json[next] : `${character}${line(++depth)}`;
        if (isEmpty) index = next;
        break;
      }
      case '}':
      case ']':
        formatted += line(--depth) + character;
        break;
      case ',':
        formatted += `,${line(depth)}`;
        break;
      case ':':
        formatted += ': ';
        break;
      default:
        if (!isSpace(character)) formatted += character;
    }
    if (depth > MAX_DEPTH || formatted.length > MAX_FORMATTED_LENGTH) return text;
  }
  return formatted;
}

const line = (depth: number) => `\n${'  '.repeat(depth)}`;
const isSpace = (character: string | undefined) => character === ' ' || character === '\t' || character === '\r';

/** Index after the closing quote of the string that begins at `start`. */
function endOfString(json: string, start: number): number {
  let index = start + 1;
  while (json[index] !== '"') index += json[index] === '\\' ? 2 : 1;
  return index + 1;
}

function nextToken(json: string, index: number): number {
  let next = index + 1;
  while (isSpace(json[next])) next++;
  return next;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
