import { visible } from '../../../base/text';
import { el, showText } from '../../../editor/webview/page';

/**
 * A server's suggestions for a field, below it: an editable combobox (ARIA Authoring Practices, "Editable Combobox With List
 * Autocomplete"). It opens when a person types, clicks or presses the arrow down. Nothing is filled in unless they choose it.
 */
export class SuggestionList {
  readonly element = el('div', 'suggestions');
  readonly #list = el('ul');
  readonly #note = el('p', 'dim');
  /** The person wants suggestions for what is typed. */
  #isWanted = false;
  #active = -1;

  constructor(
    private readonly target: HTMLInputElement | HTMLTextAreaElement,
    label: string,
    private readonly ask: () => void,
  ) {
    this.#list.id = `${target.id}-list`;
    this.#list.setAttribute('role', 'listbox');
    this.#list.setAttribute('aria-label', label);
    this.#note.setAttribute('role', 'status');
    this.element.append(this.#list, this.#note);
    // A text of several lines may not have that role, but all else of it.
    if (target instanceof HTMLInputElement) target.setAttribute('role', 'combobox');
    target.setAttribute('aria-autocomplete', 'list');
    target.setAttribute('aria-controls', this.#list.id);
    // What is taken from the list is put in by this page, which is not asked about again.
    target.addEventListener('input', event => event.isTrusted && this.#want());
    target.addEventListener('click', () => this.#want());
    target.addEventListener('blur', () => this.#close());
    target.addEventListener('keydown', event => this.#key(event as KeyboardEvent));
    // A press on the list must not take the focus out of the field, which would close it.
    this.element.addEventListener('mousedown', event => event.preventDefault());
    this.#close();
  }

  /** @param values null: they are not known yet, so those of before stay. */
  show(text: string, values: readonly string[] | null, note: string): void {
    if (!this.#isWanted || text !== this.target.value || values === null) return;
    const others = values.length === 1 && values[0] === text ? [] : values;
    this.#list.replaceChildren(...others.map((value, index) => this.#row(value, index)));
    showText(this.#note, note);
    const isEmpty = others.length === 0;
    this.#list.hidden = isEmpty;
    this.element.hidden = isEmpty && note === '';
    this.#tellExpanded(!isEmpty);
    this.#activate(-1);
  }

  #row(value: string, index: number): HTMLElement {
    const row = el('li', '', visible(value, 300));
    row.id = `${this.#list.id}-${index}`;
    row.setAttribute('role', 'option');
    row.setAttribute('aria-selected', 'false');
    row.dataset.value = value;
    row.addEventListener('click', () => this.#take(value));
    return row;
  }

  #want(): void {
    this.#isWanted = true;
    this.ask();
  }

  #close(): void {
    this.#isWanted = false;
    this.element.hidden = true;
    this.#list.replaceChildren();
    this.#tellExpanded(false);
    this.#activate(-1);
  }

  #tellExpanded(isExpanded: boolean): void {
    if (this.target instanceof HTMLInputElement) this.target.setAttribute('aria-expanded', String(isExpanded));
  }

  #take(value: string): void {
    this.target.value = value;
    this.target.dispatchEvent(new Event('input', { bubbles: true }));
    this.#close();
  }

  #key(event: KeyboardEvent): void {
    if (event.isComposing || event.ctrlKey || event.metaKey) return;
    const rows = this.#list.children;
    const isOpen = !this.element.hidden && rows.length > 0;
    const { key } = event;
    if (key === 'Enter' && isOpen && this.#active >= 0) this.#take((rows[this.#active] as HTMLElement).dataset.value!);
    else if (key === 'Escape' && !this.element.hidden) this.#close();
    else if (key === 'ArrowDown' && isOpen) this.#activate((this.#active + 1) % rows.length);
    else if (key === 'ArrowUp' && isOpen) this.#activate((this.#active <= 0 ? rows.length : this.#active) - 1);
    // In a text of several lines the arrow moves between them.
    else if (key === 'ArrowDown' && !this.target.value.includes('\n')) this.#want();
    else return;
    event.preventDefault();
  }

  #activate(index: number): void {
    const rows = [...this.#list.children] as HTMLElement[];
    this.#active = index;
    for (const [at, row] of rows.entries()) row.setAttribute('aria-selected', String(at === index));
    const active = rows[index];
    if (active) {
      this.target.setAttribute('aria-activedescendant', active.id);
      active.scrollIntoView({ block: 'nearest' });
    } else this.target.removeAttribute('aria-activedescendant');
  }
}
