import { el } from '../../../editor/webview/page';
import type { GalleryRow } from '../core/gallerySearch';
import type { IconViews } from './detailsView';

interface ListActions {
  /** Shows the details of a server; the focus stays. */
  readonly select: (name: string) => void;
  readonly open: () => void;
  readonly leave: () => void;
}

const PAGE = 8;

/** The list of servers: one has the focus by `aria-activedescendant`, and is selected. */
export class ListView {
  readonly element = el('div', { class: 'list', role: 'listbox', id: 'list', tabindex: '0' });
  #rows: readonly GalleryRow[] = [];
  #options: readonly HTMLElement[] = [];
  #shown = '';
  #active = -1;

  constructor(
    private readonly icons: IconViews,
    private readonly actions: ListActions,
  ) {
    this.element.hidden = true;
    this.element.addEventListener('keydown', event => this.#onKey(event));
    this.element.addEventListener('focus', () => {
      if (this.#active < 0) this.#activate(0);
    });
  }

  show(rows: readonly GalleryRow[], label: string): void {
    this.element.setAttribute('aria-label', label);
    const json = JSON.stringify(rows);
    if (json === this.#shown) return;
    this.#shown = json;
    const active = this.#rows[this.#active]?.name;
    const hadFocus = document.activeElement === this.element;
    this.#rows = rows;
    this.#options = rows.map((row, index) => this.#option(row, index));
    this.element.replaceChildren(...this.#options);
    this.element.hidden = rows.length === 0;
    this.#active = -1;
    this.element.removeAttribute('aria-activedescendant');
    const again = rows.findIndex(({ name }) => name === active);
    if (again >= 0) this.#mark(again);
    if (hadFocus && rows.length === 0) this.actions.leave();
  }

  focus(): void {
    if (this.#rows.length > 0) this.element.focus();
    else this.actions.leave();
  }

  /** Opens the server that is selected, or the first. */
  openFirst(): void {
    if (this.#rows.length === 0) return;
    this.#activate(Math.max(0, this.#active));
    this.actions.open();
  }

  #option({ name, title, shownName, description, facts, initial, mark }: GalleryRow, index: number): HTMLElement {
    const heading = el('span', 'heading', el('span', 'title', title), mark !== undefined && el('span', 'mark', mark));
    const text = el(
      'span',
      'text',
      heading,
      el('span', 'name', shownName),
      el('span', 'description', description),
      el('span', 'facts', facts),
    );
    const option = el(
      'div',
      { class: 'option', role: 'option', id: `option-${index}`, 'aria-selected': 'false' },
      this.icons.view(name, initial),
      text,
    );
    option.addEventListener('click', () => {
      this.#activate(index);
      this.actions.open();
    });
    return option;
  }

  #onKey(event: KeyboardEvent): void {
    const last = this.#rows.length - 1;
    const steps: Readonly<Record<string, number>> = {
      ArrowDown: this.#active + 1,
      ArrowUp: this.#active - 1,
      PageDown: this.#active + PAGE,
      PageUp: this.#active - PAGE,
      Home: 0,
      End: last,
    };
    const to = steps[event.key];
    if (event.key === 'Escape' || (event.key === 'ArrowUp' && this.#active <= 0)) this.actions.leave();
    else if (to !== undefined) this.#activate(Math.min(last, Math.max(0, to)));
    else if (event.key === 'Enter' || event.key === ' ') this.openFirst();
    else return;
    event.preventDefault();
  }

  #activate(index: number): void {
    const row = this.#rows[index];
    if (!row) return;
    this.#mark(index);
    this.#options[index]!.scrollIntoView({ block: 'nearest' });
    this.actions.select(row.name);
  }

  #mark(index: number): void {
    this.#options[this.#active]?.setAttribute('aria-selected', 'false');
    this.#active = index;
    this.#options[index]!.setAttribute('aria-selected', 'true');
    this.element.setAttribute('aria-activedescendant', `option-${index}`);
  }
}
