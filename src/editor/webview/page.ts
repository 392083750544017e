import { writeNumbersIn } from '../../base/numberText';

/** The page's way to the extension. */
export interface Editor<From, State> {
  postMessage(message: From): void;
  /** The page's state while it is unloaded. Restored tabs keep it over a reload of the window too. */
  getState(): State | undefined;
  setState(state: State): void;
}
declare function acquireVsCodeApi<From, State>(): Editor<From, State>;

/** Connects a page with the extension's `WebviewPage`, once. The page sends `ready` when it can receive. */
export function connect<To, From, State = never>(receive: (message: To) => void): Editor<From, State> {
  writeNumbersIn(document.documentElement.lang);
  const editor = acquireVsCodeApi<From | { type: 'taken'; delivery: number }, State>();
  addEventListener('message', (event: MessageEvent<To & { readonly delivery?: number }>) => {
    // The editor's messages come from the frame around the page, which has the same origin. Frames inside have another: of theirs,
    // nothing is read, because that takes as long as they like.
    if (event.origin !== self.origin) return;
    const { data } = event;
    receive(data);
    const { delivery } = data;
    if (delivery !== undefined) whenDrawn(() => editor.postMessage({ type: 'taken', delivery }));
  });
  return editor;
}

/** Pages that are out of sight are not drawn. */
function whenDrawn(then: () => void): void {
  if (document.hidden) setTimeout(then);
  else requestAnimationFrame(() => setTimeout(then));
}

// Builds what pages show. Text is only ever text: nothing here reads HTML.

type Attributes = Readonly<Record<string, string | number>>;
/** What is false or undefined is left out. */
type Children = readonly (Node | string | false | undefined)[];

/** Makes an element. @param attributes a string is its class. */
export function el<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes | string = '',
  ...children: Children
): HTMLElementTagNameMap[K] {
  return filled(document.createElement(tag), attributes, children);
}

export function svg<K extends keyof SVGElementTagNameMap>(
  tag: K,
  attributes: Attributes | string = '',
  ...children: Children
): SVGElementTagNameMap[K] {
  return filled(document.createElementNS('http://www.w3.org/2000/svg', tag), attributes, children);
}

function filled<E extends Element>(made: E, attributes: Attributes | string, children: Children): E {
  const named = typeof attributes !== 'string' ? attributes : attributes ? { class: attributes } : {};
  for (const [name, value] of Object.entries(named)) made.setAttribute(name, String(value));
  made.append(...children.filter(child => child !== false && child !== undefined));
  return made;
}

export function button(content: Node | string, onClick: () => void, className = ''): HTMLButtonElement {
  const made = el('button', className, content);
  made.type = 'button';
  made.addEventListener('click', onClick);
  return made;
}

/** Leaves a text that is the same alone, so that screen readers do not repeat it. */
export function replaceText(target: Element, text: string): void {
  if (target.textContent !== text) target.textContent = text;
}

/** Shows a text in an element that is hidden while it has none. A text that is the same is left alone. */
export function showText(target: HTMLElement, text: string): void {
  replaceText(target, text);
  target.hidden = text === '';
}

/** Makes an element that scrolls reachable by keyboard, and names it. */
export function makeScrollable(target: HTMLElement, label: string): void {
  target.tabIndex = 0;
  target.setAttribute('role', 'region');
  target.setAttribute('aria-label', label);
}
