/** What has no look of its own or changes how the rest is read: joiners, bidi, tags, variation selectors, fillers, separators. */
const FORMAT = String.raw`\p{DI}\p{Cf}\p{Zl}\p{Zp}`;
/** Controls but for tab and line break. */
const CONTROLS = String.raw`\0-\x08\x0b-\x1f\x7f-\x9f`;
/** Besides: halves of characters, private use, which looks like nothing or like an icon, and signs that are drawn as a blank. */
const UNSEEN = String.raw`${FORMAT}${CONTROLS}\p{Cs}\p{Co}\p{NChar}\u2800\u{13441}\u{13442}\u{16fe4}\u{1d159}`;
/** What looks like the space but is another character. */
const SPACES = String.raw`\xa0\u1680\u2000-\u200a\u202f\u205f\u3000`;

/** What emoji are made of. Which of it are emoji is looked up only there, as the list of them takes long to compile. */
const RUN = String.raw`\p{Emoji}[\p{Emoji}\u200d\ufe0f\u20e3\u{e0020}-\u{e007f}]+`;
/** Single spaces that French and Japanese are set with. */
const SET = String.raw`(?<=\S|^)[\xa0\u202f\u3000](?=\S)`;
/** Scripts in which a joiner between two letters says how they are written. */
const JOINING =
  'Arab Syrc Mand Nkoo Adlm Rohg Mong Deva Beng Guru Gujr Orya Taml Telu Knda Mlym Sinh Tibt Mymr Khmr Lana';

/** Emoji as Unicode lists them. */
let emoji: RegExp | undefined;
/** Two letters of those scripts, joined. */
let joined: RegExp | undefined;

/** Characters that are hidden, but for those that text needs. */
class Hidden {
  readonly #any: RegExp;
  #each: RegExp | undefined;

  /** @param characters what stands between the brackets of a class. */
  constructor(private readonly characters: string) {
    this.#any = new RegExp(`[${characters}]`, 'u');
  }

  show(text: string, shown = codePoint): string {
    if (!this.#any.test(text)) return text;
    this.#each ??= new RegExp(`(${RUN})|${SET}|([${this.characters}])`, 'gmu');
    return text.replace(this.#each, (kept: string, run: string | undefined, hidden: string | undefined, at: number) => {
      if (run) return this.#outsideOfEmoji(run, shown);
      return hidden && !joins(text, at) ? shown(hidden) : kept;
    });
  }

  #outsideOfEmoji(run: string, shown: (character: string) => string): string {
    if (!this.#any.test(run)) return run;
    emoji ??= /\p{RGI_Emoji}/vy;
    let made = '';
    for (let at = 0; at < run.length; ) {
      emoji.lastIndex = at;
      const whole = emoji.exec(run)?.[0];
      const next = whole ?? String.fromCodePoint(run.codePointAt(at)!);
      made += !whole && this.#any.test(next) ? shown(next) : next;
      at += next.length;
    }
    return made;
  }
}

/** Whether the character there is a joiner that the letters around it need. */
function joins(text: string, at: number): boolean {
  if (!/[\u200c\u200d]/.test(text[at]!)) return false;
  if (!joined) {
    const scripts = JOINING.split(' ').map(script => String.raw`\p{scx=${script}}`);
    const letter = String.raw`[[[\p{L}\p{M}]--\p{DI}]&&[${scripts.join('')}]]`;
    joined = new RegExp(`${letter}[\\u200c\\u200d]${letter}`, 'v');
  }
  return joined.test(text.slice(Math.max(0, at - 2), at + 3));
}

const inNames = new Hidden(UNSEEN + SPACES);
const inLines = new Hidden(UNSEEN);
const fromModels = new Hidden(FORMAT);

/** Nothing to hide or to trim: most names are such. */
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

/** The same for text of several lines: line breaks and tabs stay. */
export function visibleLines(text: string, maxLength = 10_000): string {
  const bounded = text.length > maxLength ? `${head(text, maxLength)}…` : text;
  return inLines.show(bounded.replace(/\r\n?/g, '\n'));
}

const LONG_GAP = / {9,}/g;
const NOT_EXACT = new RegExp(String.raw`[${UNSEEN}${SPACES}\t\n]`, 'gu');

/**
 * Text that a person judges to the letter, as before a launch: unbounded, on one line, with line breaks, tabs and odd
 * spaces shown as code points too, wherever they stand, and long runs of spaces counted, so that nothing is pushed out of
 * sight.
 */
export function exact(text: string): string {
  return text.replace(NOT_EXACT, codePoint).replace(LONG_GAP, gap => `⟨${gap.length} spaces⟩`);
}

/** JSON for people to read and edit, in which every hidden character stands as its escape: the value is the very same. */
export function visibleJson(value: unknown): string {
  return visibleJsonText(JSON.stringify(value, null, 2) ?? 'null');
}

/** The same for a value that is text already, with line breaks between its parts. */
export function visibleJsonText(json: string): string {
  return inLines.show(json, hidden =>
    Array.from({ length: hidden.length }, (_, at) => `\\u${hidden.charCodeAt(at).toString(16).padStart(4, '0')}`).join(
      '',
    ),
  );
}

/** Whether a model would read in it what a person does not see. */
export function hasHidden(text: string): boolean {
  return revealed(text) !== text;
}

/**
 * Text for a model, with what it would read and nobody sees shown as code points. Controls stay, as the output of programs
 * is full of them.
 */
export function revealed(text: string): string {
  return fromModels.show(text);
}

declare const row: unique symbol;
declare const anywhere: unique symbol;

/** Text for a row of a list, in which nothing that is not ours becomes an icon. */
export type RowText = string & { readonly [row]: true };

/** Text that holds no markup but ours, wherever the editor shows it. Only `plain`, and what is made of it, makes such. */
export type PlainText = RowText & { readonly [anywhere]: true };

/**
 * The door for texts that are not ours. Notifications, progress and prompts make links, also to commands, of
 * `[text](target)`; rows, prompts and the status bar make icons of `$(name)`. Both are broken by a space.
 */
export function plain(text: string): PlainText {
  return unlinked(visibleLines(text, Number.POSITIVE_INFINITY).replace(/\\?\$\((?=[A-Za-z0-9~-]+\))/g, '$$ ('));
}

/** Text in which the icons are ours: only links are broken, which nothing of ours has. */
export function unlinked(text: string): PlainText {
  return text.replaceAll('](', '] (') as PlainText;
}

/** The first characters, none of them cut in half. */
function head(text: string, length: number): string {
  return text.length > length ? text.slice(0, length).replace(/[\ud800-\udbff\u200d]$/, '') : text;
}

function codePoint(character: string): string {
  return `⟨U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}⟩`;
}
