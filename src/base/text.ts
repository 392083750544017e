import { attempt } from './errors';
import { getOrInsert, type Lazy, lazy } from './events';
import { indentedJson } from './json';

// Text that is not ours, made fit for a place. Each place has one function:
//
// | place | function |
// |---|---|
// | one line: a description, a message, a log | `visible` |
// | several lines: output, a document | `visibleLines` |
// | a review, in which each character counts | `exact` |
// | JSON to read or edit | `visibleJson`, or `visibleJsonText` of a text |
// | notifications, dialogs, inputs, progress, the status bar | `t` of editor/window.ts; a text of its own: `plain` |
// | a row of a list | `rowText`; of a text that is made visible already: `withoutIcons` |
// | markdown: hovers, answers in chat | `plainMarkdown` |
// | the label of a link that the editor makes | `linkLabel` |
// | a model | `revealed`, if it `hasHidden` characters |

/** Characters that are invisible or change how others are read: joiners, bidi, tags, variation selectors, fillers, separators. */
const FORMAT = String.raw`\p{DI}\p{Cf}\p{Zl}\p{Zp}`;
/** Controls but for tab and line break. */
const CONTROLS = String.raw`\0-\x08\x0b-\x1f\x7f-\x9f`;
/** Lone surrogates, private use characters (invisible, or like an icon), and characters drawn as a blank as well. */
const UNSEEN = String.raw`${FORMAT}${CONTROLS}\p{Cs}\p{Co}\p{NChar}\u2800\u{13441}\u{13442}\u{16fe4}\u{1d159}`;
/** Characters that look like a space. */
const SPACES = String.raw`\xa0\u1680\u2000-\u200a\u202f\u205f\u3000`;

/** Scripts in which a joiner between two letters affects how they are written. */
const JOINING =
  'Arab Syrc Mand Nkoo Adlm Rohg Mong Deva Beng Guru Gujr Orya Taml Telu Knda Mlym Sinh Tibt Mymr Khmr Lana';

// Compiled when first needed: classes of Unicode take milliseconds to compile, and every window loads this file at its start.

