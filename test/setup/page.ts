// The workbench in the browser, driven as a person does. Selectors checked against VS Code 1.139.
import type { FrameLocator, Locator, Page } from 'playwright-core';
import { waitFor } from '../servers/spawn';
import { Chat } from './chat';
import { shownText } from './dom';
import { Tree } from './tree';

/** A hover comes after half a second; on a busy machine later. */
const hoverMs = 5_000;

export class WorkbenchPage {
  /** QuickPick, InputBox and the command palette: the same widget. */
  readonly quickInput: Locator;
  /** A modal dialog. */
  readonly dialog: Locator;
  /** Notifications, progress ones too. */
  readonly notifications: Locator;
  readonly hovers: Locator;
  readonly chat: Chat;

  constructor(readonly page: Page) {
    const visible = (selector: string) => page.locator(selector).filter({ visible: true });
    this.quickInput = visible('.quick-input-widget');
    this.dialog = visible('.monaco-dialog-box');
    this.notifications = visible('.notification-toast');
    this.hovers = visible('.monaco-hover');
    this.chat = new Chat(page);
  }

  /** The workbench is drawn. The extension host starts seconds later: wait for the bridge too. */
  async ready(): Promise<void> {
    await this.page.locator('.monaco-workbench').waitFor({ timeout: 60_000 });
    await this.page.locator('.statusbar-item').first().waitFor({ timeout: 60_000 });
  }

  // ---- command palette, QuickPick, InputBox

  /** Runs a command by its title in the palette, as `Category: Title`. */
  async command(title: string): Promise<void> {
    await this.page.keyboard.press('F1');
    const input = this.quickInput.locator('.quick-input-box input');
    await input.waitFor();
    await input.fill(`>${title}`);
    await this.quickRow(title).first().click();
  }

  /** A row of the QuickPick by its label. Its `aria-label` is "label, description, detail"; its text is no good. */
  quickRow(label: string): Locator {
    const [exact, start] = [JSON.stringify(label), JSON.stringify(`${label},`)];
    return this.quickInput.locator(`.monaco-list-row[aria-label=${exact}], .monaco-list-row[aria-label^=${start}]`);
  }

  async pick(label: string): Promise<void> {
    await this.quickRow(label).first().click();
  }

  async pickMany(labels: string[]): Promise<void> {
    for (const label of labels) await this.quickRow(label).first().locator('.monaco-checkbox').click();
    await this.quickInput.getByRole('button', { name: 'OK', exact: true }).click();
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
    await waitFor(all, { timeoutMs: 10_000, what: () => `${labels} in ${JSON.stringify(rows)}` });
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
    if (accept) await input.press('Enter');
  }

  // ---- side bar, status bar, editors

  /** Shows a view container of the activity bar. */
  async viewContainer(title: string): Promise<void> {
    const tab = this.activity(title);
    await tab.waitFor();
    if ((await tab.getAttribute('aria-selected')) !== 'true') await tab.click();
    await this.page.locator('.part.sidebar .composite.title', { hasText: title }).waitFor();
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
   * The text of the hover of something; of several, of the one that contains a text. The editor gives a hover up when its row
   * is drawn anew below a mouse that rests, so the mouse moves there again, as a person's would.
   */
  async hover(target: Locator, text?: string): Promise<string> {
    // What is made when it is asked for takes a moment.
    const shown = this.hovers.filter({ hasText: text, hasNotText: /^Loading\.\.\.$/ }).first();
    const point = async () => {
      await this.page.mouse.move(2, 2); // an earlier hover must be gone
      await this.hovers.first().waitFor({ state: 'hidden' });
      await target.hover();
      await shown.waitFor({ timeout: hoverMs });
      return (await shownText(shown)).trim();
    };
    return waitFor(point, { timeoutMs: 30_000, what: 'a hover' });
  }

  /** Opens the context menu of something; find its entries with `getByRole('menuitem')`. */
  async contextMenu(target: Locator): Promise<Locator> {
    await target.click({ button: 'right' });
    const menu = this.page.locator('.monaco-menu').filter({ visible: true }).last();
    await menu.waitFor();
    return menu;
  }

  /** Opens the context menu of something and chooses an entry. */
  async chooseInContextMenu(target: Locator, entry: string): Promise<void> {
    const menu = await this.contextMenu(target);
    // A menu takes no release of the button in its first tenth of a second.
    await menu.getByRole('menuitem', { name: entry, exact: true }).click({ delay: 150 });
    await menu.waitFor({ state: 'hidden' });
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
    const notification = this.notifications.filter({ hasText: text }).first();
    await notification.waitFor();
    return notification;
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
    await this.dialog.getByRole('button', { name: button, exact: true }).click();
    await this.dialog.waitFor({ state: 'hidden' });
  }
}
