// The chat view of the workbench. Selectors checked against VS Code 1.139.
import type { Locator, Page } from 'playwright-core';
import { shownText } from './dom';

export class Chat {
  readonly locator: Locator;

  constructor(private readonly page: Page) {
    this.locator = page.locator('.interactive-session').filter({ visible: true }).first();
  }

  /** The name of the model in the picker, once models are resolved. */
  readonly model = () => shownText(this.locator.locator('.model-picker-name'));

  async pickModel(name: string): Promise<void> {
    const picker = this.locator.locator('.model-picker-name');
    if ((await shownText(picker)) === name) return;
    await picker.click();
    const list = this.page.locator('.action-widget').filter({ visible: true });
    await list.waitFor();
    await this.page.keyboard.type(name); // most models are in a folded section, which typing opens
    await list
      .locator(`.monaco-list-row[role=option][aria-label^=${JSON.stringify(name)}]`)
      .first()
      .click();
    await this.locator.locator('.model-picker-name', { hasText: name }).waitFor();
  }

  /** Types a question and sends it. @returns the whole response, once it is complete. */
  async ask(text: string, timeoutMs = 30_000): Promise<Locator> {
    const response = await this.send(text);
    await response
      .and(this.page.locator('.interactive-response:not(.chat-response-loading)'))
      .waitFor({ timeout: timeoutMs });
    await this.locator.locator('.codicon-stop-circle').waitFor({ state: 'hidden', timeout: timeoutMs });
    return response;
  }

  /** As `ask`, without waiting for the end: for responses that ask something back. */
  async send(text: string): Promise<Locator> {
    const responses = this.locator.locator('.interactive-response');
    const count = await responses.count();
    await this.locator.locator('.interactive-input-editor .monaco-editor').first().click();
    await this.page.keyboard.press('ControlOrMeta+a');
    await this.page.keyboard.press('Delete');
    await this.page.keyboard.type(text, { delay: 5 });
    await this.page.keyboard.press('Escape'); // an open completion list would take the next key
    await this.locator.getByRole('button', { name: /^Send/ }).first().click();
    const response = responses.nth(count);
    await response.waitFor();
    return response;
  }
}
