const WHOLE = 1_000;
const AT_START = 300;
const AT_WORD = 200;
const SCATTERED = 500;

/**
 * How well a word matches a text, both folded: above 700 when the text contains it, best at its start or at the start of
 * one of its words, and in a short text; below 500 when its letters occur in order, better the closer they are together.
 * Zero when they don't.
 */
export function scoreField(text: string, word: string): number {
  const index = bestIndexOf(text, word);
  if (index >= 0) {
    const place = index === 0 ? AT_START : isWordStart(text, index) ? AT_WORD : 0;
    return WHOLE + place - Math.min(text.length, 200) - Math.min(index, 50);
  }
  return word.length > 1 ? scatteredScore(text, word) : 0;
}

/** The first occurrence at the start of a word, else the first at all. */
function bestIndexOf(text: string, word: string): number {
  const first = text.indexOf(word);
  for (let index = first; index > 0; index = text.indexOf(word, index + 1)) {
    if (isWordStart(text, index)) return index;
  }
  return first;
}

/** The letters in order. Of several ways the one that ends first is taken, and from its end the shortest. */
function scatteredScore(text: string, word: string): number {
  let end = -1;
  for (let letter = 0; letter < word.length; letter++) {
    end = text.indexOf(word[letter]!, end + 1);
    if (end < 0) return 0;
  }
  let start = end;
  let wordStarts = 0;
  for (let letter = word.length - 1; letter >= 0; letter--) {
    start = text.lastIndexOf(word[letter]!, start);
    if (isWordStart(text, start)) wordStarts++;
    if (letter > 0) start--;
  }
  const gaps = end - start + 1 - word.length;
  return Math.max(1, SCATTERED - 60 + wordStarts * 20 - gaps * 12);
}

function isWordStart(text: string, index: number): boolean {
  return index === 0 || !isLetterOrDigit(text.charCodeAt(index - 1));
}

/** Of what is not ASCII all counts as letters. */
function isLetterOrDigit(code: number): boolean {
  return (code >= 97 && code <= 122) || (code >= 48 && code <= 57) || code > 127;
}
