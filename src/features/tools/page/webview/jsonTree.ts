import { isObject } from '../../../../base/json';
import { visible } from '../../../../base/text';
import { button, el } from '../../../../editor/webview/page';

/** The most members of one list or object that are added at once. */
const AT_ONCE = 200;
/** Small ones are open from the start. */
const OPEN = 20;
const MAX_TEXT = 10_000;

/** Reads JSON without rounding whole numbers that are too large for a number. */
export function parseExactly(json: string): unknown {
  const revive = (_: string, value: unknown, context?: { source?: string }) => {
    const source = context?.source;
    const isRounded = typeof value === 'number' && Number.isInteger(value) && !Number.isSafeInteger(value);
    return isRounded && source !== undefined && /^-?\d+$/.test(source) ? BigInt(source) : value;
  };
  return JSON.parse(json, revive as (key: string, value: unknown) => unknown);
}

/** A value as a tree that is opened with keys or clicks. What is below a row is made when it is opened. */
export function jsonTree(value: unknown, moreText: string): HTMLElement {
  return el('div', 'tree', nodeOf(undefined, value, moreText, true));
}

/** A value that has no parts, as text. */
export function scalarText(value: unknown): string {
  if (typeof value === 'string') return visible(value, MAX_TEXT);
  if (typeof value === 'object' && value !== null) return visible(JSON.stringify(value, stringOfLarge), 300);
  return value === undefined ? '' : String(value);
}

const stringOfLarge = (_: string, value: unknown) => (typeof value === 'bigint' ? String(value) : value);

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
