import { button, el, replaceText } from '../../../editor/webview/page';
import type { FromGalleryPage, GalleryDetails, GalleryList } from '../core/gallerySearch';
import type { Block } from '../core/registryText';

/** The server that is selected: who publishes it, what it runs, in which version, and the button that installs it. */
export class DetailsView {
  readonly element = el('section', { class: 'details' });
  readonly #back = button('', () => this.actions.leave(), 'back');
  readonly #choose = el('p', 'choose');
  readonly #content = el('div', 'content');
  #details: GalleryDetails | undefined;
  #shown = '';
  #way = 0;

  constructor(
    private readonly icons: IconViews,
    private readonly actions: { readonly post: (message: FromGalleryPage) => void; readonly leave: () => void },
  ) {
    this.element.append(this.#back, this.#choose, this.#content);
    this.element.addEventListener('keydown', event => {
      if (event.key !== 'Escape') return;
      event.preventDefault();
      this.actions.leave();
    });
    this.show(undefined);
  }

  label({ details, choose, back }: GalleryList['labels']): void {
    this.element.setAttribute('aria-label', details);
    replaceText(this.#choose, choose);
    replaceText(this.#back, back);
  }

  focus(): void {
    this.#content.querySelector<HTMLElement>('h2')?.focus();
  }

  show(details: GalleryDetails | undefined): void {
    const json = JSON.stringify(details) ?? '';
    if (json === this.#shown && json !== '') return;
    const isOther = details?.name !== this.#details?.name;
    // What had the focus has it again, by what it is.
    const focused = isOther ? undefined : (document.activeElement as HTMLElement | null)?.dataset.what;
    [this.#shown, this.#details] = [json, details];
    this.#back.hidden = this.#content.hidden = !details;
    this.#choose.hidden = details !== undefined;
    if (!details) {
      this.#content.replaceChildren();
      return;
    }
    const { all } = details.ways;
    const isUsable = (index: number) => all[index] !== undefined && all[index].refused === undefined;
    if (isOther || !isUsable(this.#way))
      this.#way = Math.max(
        0,
        all.findIndex(({ refused }) => refused === undefined),
      );
    this.#content.replaceChildren(...this.#contentOf(details, isUsable(this.#way)));
    if (isOther) this.element.scrollTop = 0;
    if (focused) this.#content.querySelector<HTMLElement>(`[data-what="${focused}"]`)?.focus();
  }

  #contentOf(details: GalleryDetails, isUsable: boolean): Element[] {
    const { name, title, initial, warning, description, facts, versions, ways, links, readme, note } = details;
    const heading = el('h2', { tabindex: '-1', 'data-what': 'title' }, title);
    const act = () => {
      const version = versions.all[versions.shown] ?? '';
      this.actions.post({ type: 'install', name, version, way: this.#way });
    };
    const install = button(details.install, act, 'main');
    install.dataset.what = 'install';
    install.disabled = !isUsable;
    return [
      el(
        'div',
        'head',
        this.icons.view(name, initial),
        el('div', '', heading, el('p', 'description', description)),
        install,
      ),
      ...(warning ? [el('p', 'warning', warning)] : []),
      this.#ways(ways),
      this.#versions(name, versions),
      el('dl', 'facts', ...facts.flatMap(({ label, value, note }) => [el('dt', '', label), factOf(value, note)])),
      el('ul', 'links', ...links.map(link => this.#link(name, link))),
      el('p', 'note', note),
      ...(readme.blocks.length > 0
        ? [el('h3', '', readme.label), el('div', 'readme', ...readmeOf(readme.blocks))]
        : []),
    ];
  }

  #ways({ label, all, none, refused: common }: GalleryDetails['ways']): Element {
    if (all.length === 0) return el('p', 'warning', none);
    const ways = all.map((way, index) => {
      const radio = el('input', { type: 'radio', name: 'way', id: `way-${index}`, 'data-what': `way-${index}` });
      radio.checked = index === this.#way;
      radio.disabled = way.refused !== undefined;
      radio.addEventListener('change', () => {
        this.#way = index;
      });
      const what = el('code', '', way.what);
      const asks = way.asks !== undefined && el('span', 'fact-note', way.asks);
      const refused = Boolean(way.refused) && el('span', 'refused', way.refused);
      const about = el('span', '', el('span', '', way.label), what, asks, refused);
      return el('label', { class: 'way', for: radio.id }, radio, about);
    });
    const why = common !== undefined && el('p', 'refused', common);
    return el('fieldset', '', el('legend', '', label), why, ...ways);
  }

  #versions(name: string, { label, all, shown, more, problem }: GalleryDetails['versions']): Element {
    const select = el('select', { id: 'version', 'data-what': 'version' });
    select.append(...all.map((version, index) => el('option', { value: index }, version)));
    select.value = String(shown);
    select.addEventListener('change', () => this.actions.post({ type: 'version', name, index: select.selectedIndex }));
    const load =
      more === undefined ? undefined : button(more, () => this.actions.post({ type: 'versions', name }), 'other');
    // The button is gone when they are there: the focus goes to what it led to.
    if (load) load.dataset.what = 'version';
    const shownVersion = load ? el('span', 'version', all[shown] ?? '') : select;
    const head = load ? el('span', 'label', label) : el('label', { for: 'version', class: 'label' }, label);
    const failure = problem !== undefined && el('p', { class: 'refused', role: 'alert' }, problem);
    return el('div', 'versions', head, shownVersion, load, failure);
  }

  #link(name: string, { link, label, address }: GalleryDetails['links'][number]): Element {
    const open = button(label, () => this.actions.post({ type: 'open', name, link }));
    open.dataset.what = link;
    return el('li', '', open, el('span', 'address', address));
  }
}

const factOf = (value: string, note: string | undefined): Element =>
  el('dd', '', value, note !== undefined && el('span', 'fact-note', note));

/** The blocks of a readme, items one after the other as one list. */
function readmeOf(blocks: readonly Block[]): Element[] {
  const made: Element[] = [];
  for (const { kind, text } of blocks) {
    const last = made.at(-1);
    if (kind === 'heading') made.push(el('h4', '', text));
    else if (kind === 'code') made.push(el('pre', '', text));
    else if (kind === 'text') made.push(el('p', '', text));
    else if (last?.tagName === 'UL') last.append(el('li', '', text));
    else made.push(el('ul', '', el('li', '', text)));
  }
  return made;
}

/** Icons of servers: the first letter of each until its picture is there. */
export class IconViews {
  /** Addresses of pictures within the page, by server. */
  readonly #urls = new Map<string, string>();

  /** Makes an element that is changed when the picture of the server comes. Decoration: readers have the name beside it. */
  view(name: string, initial: string): HTMLElement {
    const view = el('span', { class: 'icon', 'aria-hidden': 'true' }, initial);
    view.dataset.server = name;
    this.#draw(view);
    return view;
  }

  /** @param data a `data:` URI in base64, of an image that was checked. */
  set(name: string, data: string): void {
    const [, type, base64] = /^data:([\w/+-]+);base64,(.*)$/.exec(data) ?? [];
    if (type === undefined || base64 === undefined) return;
    const bytes = Uint8Array.from(atob(base64), character => character.charCodeAt(0));
    this.#forget(name);
    this.#urls.set(name, URL.createObjectURL(new Blob([bytes], { type })));
    for (const view of document.querySelectorAll<HTMLElement>('.icon'))
      if (view.dataset.server === name) this.#draw(view);
  }

  clear(): void {
    for (const name of this.#urls.keys()) this.#forget(name);
  }

  #forget(name: string): void {
    const url = this.#urls.get(name);
    if (url !== undefined) URL.revokeObjectURL(url);
    this.#urls.delete(name);
  }

  #draw(view: HTMLElement): void {
    const url = this.#urls.get(view.dataset.server ?? '');
    if (url === undefined) return;
    const picture = el('img', { alt: '' });
    const initial = view.textContent ?? '';
    // A picture that can't be drawn leaves the letter.
    picture.addEventListener('error', () => picture.replaceWith(initial));
    picture.addEventListener('load', () => view.classList.add('drawn'));
    picture.src = url;
    view.replaceChildren(picture);
  }
}
