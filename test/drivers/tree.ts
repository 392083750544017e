// A tree view of the workbench, as a person reads it. Selectors checked against VS Code 1.139.
import type { Locator, Page } from 'playwright-core';
import { waitFor } from '../servers/spawn';
import { attemptMs, clickInRow, nextFrame, persist, soon } from './dom';

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

  /** Closes a row unless it is closed. */
  async collapse(label: string): Promise<void> {
    await this.row(label).first().waitFor();
    await this.setOpen(label, false);
  }

  /** Clicks a row until that has brought what it should: one that is drawn anew below the mouse takes no click. */
  async open(label: string, brings: Locator): Promise<void> {
    await this.row(label).first().waitFor();
    await persist(async () => {
      await this.row(label).first().click({ timeout: attemptMs });
      await brings.first().waitFor({ timeout: attemptMs });
    }, `what a click on the row ${label} brings`);
  }

  /** Opens a row unless it is open, and waits for what is below it. */
  async expand(label: string): Promise<void> {
    await this.row(label).first().waitFor();
    await this.setOpen(label, true);
  }

  private async isOpen(label: string): Promise<boolean> {
    return (await this.row(label).first().getAttribute('aria-expanded', { timeout: attemptMs })) === 'true';
  }

  /**
   * A row may be drawn anew, or another take its place, while the mouse is on its way; and a click that was given up may still have
   * its effect, after that of the next one. What was clicked is looked at, until it is so and what is below it is there.
   */
  private async setOpen(label: string, open: boolean): Promise<void> {
    const wanted = open ? 'open' : 'closed';
    const isSo = async () => (await this.isOpen(label)) === open;
    await persist(async () => {
      if (!(await isSo())) {
        await this.row(label).first().locator('.monaco-tl-twistie').click({ timeout: attemptMs });
        await soon(isSo, `${label} to be ${wanted}`);
      }
      if (open) await soon(() => this.isFilled(label), `rows below ${label}`);
    }, `the row ${label} to be ${wanted}`);
  }

  /** An open row is drawn as one before what is below it has come from the extension host. */
  private async isFilled(label: string): Promise<boolean> {
    const { rows, end } = await this.drawn();
    const parent = rows.find(row => row.label === label && row.expanded);
    const next = rows.find(({ index }) => parent && index === parent.index + 1);
    return parent !== undefined && (next ? next.level > parent.level : !end); // else it is the last row, or below what is drawn
  }

  /** Clicks an inline action of a row; they are drawn while the mouse is over it. */
  action(label: string, title: string): Promise<void> {
    return clickInRow(this.row(label).first(), title);
  }

  /**
   * Every row, also those that the virtual list has not drawn yet: the keyboard moves through the list, as the mouse
   * wheel skips rows. Moves the focus to the tree.
   */
  async read(): Promise<TreeRow[]> {
    await this.locator.waitFor();
    let rows: Map<number, TreeRow> | undefined;
    const isRead = async () => {
      rows = await this.readOnce();
      return rows !== undefined;
    };
    await waitFor(isRead, { what: 'the rows, which change all the time' });
    return [...(rows ?? new Map<number, TreeRow>()).values()].sort((a, b) => a.index - b.index);
  }

  /** @returns undefined when rows came or went meanwhile, or the end was not reached. */
  private async readOnce(): Promise<Map<number, TreeRow> | undefined> {
    // To the tree and to nothing else: a notification or an editor that opens may take the focus.
    await this.locator.press('Home');
    const seen = new Map<number, TreeRow>();
    for (let page = 0; page < 500; page++) {
      await nextFrame(this.page);
      const { rows, end } = await this.drawn();
      for (const row of rows) {
        const before = seen.get(row.index);
        if (before && (before.label !== row.label || before.level !== row.level)) return undefined;
        seen.set(row.index, row);
      }
      if (end) {
        await this.locator.press('Home');
        return seen;
      }
      await this.locator.press('PageDown');
    }
    return undefined;
  }

  /** The labels of all rows, indented by their level: handy to compare and to print. */
  async outline(): Promise<string[]> {
    return (await this.read()).map(({ level, label }) => '  '.repeat(level - 1) + label);
  }

  private async drawn(): Promise<{ rows: TreeRow[]; end: boolean }> {
    // Not those that stick to the top: they are drawn once more below.
    const drawn = await this.locator.locator('.monaco-list-rows [role=treeitem]').evaluateAll(elements =>
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
