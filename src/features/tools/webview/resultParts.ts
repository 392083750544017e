import { isObject } from '../../../base/json';
import { numberText } from '../../../base/numberText';
import { visible } from '../../../base/text';
import { button, el, makeScrollable } from '../../../editor/webview/page';
import type { FromItemPage } from '../core/itemPageMessages';
import type { ResultBlock } from '../core/resultBlocks';
import { type JsonTable, ROWS_AT_ONCE, tableOf } from '../core/resultTable';

/** The lines of a text that are shown initially. */
const LINES = 1_000;

/** Draws the parts of a result. Pictures and sounds are object URLs, freed by `release`. */
export class ResultParts {
  readonly #urls = new Set<string>();

  constructor(
    private readonly post: (message: FromItemPage) => void,
    private readonly texts: (name: string) => string,
  ) {}

  draw(run: number, blocks: readonly ResultBlock[]): HTMLElement[] {
    this.release();
    return blocks.map(block => this.#part(run, block));
  }

  release(): void {
    for (const url of this.#urls) URL.revokeObjectURL(url);
    this.#urls.clear();
  }

  #part(run: number, block: ResultBlock): HTMLElement {
    switch (block.kind) {
      case 'heading':
        return el('h3', 'role', block.text);
      case 'note':
        return el('p', 'note', block.text);
      case 'text':
        return this.#text(block);
      case 'json':
        return this.#json(block);
      case 'image':
      case 'audio':
        return this.#media(block);
      case 'link':
        return this.#link(run, block);
    }
  }

  #text({ label, text, cut }: ResultBlock & { kind: 'text' }): HTMLElement {
    const lines = text.split('\n');
    const pre = el('pre', 'text', lines.length > LINES ? lines.slice(0, LINES).join('\n') : text);
    makeScrollable(pre, label);
    const part = el('section', 'part', pre);
    if (lines.length > LINES) {
      const all = button(`${this.texts('moreLines')} (${numberText(lines.length)})`, () => {
        pre.textContent = text;
        all.remove();
        pre.focus();
      });
      part.append(all);
    }
    if (cut) part.append(el('p', 'dim', cut));
    return part;
  }

  #json({ label, json }: ResultBlock & { kind: 'json' }): HTMLElement {
    const value = parseExactly(json);
    const table = tableOf(value);
    const shown = el('div', 'shown');
    makeScrollable(shown, label);
    const bar = el('div', 'bar', el('h3', '', label));
    const part = el('section', 'part', bar, shown);
    const showTree = () => shown.replaceChildren(el('div', 'tree', nodeOf(undefined, value, this.texts('more'), true)));
    if (!table) {
      showTree();
      return part;
    }
    const ways = [
      ['asTable', () => this.#fillTable(shown, table)],
      ['asTree', showTree],
    ] as const;
    const buttons = ways.map(([name, show]) => {
      const made = button(this.texts(name), () => {
        for (const other of buttons) other.setAttribute('aria-pressed', String(other === made));
        show();
      });
      return made;
    });
    bar.append(...buttons);
    buttons[0]?.click();
    return part;
  }

