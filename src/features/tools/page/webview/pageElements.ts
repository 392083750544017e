// Builds what the page shows. Text is only ever text: nothing here reads HTML.
import type { FromItemPage } from '../../core/page/itemPageMessages';

/** An element with children; texts become text nodes. */
export function el<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  className = '',
  ...children: readonly (Node | string)[]
): HTMLElementTagNameMap[K] {
  const made = document.createElement(tag);
  if (className) made.className = className;
  made.append(...children);
  return made;
}

export function button(label: string, onClick: () => void, className = ''): HTMLButtonElement {
  const made = el('button', className, label);
  made.type = 'button';
  made.addEventListener('click', onClick);
  return made;
}

/** Leaves a text that is the same alone, so that screen readers do not repeat it. */
export function replaceText(target: Element, text: string): void {
  if (target.textContent !== text) target.textContent = text;
}

/** Sends a message to the extension. */
export type Post = (message: FromItemPage) => void;

/** What stands on buttons and above sections, by name. */
export type Texts = (name: string) => string;
