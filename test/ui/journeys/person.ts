// Somebody at a window: does the steps of a journey, and counts what it costs them.
import type { Locator, Page } from 'playwright-core';
import { attemptMs, persist } from '../../drivers/dom';
import type { Workbench } from '../../drivers/workbench';

/** What a journey costs. `pages` are those that have to be filled in or read to go on. */
export interface Cost {
  clicks: number;
  questions: number;
  pages: number;
}

/** A page is used for one window after the other, and can be given a function once. */
const seenBy = new WeakMap<Page, { tell: (what: 'click' | 'question') => void }>();

/**
 * Reports clicks in the window itself, and modal dialogs. The document of a tab's page is written anew after scripts have run in it:
 * what is pressed there is counted by `pressInPage`.
 */
const WATCH = `(() => {
  if (window !== top || window.journeyIsWatched) return;
  window.journeyIsWatched = true;
  addEventListener('pointerdown', event => event.isTrusted && journeySaw('click'), true);
  const seen = new WeakSet();
  new MutationObserver(() => {
    for (const dialog of document.querySelectorAll('.monaco-dialog-box'))
      if (!seen.has(dialog)) seen.add(dialog) && journeySaw('question');
  }).observe(document, { subtree: true, childList: true });
})()`;

export class Person {
  readonly cost: Cost = { clicks: 0, questions: 0, pages: 0 };
  /** How long the steps took, without the pictures. */
  tookMs = 0;
  #isActing = false;
  #pictures = 0;

  private constructor(
    readonly w: Workbench,
    private readonly name: string,
  ) {}

  /** @param name of the journey, for its pictures. */
  static async at(w: Workbench, name: string): Promise<Person> {
    const person = new Person(w, name);
    const tell = (what: 'click' | 'question') => {
      if (person.#isActing) person.cost[what === 'click' ? 'clicks' : 'questions']++;
    };
    const seen = seenBy.get(w.page);
    if (seen) seen.tell = tell;
    else {
      const watched = { tell };
      seenBy.set(w.page, watched);
      await w.page.exposeFunction('journeySaw', (what: 'click' | 'question') => watched.tell(what));
      await w.page.addInitScript(WATCH);
    }
    await w.page.evaluate(WATCH);
    return person;
  }

  /** One step: counted and timed, then a picture. */
  async does(step: string, act: () => Promise<unknown>): Promise<void> {
    const began = Date.now();
    this.#isActing = true;
    try {
      await act();
    } catch (error) {
      throw new Error(`${step}: ${error instanceof Error ? error.message : error}`, { cause: error });
    } finally {
      this.#isActing = false;
      this.tookMs += Date.now() - began;
    }
    const picture = ['journey', this.name, ++this.#pictures, step].join(' ').replace(/\W+/g, '-').toLowerCase();
    await this.w.picture(picture);
  }

  /** Clicks something in the document of a tab's page. */
  async pressInPage(target: Locator): Promise<void> {
    await target.click();
    this.cost.clicks++;
  }

  /** Counts as one click what a busy machine may need several for. */
  async clicksOnce(act: () => Promise<unknown>): Promise<void> {
    const { clicks } = this.cost;
    await act();
    this.cost.clicks = clicks + 1;
  }

  /** Answers a question that is no modal dialog. */
  async answers(target: Locator): Promise<void> {
    await target.click();
    this.cost.questions++;
  }

  /** Opens the chat by its key, and asks as one types: the input has the focus. @returns the response. */
  async asks(question: string): Promise<Locator> {
    const { chat } = this.w.wb;
    const before = await chat.locator.locator('.interactive-response').count();
    const input = chat.locator.locator('.interactive-input-editor');
    await persist(async () => {
      await this.w.host.command('workbench.action.chat.open');
      await input.waitFor({ timeout: attemptMs });
      await this.w.page.keyboard.press('ControlOrMeta+a');
      await this.w.page.keyboard.insertText(question);
      if (!(await chat.isWritten(question.slice(0, 20)))) throw new Error('The question is not in the input.');
    }, 'the question to be written');
    // An open completion list would take the next key.
    await this.w.wb.dismiss(this.w.page.locator('.suggest-widget.visible'));
    await this.w.page.keyboard.press('Enter');
    const response = chat.locator.locator('.interactive-response').nth(before);
    await response.waitFor();
    return response;
  }
}
