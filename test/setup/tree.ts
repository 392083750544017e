// A tree view of the workbench, as a person reads it. Selectors checked against VS Code 1.139.
import type { Locator, Page } from 'playwright-core';
import { waitFor } from '../servers/spawn';
import { nextFrame } from './dom';

/** One row of a tree, as it is drawn. */
export interface TreeRow {
  index: number;
  /** 1 for the roots. */
  level: number;
  /** Undefined for a row that cannot be expanded. */
  expanded: boolean | undefined;
  label: string;
  description: string;
  /** What a screen reader says. */
  aria: string;
  /** Name of the codicon, such as `tools`; empty when there is none. */
  icon: string;
}

/** The parts of a DOM element that reading needs; the DOM's own types are not part of this program. */
interface Element {
  className: string;
  textContent: string | null;
  getAttribute(name: string): string | null;
  querySelector(selector: string): Element | null;
  querySelectorAll(selector: string): Iterable<Element>;
}

export class Tree {
  readonly locator: Locator;

  /** @param name the view's title. */
  constructor(
    private readonly page: Page,
    name: string,
  ) {
    this.locator = page.getByRole('tree', { name, exact: true });
  }

  /** The drawn row with exactly this label. */
  row(label: string): Locator {
    const exactly = new RegExp(`^${label.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}$`);
    return this.locator.getByRole('treeitem').filter({ has: this.page.locator('.label-name', { hasText: exactly }) });
  }

  /** Opens or closes a row, and waits until the tree shows it: when it opens, with what is below it. */
  async toggle(label: string): Promise<void> {
    const row = this.row(label).first();
    const before = await row.getAttribute('aria-expanded');
    await row.locator('.monaco-tl-twistie').click();
    await this.locator
      .locator(`[role=treeitem][aria-expanded=${before === 'true' ? 'false' : 'true'}]`)
      .filter({ has: this.page.locator('.label-name', { hasText: label }) })
      .first()
      .waitFor();
    if (before !== 'true') await this.isFilled(label);
  }

  /** Opens a row unless it is open, and waits for what is below it. */
  async expand(label: string): Promise<void> {
    await this.row(label).first().waitFor();
    if ((await this.row(label).first().getAttribute('aria-expanded')) !== 'true') await this.toggle(label);
    else await this.isFilled(label);
  }

  /** An open row is drawn as one before what is below it has come from the extension host. */
  private async isFilled(label: string): Promise<void> {
    const filled = async () => {
      const { rows, end } = await this.drawn();
      const parent = rows.find(row => row.label === label && row.expanded);
      const next = rows.find(({ index }) => parent && index === parent.index + 1);
      return parent && (next ? next.level > parent.level : !end); // else it is the last row, or below what is drawn
    };
    await waitFor(filled, { timeoutMs: 30_000, what: `rows below ${label}` });
  }

  /** Clicks an inline action of a row; they are drawn while the mouse is over it. */
  async action(label: string, title: string): Promise<void> {
    const row = this.row(label).first();
    const click = async () => {
      await row.hover();
      await row.getByRole('button', { name: title, exact: true }).click({ timeout: 2_000 });
    };
    // A banner or another row may come meanwhile, and the row is no longer below the mouse.
    const isDone = () =>
      click().then(
        () => true,
        () => false,
      );
    await waitFor(isDone, { timeoutMs: 30_000, what: `"${title}" of ${label}` });
  }

  /**
   * Every row, also those that the virtual list has not drawn yet: the keyboard moves through the list, as the mouse
   * wheel skips rows. Moves the focus to the tree.
   */
  async read(): Promise<TreeRow[]> {
    await this.locator.waitFor();
    await this.locator.focus();
    await this.page.keyboard.press('Home');
    const seen = new Map<number, TreeRow>();
    for (let page = 0; page < 500; page++) {
      await nextFrame(this.page);
      const { rows, end } = await this.drawn();
      for (const row of rows) seen.set(row.index, row);
      if (end) break;
      await this.page.keyboard.press('PageDown');
    }
    await this.page.keyboard.press('Home');
    return [...seen.values()].sort((a, b) => a.index - b.index);
  }

  /** The labels of all rows, indented by their level: handy to compare and to print. */
  async outline(): Promise<string[]> {
    return (await this.read()).map(({ level, label }) => '  '.repeat(level - 1) + label);
  }

  private async drawn(): Promise<{ rows: TreeRow[]; end: boolean }> {
    const drawn = await this.locator.getByRole('treeitem').evaluateAll(elements =>
      (elements as unknown as Element[]).map(element => {
        const text = (selector: string) => element.querySelector(selector)?.textContent ?? '';
        const classes = [...element.querySelectorAll('[class*=codicon-]')].map(icon => icon.className).join(' ');
        const expanded = element.getAttribute('aria-expanded');
        return {
          last: element.getAttribute('data-last-element') === 'true',
          row: {
            index: Number(element.getAttribute('data-index')),
            level: Number(element.getAttribute('aria-level')),
            expanded: expanded === null ? undefined : expanded === 'true',
            label: text('.label-name'),
            description: text('.label-description'),
            aria: element.getAttribute('aria-label') ?? '',
            icon: /codicon-(?!tree-item|colored)([\w-]+)/.exec(classes)?.[1] ?? '',
          },
        };
      }),
    );
    return { rows: drawn.map(({ row }) => row), end: drawn.length === 0 || drawn.some(({ last }) => last) };
  }
}
