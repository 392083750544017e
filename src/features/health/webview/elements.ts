// Builds what the page shows. Text is only ever text: nothing here reads HTML.

export function element<K extends keyof HTMLElementTagNameMap>(
  name: K,
  className = '',
  text = '',
): HTMLElementTagNameMap[K] {
  const made = document.createElement(name);
  if (className) made.className = className;
  if (text) made.textContent = text;
  return made;
}

export function svg<K extends keyof SVGElementTagNameMap>(
  name: K,
  attributes: Readonly<Record<string, string | number>>,
): SVGElementTagNameMap[K] {
  const made = document.createElementNS('http://www.w3.org/2000/svg', name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, String(value));
  return made;
}

export function fill(parent: Element, children: readonly Element[]): void {
  parent.replaceChildren(...children);
}

/** Leaves a text that is the same alone, so that screen readers do not repeat it. */
export function replaceText(target: Element, text: string): void {
  if (target.textContent !== text) target.textContent = text;
}