  #fillTable(shown: HTMLElement, { columns, rows }: JsonTable): void {
    const body = el('tbody');
    const head = columns.map(name => el('th', { scope: 'col' }, visible(name)));
    let drawn = 0;
    const more = button(this.texts('more'), () => draw());
    const draw = () => {
      const next = rows.slice(drawn, drawn + ROWS_AT_ONCE);
      body.append(...next.map(cells => el('tr', '', ...cells.map(cellOf))));
      drawn += next.length;
      more.hidden = drawn >= rows.length;
    };
    draw();
    shown.replaceChildren(el('table', '', el('thead', '', el('tr', '', ...head)), body), more);
  }

  #media({ kind, label, mimeType, data }: ResultBlock & { kind: 'image' | 'audio' }): HTMLElement {
    const bytes = Uint8Array.from(atob(data), character => character.charCodeAt(0));
    const url = URL.createObjectURL(new Blob([bytes], { type: mimeType }));
    this.#urls.add(url);
    const caption = el('figcaption', 'dim', label);
    if (kind === 'audio') {
      const player = el('audio');
      player.controls = true;
      player.src = url;
      player.setAttribute('aria-label', label);
      return el('figure', 'part', player, caption);
    }
    const picture = el('img');
    picture.alt = label;
    picture.addEventListener('error', () => picture.replaceWith(el('p', 'note', this.texts('badPicture'))));
    picture.src = url;
    return el('figure', 'part', picture, caption);
  }

  #link(run: number, { label, address, notes, block, isWebsite }: ResultBlock & { kind: 'link' }): HTMLElement {
    const open = (name: string, site: boolean) =>
      button(this.texts(name), () => this.post({ type: 'link', run, block, isWebsite: site }));
    return el(
      'section',
      'part link',
      el('p', '', el('strong', '', label), ' ', el('code', '', address)),
      ...(notes.length > 0 ? [el('p', 'dim', notes.join(' · '))] : []),
      el('div', 'buttons', open('openResource', false), ...(isWebsite ? [open('openWebsite', true)] : [])),
    );
  }
}

/** The most members of one list or object that are added at once. */
const AT_ONCE = 200;
/** Small ones are open from the start. */
const OPEN = 20;
const MAX_TEXT = 10_000;

/** Reads JSON without rounding whole numbers that are too large for a number. */
function parseExactly(json: string): unknown {
  const revive = (_: string, value: unknown, context?: { source?: string }) => {
    const source = context?.source;
    const isRounded = typeof value === 'number' && Number.isInteger(value) && !Number.isSafeInteger(value);
    return isRounded && source !== undefined && /^-?\d+$/.test(source) ? BigInt(source) : value;
  };
  return JSON.parse(json, revive as (key: string, value: unknown) => unknown);
}

function scalarText(value: unknown): string {
  if (typeof value === 'string') return visible(value, MAX_TEXT);
  if (typeof value === 'object' && value !== null) return visible(JSON.stringify(value, stringOfLarge), 300);
  return value === undefined ? '' : String(value);
}

/** Longer texts may be cut in a cell. */
const CELL = 40;

function cellOf(value: unknown): HTMLElement {
  const text = scalarText(value);
  return el('td', { class: typeof value, ...(text.length > CELL && { title: text }) }, text);
}

const stringOfLarge = (_: string, value: unknown) => (typeof value === 'bigint' ? String(value) : value);

/** A row of a tree that is opened with keys or clicks. What is below it is made when it is opened. */
function nodeOf(name: string | undefined, value: unknown, moreText: string, isTop: boolean): HTMLElement {
  const label = name === undefined ? [] : [el('span', 'key', visible(name, 200)), ': '];
  const isList = Array.isArray(value);
  if (!isList && !isObject(value)) {
    const kind = value === null ? 'null' : typeof value;
    const text = typeof value === 'string' ? `"${scalarText(value)}"` : scalarText(value);
    return el('div', 'leaf', ...label, el('span', `value ${kind}`, text));
  }
  const entries: [string, unknown][] = isList
    ? value.map((item, index) => [String(index), item])
    : Object.entries(value);
  const count = isList ? `[${entries.length}]` : `{${entries.length}}`;
  if (entries.length === 0) return el('div', 'leaf', ...label, count);
  const summary = el('summary', '', ...label, el('span', 'dim', count));
  const below = el('div', 'below');
  const node = el('details', 'branch', summary, below);
  let shown = 0;
  const more = button(moreText, () => show());
  const show = () => {
    more.remove();
    below.append(...entries.slice(shown, shown + AT_ONCE).map(([key, item]) => nodeOf(key, item, moreText, false)));
    shown += AT_ONCE;
    if (shown < entries.length) below.append(more);
  };
  const open = () => {
    if (node.open && shown === 0) show();
  };
  node.addEventListener('toggle', open);
  if (isTop || entries.length <= OPEN / 4) node.open = true;
  // The event comes later, and what is below it in the tree must be there to be drawn at once.
  open();
  return node;
}