/** An emoji that is drawn as a letter unless U+FE0F follows it. */
const drawnAsLetter = lazy(() => /(?![#*\d]|\p{Emoji_Presentation})\p{Emoji}$/u);
/** One with a joiner in it, as far as its form tells (UTS #51, `emoji_zwj_sequence`; hair is no emoji of its own). */
const joinedEmoji = lazy(() => {
  const part = String.raw`[\p{Extended_Pictographic}\u{1f9b0}-\u{1f9b3}][\ufe0f\p{Emoji_Modifier}]?`;
  return new RegExp(`${part}(?:\\u200d${part}){1,4}`, 'uy');
});
const lastPart = lazy(() => /\p{Extended_Pictographic}[\ufe0f\p{Emoji_Modifier}]?$/u);
/** As Unicode lists them. */
const emoji = lazy(() => /^\p{RGI_Emoji}/v);
/** How long the listed emoji are with which such texts begin: to tell that takes as long as all else. */
const listed = new Map<string, number>();
const MAX_LISTED = 5_000;
/** A black flag that tags make that of England, Scotland or Wales. Tags without it are a way to hide whole sentences. */
const FLAG = '\u{1f3f4}';
const FLAG_TAGS = ['gbeng', 'gbsct', 'gbwls'].map(name =>
  [...name, '\x7f'].map(letter => String.fromCodePoint(0xe0000 + letter.charCodeAt(0))).join(''),
);
/** Two letters of those scripts, joined. */
const joined = lazy(() => {
  const scripts = JOINING.split(' ').map(script => String.raw`\p{scx=${script}}`);
  const letter = String.raw`[[[\p{L}\p{M}]--\p{DI}]&&[${scripts.join('')}]]`;
  return new RegExp(`${letter}[\\u200c\\u200d]${letter}`, 'v');
});

const cutHere = () => '⟨…⟩';

/** The most characters of one text that are examined: each takes microseconds, and nobody reads that many hidden ones. */
const MAX_EXAMINED = 100_000;

/** Combining marks, and the two letters that normal forms make some of. */
const MARK = String.raw`[\p{M}\uff9e\uff9f]`;
const towers = lazy(() => new RegExp(`(${MARK}{30})(${MARK}{1,100000})`, 'gu'));

/**
 * With at most 30 marks in a row, more than any text has (UAX #15, "Stream-Safe Text Format"): to order or draw n of them takes n²
 * steps, and they cover what is around them.
 * @param instead what is in place of the others.
 */
export const withFewMarks = (text: string, instead: (marks: string) => string): string =>
  text.replace(towers(), (_, first: string, others: string) => first + instead(others));

/** Finds hidden characters, except those that the text needs. */
class HiddenCharacters {
  readonly #any: Lazy<RegExp>;
  readonly #runs: Lazy<RegExp>;

  /** @param characters the content of a character class. */
  constructor(characters: string) {
    this.#any = lazy(() => new RegExp(`[${characters}]`, 'gu'));
    this.#runs = lazy(() => new RegExp(`[${characters}]{1,100000}`, 'gu'));
  }

  show(text: string): string {
    return this.#replace(withFewMarks(text, cutHere), codePoint, rest => rest.replace(this.#runs(), cutHere));
  }

  /** In JSON. */
  escape(json: string): string {
    return this.#replace(withFewMarks(json, escaped), escaped, rest => rest.replace(this.#any(), escaped));
  }

  isIn(text: string): boolean {
    return text.search(towers()) >= 0 || !this.#in(text).next().done;
  }

  /** @param others what is in place of the rest when enough was examined. */
  #replace(text: string, shown: (hidden: string) => string, others: (rest: string) => string): string {
    let made = '';
    let done = 0;
    for (const { at, hidden } of this.#in(text)) {
      made += text.slice(done, at) + (hidden === undefined ? others(text.slice(at)) : shown(hidden));
      done = hidden === undefined ? text.length : at + hidden.length;
    }
    return done === 0 ? text : made + text.slice(done);
  }

  /**
   * Examines only what may be hidden, and around it: one expression for both is slow and overflows the stack. The last one has no
   * character if enough was examined: all from there on may be hidden.
   */
  *#in(text: string): Generator<{ at: number; hidden: string | undefined }> {
    const any = this.#any();
    for (let done = 0, examined = 0; ; examined++) {
      any.lastIndex = done;
      const match = any.exec(text);
      if (!match) return;
      const { 0: hidden, index: at } = match;
      if (examined === MAX_EXAMINED) return void (yield { at, hidden: undefined });
      const end = endOfNeeded(text, at);
      done = Math.max(end, at + hidden.length);
      if (end === at) yield { at, hidden };
    }
  }
}

/** The end of what is needed from the character at `at` on; `at` if it is not needed. */
function endOfNeeded(text: string, at: number): number {
  switch (text[at]) {
    // Single spaces used in French and Japanese typesetting.
    case '\xa0':
    case '\u202f':
    case '\u3000':
      return /^(?:\S|[\r\n\u2028\u2029])?.\S$/.test(text.slice(Math.max(0, at - 1), at + 2)) ? at + 1 : at;
    case '\u200c':
      return joinsLetters(text, at) ? at + 1 : at;
    case '\u200d':
      return joinsLetters(text, at) ? at + 1 : endOfJoinedEmoji(text, at);
    case '\ufe0f': {
      const isKey = text[at + 1] === '\u20e3' && /[#*\d]/.test(text[at - 1] ?? '');
      return isKey || drawnAsLetter().test(text.slice(Math.max(0, at - 2), at)) ? at + 1 : at;
    }
    // The first half of a tag.
    case '\udb40': {
      const tags = text.startsWith(FLAG, at - 2) && FLAG_TAGS.find(one => text.startsWith(one, at));
      return tags ? at + tags.length : at;
    }
    default:
      return at;
  }
}

/** The end of the emoji that the joiner there is in; `at` if it is in none. */
function endOfJoinedEmoji(text: string, at: number): number {
  const before = lastPart().exec(text.slice(Math.max(0, at - 4), at));
  if (!before) return at;
  const from = at - before[0].length;
  joinedEmoji().lastIndex = from;
  const form = joinedEmoji().exec(text)?.[0];
  if (form === undefined) return at;
  if (listed.size > MAX_LISTED) listed.clear();
  return Math.max(at, from + getOrInsert(listed, form, () => emoji().exec(form)?.[0].length ?? 0));
}

/** Whether the character there is a joiner that the letters around it need. */
function joinsLetters(text: string, at: number): boolean {
  return joined().test(text.slice(Math.max(0, at - 2), at + 3));
}

const inNames = new HiddenCharacters(UNSEEN + SPACES);
const inLines = new HiddenCharacters(UNSEEN);
const fromModels = new HiddenCharacters(FORMAT);

/** Nothing to reveal or trim: true of most names. */
const PLAIN = /^[!-~](?:[ -~]*[!-~])?$/;

/**
 * Makes text from a server fit for one line of the editor: bounded to `maxLength` characters, line breaks as spaces, and
 * every hidden character shown as `⟨U+202E⟩`, so that what a person reads is what is there.
 */
export function visible(text: unknown, maxLength = 200): string {
  if (typeof text === 'string' && text.length <= maxLength && PLAIN.test(text)) return text;
  const bounded = head(String(text), maxLength + 2).replace(/[\t\r\n]+/g, ' ');
  const line = inNames.show(bounded).trim();
  return line.length > maxLength ? `${head(line, maxLength)}…` : line;
}

/** Text from a server in several lines: bounded as it is shown, hidden characters visible; line breaks and tabs stay. */
export function visibleLines(text: string, maxLength = 10_000): string {
  const lines = inLines.show(head(text, maxLength + 1).replace(/\r\n?/g, '\n'));
  return text.length > maxLength || lines.length > maxLength ? `${head(lines, maxLength)}…` : lines;
}

/** Bounded, because the engine keeps state for each repetition and would run out of it on a text of nothing but spaces. */
const LONG_GAP = / {9,1000000}/g;
const notExact = lazy(() => new RegExp(String.raw`[${UNSEEN}${SPACES}\t\n]`, 'gu'));

/**
 * Text that a person judges character by character, as before a launch: unbounded, on one line, with line breaks, tabs and
 * odd spaces shown as code points too, wherever they stand, and long runs of spaces counted, so that nothing is pushed out
 * of sight.
 */
export function exact(text: string): string {
  const few = withFewMarks(text, marks => Array.from(marks, codePoint).join(''));
  return few.replace(notExact(), codePoint).replace(LONG_GAP, gap => `⟨${gap.length} spaces⟩`);
}

/** JSON for people to read and edit, in which every hidden character is escaped; the value is the same. */
export const visibleJson = (value: unknown): string => visibleJsonText(indentedJson(value));

/** A text of JSON, perhaps with line breaks between its parts, in which every hidden character is escaped. */
export function visibleJsonText(json: string): string {
  return inLines.escape(json);
}

/** Whether a model would read something in it that a person does not see. */
export const hasHidden = (text: string): boolean => fromModels.isIn(text);

/** Text for a model, with code points for what a person would not see, but control characters of programs. */
export const revealed = (text: string): string => fromModels.show(text);

declare const row: unique symbol;
declare const anywhere: unique symbol;

/** Text for a row of a list, in which only our own text makes icons. */
export type RowText = string & { readonly [row]: true };

/** Text that contains no markup but ours, wherever the editor shows it. Only `plain` and functions built on it make one. */
export type PlainText = RowText & { readonly [anywhere]: true };

/**
 * Makes text that is not ours safe to show. Notifications, progress and prompts turn `[text](target)` into links, even to
 * commands; rows, prompts and the status bar turn `$(name)` into icons. A space breaks both.
 */
export function plain(text: string): PlainText {
  const lines = visibleLines(text, Number.POSITIVE_INFINITY);
  return lines.replace(/\\?\$\((?=[A-Za-z0-9~-]+\))/g, '$$ (').replaceAll('](', '] (') as PlainText;
}

/** Of a text that is no longer, a slice may keep all. */
const SHORT_TEXT = 20_000;

/** The first characters of a text. To be kept: V8 keeps all of a long text for a slice of it, so this is a copy. */
export function startOf(text: string, length: number): string {
  if (text.length <= length) return text;
  const start = text.slice(0, length);
  return text.length > SHORT_TEXT ? JSON.parse(JSON.stringify(start)) : start;
}

/** The beginning of a text, with a mark where it is cut: it tells the redactor that a secret may be cut off there. */
export const beginningOf = (text: string, length: number): string =>
  text.length > length ? `${startOf(text, length)}…` : text;

/** The first characters, without cutting one in half. */
function head(text: string, length: number): string {
  return text.length > length ? startOf(text, length).replace(/[\ud800-\udbff\u200d]$/, '') : text;
}

const escaped = (hidden: string) =>
  Array.from({ length: hidden.length }, (_, at) => `\\u${hidden.charCodeAt(at).toString(16).padStart(4, '0')}`).join(
    '',
  );

function codePoint(character: string): string {
  return `⟨U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}⟩`;
}

/** Text from a server for a row of a quick pick, where `$(name)` would become an icon. */
export const rowText = (text: unknown, maxLength = 200): RowText => withoutIcons(visible(text, maxLength));

/** Text for a place where the editor makes icons of `$(name)`: rows, buttons, the status bar, lenses. */
export function withoutIcons(text: string): RowText {
  return text.replace(/\$\((?=[A-Za-z0-9-]+(~[A-Za-z]+)?\))/g, '\\$(') as RowText;
}

/** Text for a link of the editor, which puts it between brackets unescaped and shows entities literally. */
export const linkLabel = (text: string): string => text.replace(/[[\]\\<>`]/g, '');

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

/** `*` stands for any characters; all others for themselves. Linear: no regular expression of a person's text. */
export function matches(pattern: string, text: string): boolean {
  const [first = '', ...rest] = pattern.split('*');
  const last = rest.pop();
  if (last === undefined) return pattern === text;
  if (!text.startsWith(first)) return false;
  let at = first.length;
  for (const part of rest) {
    const found = text.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return text.length - last.length >= at && text.endsWith(last);
}

/** Whether a URL names this machine. Name servers may answer for `localhost`, which is checked when connecting. */
export function isLoopback({ hostname }: Pick<URL, 'hostname'>): boolean {
  return /^(localhost|(.+\.)?localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname);
}

/** The parsed address, if it is one. `URL.canParse` accepts very long hosts that the constructor refuses. */
export const parseUrl = (text: string): URL | undefined => attempt(() => new URL(text));

/** The address of a page or a service, over http or https and without a user name. Undefined: it is none, or too long. */
export function webAddress(text: unknown, maxLength = 1_000): URL | undefined {
  const url = typeof text === 'string' && text.length <= maxLength ? parseUrl(text) : undefined;
  return url && /^https?:$/.test(url.protocol) && !url.username && !url.password ? url : undefined;
}

/** An address or a path, to which another part can be appended after a slash. */
export const withoutTrailingSlashes = (text: string): string => text.replace(/(?<!\/)\/+$/, '');

/** A name of any characters in letters, digits, `-`, `_` and `~`: another one for each. */
export const asciiName = (name: string): string =>
  name.replace(/[^A-Za-z0-9_-]/g, unit => `~${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** Without percent-encoding. Each code that is not valid stays as it is, whatever stands beside it. */
export function percentDecoded(text: string): string {
  return text.replace(/(?:%[\da-f]{2})+/gi, codes => {
    return attempt(() => decodeURIComponent(codes), codes);
  });
}
