import { el } from './dom';

/** A string, with the colon if it is a name; a number or word; or punctuation. */
const TOKEN = /("(?:[^"\\]|\\.)*"?)(\s*:)?|(-?\d[\d.eE+-]*)|\b(true|false|null)\b/g;

/** JSON with its parts coloured, and anything else plain. */
export function coloured(text: string): DocumentFragment {
  const fragment = document.createDocumentFragment();
  let last = 0;
  for (const match of text.matchAll(TOKEN)) {
    const [, string, colon, number, word] = match;
    const shown = string ?? number ?? word ?? '';
    const kind =
      colon !== undefined ? 'name' : string !== undefined ? 'string' : number !== undefined ? 'number' : 'word';
    fragment.append(text.slice(last, match.index), el('span', { class: `json-${kind}` }, shown));
    last = match.index + shown.length;
  }
  fragment.append(text.slice(last));
  return fragment;
}
