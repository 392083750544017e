import { el } from './dom';

/** A string with the colon that makes it a name, or a number or word, or a sign. */
const TOKEN = /("(?:[^"\\]|\\.)*"?)(\s*:)?|(-?\d[\d.eE+-]*)|\b(true|false|null)\b/g;

/** JSON with its parts coloured. What is no part is plain. */
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
