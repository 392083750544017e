import { el } from '../../../editor/webview/page';

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
