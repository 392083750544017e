// The workbench in the browser, driven as a person does. Selectors checked against VS Code 1.139.
import type { FrameLocator, Locator, Page } from 'playwright-core';
import { waitFor } from '../servers/spawn';
import type { Bridge } from './bridge';
import { Chat } from './chat';
import { attemptMs, check, clickInRow, defaultTimeoutMs, inPage, persist, settled, shownText, soon } from './dom';
import { Tree } from './tree';

/** Until a notification is looked for in their list. */
const toastMs = 30_000;

/** Until the hover of what the mouse has left is gone. */
const goneMs = 2_000;
/**
 * Tells hovers that are there from those to come. The editor makes an element for each, but fills the one of a text anew: what
 * another content comes into is another hover.
 */
const MARK_HOVERS = `for (const hover of document.querySelectorAll('.monaco-hover')) {
  const isThere = hover.checkVisibility({ visibilityProperty: true });
  hover.toggleAttribute('data-earlier', isThere);
  if (isThere)
    new MutationObserver((_, observer) => {
      hover.removeAttribute('data-earlier');
      observer.disconnect();
    }).observe(hover, { subtree: true, childList: true, characterData: true });
}`;

export class WorkbenchPage {
  /** QuickPick, InputBox and the command palette: the same widget. */
  readonly quickInput: Locator;
  /** A modal dialog. */
  readonly dialog: Locator;
  /** Notifications, progress ones too. */
  readonly notifications: Locator;
  readonly hovers: Locator;
  readonly chat: Chat;

  constructor(
    readonly page: Page,
    host: () => Bridge,
  ) {
    const visible = (selector: string) => page.locator(selector).filter({ visible: true });
    this.quickInput = visible('.quick-input-widget');
    this.dialog = visible('.monaco-dialog-box');
    this.notifications = visible('.notification-toast');
    this.hovers = visible('.monaco-hover');
    this.chat = new Chat(page, host);
  }

  /** The workbench is drawn. The extension host starts seconds later: wait for the bridge too. */
  async ready(): Promise<void> {
    await this.page.locator('.monaco-workbench').waitFor({ timeout: 60_000 });
    await this.page.locator('.statusbar-item').first().waitFor({ timeout: 60_000 });
  }

  // ---- command palette, QuickPick, InputBox

  /**
   * Runs a command by its title in the palette, as `Category: Title`.
   * @param opens a list or an input. Run again until it is there: what is restored after a reload takes the focus, which closes it.
   */
  async command(title: string, opens?: Locator): Promise<void> {
    const input = this.quickInput.locator('.quick-input-box input');
    // Another input may be open, or going; a window that is loading takes no key; and what opens takes the focus, which closes it.
    const isOpen = async () => (await input.inputValue({ timeout: attemptMs })).startsWith('>');
    const row = this.quickRow(title).first();
    let attempts = 0;
    await persist(async () => {
      // The editor's keys do not reach it from the page of an app: the focus is taken out of it.
      if (attempts++ > 0) await this.page.evaluate('document.activeElement?.blur()');
      await this.page.keyboard.press('F1');
      await soon(isOpen, 'the palette');
      await input.fill(`>${title}`, { timeout: attemptMs });
      await row.waitFor({ timeout: attemptMs });
      await settled(this.#list);
      await row.click({ timeout: attemptMs });
      await opens?.waitFor({ timeout: attemptMs });
    }, `the command ${title}`);
    // What is typed next is for what the command opens: the palette goes, or its input becomes that one's.
    const hasGone = async () => !(await input.isVisible()) || !(await isOpen());
    await waitFor(hasGone, { what: 'the palette to go' });
  }

  /** A row of the QuickPick by its label. Its `aria-label` is "label, description, detail"; its text is no good. */
  quickRow(label: string): Locator {
    const [exact, start] = [JSON.stringify(label), JSON.stringify(`${label},`)];
    return this.quickInput.locator(`.monaco-list-row[aria-label=${exact}], .monaco-list-row[aria-label^=${start}]`);
  }

  async pick(label: string): Promise<void> {
    await this.pickRow(this.quickRow(label));
  }

  get #list(): Locator {
    return this.quickInput.locator('.quick-input-list');
  }

