// The chat view of the workbench. Selectors checked against VS Code 1.139.
import type { Locator, Page } from 'playwright-core';
import type { Bridge } from './bridge';
import { attemptMs, persist, shownText, soon } from './dom';

/** The answers of this name to the questions in a response, in order: one of a question is a button, the others are links. */
export const answersNamed = (response: Locator, name: string): Locator =>
  response.getByRole('button', { name, exact: true }).or(response.getByRole('link', { name, exact: true }));

/** Clicks one of them: that of the nth question. The answers of earlier ones stay, and answer nothing. */
export const clickAnswer = (response: Locator, name: string, question = 1): Promise<void> =>
  answersNamed(response, name)
    .nth(question - 1)
    .click();

/** The text of an answer; code blocks have unbreakable spaces. */
export const said = async (response: Locator): Promise<string> => (await shownText(response)).replaceAll('\u00a0', ' ');

export class Chat {
  readonly locator: Locator;

  constructor(
    private readonly page: Page,
    private readonly host: () => Bridge,
  ) {
    this.locator = page.locator('.interactive-session').filter({ visible: true }).first();
  }

  /** The name of the model in the picker, once models are resolved. */
  readonly model = () => shownText(this.#picker);

  get #picker(): Locator {
    return this.locator.locator('.model-picker-name');
  }

  /** By the editor's command: its list is filled anew while models are resolved, and has most of them in a folded section. */
  async pickModel(name: string): Promise<void> {
    await persist(async () => {
      await this.host().eval(async (vscode, wanted) => {
        const model = (await vscode.lm.selectChatModels()).find(one => one.name === wanted);
        if (!model) return;
        const { vendor, id, family } = model;
        await vscode.commands.executeCommand('workbench.action.chat.changeModel', { vendor, id, family });
      }, name);
      await soon(async () => (await this.model()) === name, `the model ${name}`);
    }, `the model ${name} to be chosen`);
  }

  get #input(): Locator {
    return this.locator.locator('.interactive-input-editor .monaco-editor').first();
  }

  /** Whether the input has this text. Spaces do not count: it breaks lines wherever a long word begins. */
  async isWritten(text: string): Promise<boolean> {
    const squeezed = (written: string) => written.replace(/\s+/g, '');
    const lines = await this.#input.locator('.view-line').evaluateAll(elements =>
      (elements as unknown as { offsetTop: number; textContent: string }[])
        .sort((a, b) => a.offsetTop - b.offsetTop) // an editor keeps its lines in any order
        .map(({ textContent }) => textContent),
    );
    return squeezed(lines.join('')).includes(squeezed(text));
  }

  /** Types a question and sends it. @returns the whole response, once it is complete. */
  async ask(text: string, timeoutMs = 60_000): Promise<Locator> {
    const response = await this.send(text);
    await response
      .and(this.page.locator('.interactive-response:not(.chat-response-loading)'))
      .waitFor({ timeout: timeoutMs });
    await this.locator.locator('.codicon-stop-circle').waitFor({ state: 'hidden', timeout: timeoutMs });
    return response;
  }

  /** As `ask`, without waiting for the end: for responses that ask something back. */
  async send(text: string): Promise<Locator> {
    const before = await this.#lastIndex();
    const start = text.slice(0, 20).split('\n', 1)[0] ?? '';
    await persist(async () => {
      await this.#input.click({ timeout: attemptMs });
      await this.page.keyboard.press('ControlOrMeta+a');
      await this.page.keyboard.press('Delete');
      await this.page.keyboard.insertText(text); // key by key it took as long as the answer
      await soon(() => this.isWritten(start), 'the question in the input');
    }, 'the question to be written');
    await this.page.keyboard.press('Escape'); // an open completion list would take the next key
    await this.locator.locator('.interactive-input-part').getByRole('button', { name: /^Send/ }).first().click();
    // The request is the next row, its response the one after. Only rows in view are drawn, so they can't be counted.
    const response = this.locator.locator(`.monaco-list-row[data-index="${before + 2}"] .interactive-response`);
    await response.waitFor();
    return response;
  }

  /** Index of the last row of the conversation; -1 when there is none. */
  #lastIndex(): Promise<number> {
    return this.locator
      .locator('.interactive-list .monaco-list-row')
      .evaluateAll(rows =>
        Math.max(
          -1,
          ...(rows as unknown as { getAttribute(name: string): string }[]).map(row =>
            Number(row.getAttribute('data-index')),
          ),
        ),
      );
  }
}
