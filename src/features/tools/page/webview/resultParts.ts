import { numberText } from '../../../../base/numberText';
import { visible } from '../../../../base/text';
import { button, el, makeScrollable } from '../../../../editor/webview/page';
import type { FromItemPage } from '../../core/page/itemPageMessages';
import { type JsonTable, tableOf } from '../../core/page/jsonTable';
import type { ResultBlock } from '../../core/page/resultBlocks';
import { jsonTree, parseExactly, scalarText } from './jsonTree';

/** The lines of a text or table that are shown initially. */
const LINES = 1_000;
const ROWS = 200;

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
    const showTree = () => shown.replaceChildren(jsonTree(value, this.texts('more')));
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
      const next = rows.slice(drawn, drawn + ROWS);
      body.append(...next.map(cells => el('tr', '', ...cells.map(cell => el('td', typeof cell, scalarText(cell))))));
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
