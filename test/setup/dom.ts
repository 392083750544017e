// What the drivers of the workbench share.
import { errors, type Locator, type Page } from 'playwright-core';
import { processWide } from './processWide';

/** The text as a person sees it: without what is hidden, with the line breaks of the layout. */
export function shownText(locator: Locator): Promise<string> {
  return locator.innerText();
}

/** Resolves when the page has drawn what happened so far. */
export async function nextFrame(page: Page): Promise<void> {
  await page.evaluate('new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))');
}

/** As long as Playwright itself waits. */
const defaultTimeoutMs = 30_000;
/** Asked to wait for less than 2.5 s, Playwright looks every tenth of a second; for longer, every half. */
const lookMs = 2_400;

type Waiting = Pick<Locator, 'waitFor' | 'click'>;
const eager = processWide('eager locators', () => new WeakSet<Waiting>());

/**
 * Lets the locators of this process notice within a tenth of a second what they wait for: most of what comes later than
 * at once took 0.8 s in each test, several times.
 */
export function noticeSoon(page: Page): void {
  const locators = Object.getPrototypeOf(page.locator('html')) as Waiting;
  if (eager.has(locators)) return;
  eager.add(locators);
  const { waitFor, click } = locators;
  locators.waitFor = async function (this: Locator, { timeout = defaultTimeoutMs, ...options } = {}) {
    const end = performance.now() + timeout;
    for (;;) {
      const left = Math.max(1, Math.ceil(end - performance.now()));
      try {
        return await waitFor.call(this, { ...options, timeout: Math.min(left, lookMs) });
      } catch (error) {
        if (!(error instanceof errors.TimeoutError)) throw error;
        if (performance.now() < end) continue;
        error.message = `After ${timeout} ms in all: ${error.message}`;
        throw error;
      }
    }
  };
  locators.click = async function (this: Locator, options) {
    await this.waitFor({ state: 'attached', timeout: options?.timeout });
    return click.call(this, options);
  };
}