  /** Chooses the uppermost of these rows, when the list has come to rest. It keeps its elements in another order. */
  async pickRow(rows: Locator): Promise<void> {
    const indexes = inPage<number[]>("rows => rows.map(row => Number(row.getAttribute('data-index')))");
    await persist(async () => {
      await rows.first().waitFor({ timeout: attemptMs });
      await settled(this.#list);
      const uppermost = Math.min(...(await rows.evaluateAll(indexes)));
      // Rows that came above it meanwhile have moved it.
      await rows.and(this.quickInput.locator(`[data-index="${uppermost}"]`)).click({ timeout: attemptMs });
    }, `a row to be chosen: ${rows}`);
  }

  /** Types into a list until it has such a row: what is typed into a list that has just come may be emptied once more. */
  async search(text: string, row: Locator = this.quickInput.locator('.monaco-list-row', { hasText: text })) {
    const input = this.quickInput.locator('.quick-input-box input');
    await persist(async () => {
      // The palette may still be going, with what was typed into it.
      await input.fill(text, { timeout: attemptMs });
      await row.first().waitFor({ timeout: attemptMs });
      await settled(this.#list);
      if ((await input.inputValue({ timeout: attemptMs })) !== text)
        throw new Error(`${text} is no longer in the input`);
    }, `${row} in the list for "${text}"`);
  }

  /** Types into a list, and chooses the first row with this text. */
  async searchAndPick(text: string, inRow: string | RegExp = text): Promise<void> {
    const rows = this.quickInput.locator('.monaco-list-row', { hasText: inRow });
    await this.search(text, rows);
    await this.pickRow(rows);
  }

  /** Types into a list of tools, prompts or resources, and chooses the one with this label. */
  async searchAndPickLabel(label: string, text = label): Promise<void> {
    await this.search(text, this.quickRow(label));
    await this.pick(label);
  }

  /** Changes the boxes of these rows, and accepts. */
  async pickMany(labels: string[]): Promise<void> {
    for (const label of labels) await check(this.quickRow(label).first().locator('.monaco-checkbox'));
    await this.quickInput.getByRole('button', { name: 'OK', exact: true }).click();
  }

  /** Clicks a button of a row of the QuickPick. */
  async quickAction(label: string, button: string): Promise<void> {
    await clickInRow(this.quickRow(label).first(), button);
  }

  /** The `aria-label` of each drawn row. */
  quickRows(): Promise<string[]> {
    const rows = this.quickInput.locator('.quick-input-list .monaco-list-row');
    // As they are seen: the list keeps its elements in another order.
    return rows.evaluateAll(elements =>
      (elements as unknown as { getAttribute(name: string): string | null }[])
        .sort((a, b) => Number(a.getAttribute('data-index')) - Number(b.getAttribute('data-index')))
        .map(e => e.getAttribute('aria-label') ?? ''),
    );
  }

  /** The drawn rows, once they have all of these labels. */
  async quickRowsWith(...labels: string[]): Promise<string[]> {
    let rows: string[] = [];
    const all = async () => {
      rows = await this.quickRows();
      return labels.every(label => rows.some(row => row === label || row.startsWith(`${label},`)));
    };
    await waitFor(all, { what: () => `${labels} in ${JSON.stringify(rows)}` });
    return rows;
  }

  /** The prompt, or what validation says of the input. */
  quickMessage(): Promise<string> {
    return shownText(this.quickInput.locator('.quick-input-message'));
  }

  /** Fills an InputBox, and accepts it unless told otherwise. */
  async input(text: string, { accept = true } = {}): Promise<void> {
    const input = this.quickInput.locator('.quick-input-box input');
    await input.fill(text);
    if (!accept) return;
    // As it is: an input that comes in the place of another is emptied once more.
    await waitFor(
      async () => {
        if ((await input.inputValue()) === text) return true;
        await input.fill(text);
        return false;
      },
      { what: `the input to have ${text}` },
    );
    await input.press('Enter');
  }

  /** Enter in what is asked or listed: a key goes where the focus is, which comes a moment after it is seen. */
  async accept(): Promise<void> {
    const focused = this.quickInput.locator(':focus');
    await persist(async () => {
      try {
        await focused.waitFor({ timeout: attemptMs });
      } catch (error) {
        // On a busy machine the editor may give it to what had it before the list that was here a moment ago.
        await this.quickInput.locator('.quick-input-box input').click({ timeout: attemptMs });
        throw error;
      }
    }, 'the focus to be in what is accepted');
    await this.page.keyboard.press('Enter');
  }

  /** Presses Escape until it has gone: it has the focus a moment after it is seen. */
  async dismiss(shown: Locator = this.quickInput): Promise<void> {
    await persist(async () => {
      await this.page.keyboard.press('Escape');
      await shown.first().waitFor({ state: 'hidden', timeout: attemptMs });
    }, 'what was shown to go with Escape');
  }

  // ---- side bar, status bar, editors

  /** Shows a view container of the activity bar. */
  async viewContainer(title: string): Promise<void> {
    const tab = this.activity(title);
    await tab.waitFor();
    await persist(async () => {
      if ((await tab.getAttribute('aria-selected')) !== 'true') await tab.click({ timeout: attemptMs });
      await this.page.locator('.part.sidebar .composite.title', { hasText: title }).waitFor({ timeout: attemptMs });
    }, `the view container ${title}`);
  }

  /** The icon of a view container in the activity bar. */
  activity(title: string): Locator {
    return this.page.locator('.part.activitybar').getByRole('tab', { name: title, exact: true });
  }

  tree(title: string): Tree {
    return new Tree(this.page, title);
  }

  /** An item of the status bar. @param id `<publisher>.<name>.<item id>`. */
  status(id: string): Locator {
    return this.page.locator(`[id=${JSON.stringify(id)}]`);
  }

  /** Clicks an item of the status bar, which opens a list. */
  async openFromStatus(id: string): Promise<void> {
    await persist(async () => {
      if (!(await this.quickInput.isVisible())) await this.status(id).click({ timeout: attemptMs });
      await this.quickInput.waitFor({ timeout: attemptMs });
    }, `the list of ${id}`);
  }

  /** The tab of an open editor. */
  tab(title: string): Locator {
    return this.page.locator('.part.editor').getByRole('tab', { name: title });
  }

  /** A webview's document. @param index among those that are visible. */
  webview(index = 0): FrameLocator {
    const outer = this.page.locator('iframe.webview.ready').filter({ visible: true }).nth(index);
    return outer.contentFrame().locator('iframe#active-frame').contentFrame();
  }

  // ---- hovers, menus, notifications, dialogs

  /**
   * Resolves with the text of the hover of something once it says what it must: at first it may be another one's, or the
   * editor's own. It is given up when its row is drawn anew below a mouse that rests, so the mouse moves there again, as a
   * person's would.
   */
  async hover(target: Locator, says: string | RegExp): Promise<string> {
    const later = this.page.locator('.monaco-hover:not([data-earlier])');
    const shown = later.filter({ visible: true, hasText: says }).first();
    const point = async () => {
      await this.page.mouse.move(2, 2);
      // One whose owner was drawn anew below it stays until the next takes its place: it must not be taken for that one.
      await this.hovers
        .first()
        .waitFor({ state: 'hidden', timeout: goneMs })
        .catch(() => undefined);
      await this.page.evaluate(MARK_HOVERS);
      await target.hover({ timeout: attemptMs });
      await shown.waitFor({ timeout: attemptMs }); // half a second; on a busy machine more
      return (await shownText(shown)).trim();
    };
    return waitFor(point, { what: `a hover that says ${says}` });
  }

  /** Opens the context menu of something; find its entries with `getByRole('menuitem')`. */
  async contextMenu(target: Locator): Promise<Locator> {
    const menu = this.page.locator('.monaco-menu').filter({ visible: true }).last();
    let isAsked = false;
    await persist(async () => {
      // One that came late is in front of the target.
      if (!isAsked || !(await menu.isVisible())) await target.click({ button: 'right', timeout: attemptMs });
      isAsked = true;
      await menu.waitFor({ timeout: attemptMs });
    }, 'a context menu');
    return menu;
  }

  /** Opens the context menu of something and chooses an entry. */
  async chooseInContextMenu(target: Locator, entry: string): Promise<void> {
    let menu = await this.contextMenu(target);
    let isClicked = false;
    await persist(async () => {
      if (isClicked && !(await menu.isVisible())) return;
      // It goes when something else takes the focus; and what took the place of the target has another one.
      if (!(await menu.isVisible())) menu = await this.contextMenu(target);
      // By its label: the name of an entry ends with its key.
      const entries = menu.getByRole('menuitem').filter({ has: this.page.getByText(entry, { exact: true }) });
      const submenus = menu.locator('[role=menuitem][aria-haspopup=true]');
      try {
        for (let at = 0; (await entries.count()) === 0 && at < (await submenus.count()); at++) {
          await submenus.nth(at).hover({ timeout: attemptMs });
          await entries.waitFor({ timeout: 2_000 }).catch(() => {});
        }
        // A menu takes no release of the button in its first tenth of a second, which on a busy machine takes longer.
        await entries.click({ delay: 150, timeout: attemptMs });
        isClicked = true;
      } catch (error) {
        await this.page.keyboard.press('Escape');
        throw error;
      }
      await menu.waitFor({ state: 'hidden', timeout: attemptMs });
    }, `"${entry}" of a context menu`);
  }

  /** What trees, lists of choices, notifications and dialogs say now, one after the other. */
  async shown(): Promise<string> {
    const parts = this.page.locator(
      '[role=tree], .quick-input-widget, .notification-toast, .monaco-dialog-box, iframe.webview',
    );
    const texts = await parts.filter({ visible: true }).allInnerTexts();
    return texts.map(text => text.replace(/\s*\n\s*/g, ' | ').slice(0, 1_000)).join('\n');
  }

  /** The notification that contains this text; find its buttons with `getByRole('button')`. */
  async notification(text: string | RegExp): Promise<Locator> {
    const toast = this.notifications.filter({ hasText: text }).first();
    const kept = this.page.locator('.notifications-center .notification-list-item', { hasText: text }).first();
    const shown = toast.or(kept).filter({ visible: true }).first();
    try {
      await shown.waitFor({ timeout: toastMs });
    } catch {
      // It goes after a quarter of a minute, in which a busy machine may not get to look; the list keeps it.
      if (!(await this.page.locator('.notifications-center').filter({ visible: true }).count()))
        await this.page.locator('[id="status.notifications"]').click();
      await shown.waitFor();
    }
    return shown;
  }

  /** What the modal dialog says. */
  async modal(): Promise<{ text: string; detail: string; buttons: string[] }> {
    await this.dialog.waitFor();
    const detail = this.dialog.locator('.dialog-message-detail');
    return {
      text: await shownText(this.dialog.locator('.dialog-message-text')),
      detail: (await detail.count()) > 0 ? await shownText(detail) : '',
      buttons: (await this.dialog.getByRole('button').allInnerTexts()).filter(Boolean),
    };
  }

  async answerModal(button: string): Promise<void> {
    await this.dialog.getByRole('button', { name: button, exact: true }).waitFor();
    const dialog = await this.dialog.elementHandle();
    await this.dialog.getByRole('button', { name: button, exact: true }).click();
    // Another question may be open in its place by now.
    await dialog?.waitForElementState('hidden', { timeout: defaultTimeoutMs });
  }
}
