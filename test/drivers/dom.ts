// What the drivers of the workbench share.
import { errors, type Locator, type Page } from 'playwright-core';
import { untilHolds, waitFor } from '../servers/spawn';
import { patience } from '../setup/patience';
import { waiting } from '../setup/spent';

/** The text as a person sees it: without what is hidden, with the line breaks of the layout. */
export function shownText(locator: Locator): Promise<string> {
  return locator.innerText();
}

/**
 * A function for `evaluate` from its text, as the types of a page are not those of the tests. Given the text itself, Playwright
 * would only evaluate it, and call nothing.
 */
export const inPage = <T>(text: string) =>
  new Function('element', `return (${text})(element)`) as (element: unknown) => T;

/** Resolves when the page has drawn what happened so far. */
export async function nextFrame(page: Page): Promise<void> {
  await page.evaluate('new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))');
}

/** A busy machine is no reason to fail. Less where `TEST_PATIENCE` says that it has little to do. */
export const defaultTimeoutMs = 60_000 * Math.min(1, patience());

/** Asked to wait for less than 2.5 s, Playwright looks every tenth of a second; for longer, every half. */
const lookMs = 2_400;

/** How long one attempt may take that is made again when a row was drawn anew below the mouse. */
export const attemptMs = 5_000;

/** What moves or is drawn anew for longer does so for ever. */
const restlessMs = 3_000;

/**
 * Resolves when nothing below an element has changed for a moment. Rows move while their list is filled or filtered, and a
 * click would hit the one that took the place of another.
 */
export async function settled(locator: Locator): Promise<void> {
  const look = `element => new Promise(done => {
    let quiet;
    const end = () => { observer.disconnect(); clearTimeout(quiet); clearTimeout(late); requestAnimationFrame(() => done()); };
    const wait = () => { clearTimeout(quiet); quiet = setTimeout(end, 60); };
    const observer = new MutationObserver(wait);
    const late = setTimeout(end, ${restlessMs});
    observer.observe(element, { subtree: true, childList: true, characterData: true, attributes: true });
    wait();
  })`;
  // Given up where the element itself has gone.
  await locator.evaluate(inPage(look), undefined, { timeout: 2 * attemptMs });
}

/** Polls as long as an attempt may take. */
export async function soon(condition: () => Promise<boolean>, what: string): Promise<void> {
  await waitFor(condition, { timeoutMs: attemptMs / patience(), what });
}

/** Does it again until it ends well. @param attempt bounded itself. @throws Error that says what was to be done. */
export async function persist(attempt: () => Promise<unknown>, what: string): Promise<void> {
  const isDone = async () => {
    await attempt();
    return true;
  };
  await waitFor(isDone, { timeoutMs: defaultTimeoutMs / patience(), what });
}

/**
 * Asserts until it holds: what a page shows follows what happened, and a busy machine draws late.
 * @throws the last failure of the assertion.
 */
export function eventually(assertion: () => Promise<unknown>): Promise<void> {
  return untilHolds(assertion, { timeoutMs: defaultTimeoutMs / patience() });
}

/** Clicks a button of a row, which is drawn while the mouse is over it. Its name may end with its key. */
export function clickInRow(row: Locator, button: string): Promise<void> {
  const name = new RegExp(`^${button.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}( \\(.+\\))?$`);
  return persist(async () => {
    await row.hover({ timeout: attemptMs });
    await row.getByRole('button', { name }).click({ timeout: attemptMs });
  }, `a click on "${button}"`);
}

/** Checks or unchecks a box, which is drawn anew when its list is. Default: the opposite of what it is. */
export async function check(box: Locator, wanted?: boolean): Promise<void> {
  const goal = wanted ?? !(await box.isChecked());
  const isSo = async () => (await box.isChecked({ timeout: attemptMs })) === goal;
  await persist(
    async () => {
      if (await isSo()) return;
      await box.click({ timeout: attemptMs });
      await soon(isSo, `a box to be ${goal ? 'checked' : 'unchecked'}`);
    },
    `a box to be ${goal ? 'checked' : 'unchecked'}`,
  );
}

/**
 * Resolves when an element has stayed what and where it is for a moment. Playwright looks at two frames; what is filled from
 * another process moves later, or is drawn anew between the press of the button and its release.
 */
async function atRest(locator: Locator): Promise<void> {
  const look = `element => new Promise(done => {
    let [before, same, looks] = ['', 0, 0];
    const look = () => {
      const { x, y, width, height } = element.getBoundingClientRect();
      const now = [x, y, width, height, element.isConnected, element.textContent].join();
      same = now === before ? same + 1 : 0;
      before = now;
      if (same === 4 || ++looks === 100) done();
      else setTimeout(look, 20);
    };
    look();
  })`;
  // What goes meanwhile is the click's to tell.
  await locator.evaluate(inPage(look), undefined, { timeout: attemptMs }).catch(() => undefined);
}

type Waiting = Pick<Locator, 'waitFor' | 'click'>;
const eager = new WeakSet<Waiting>();

/**
 * Resolves when what is in front has the focus: a list, an input or a dialog is drawn a moment before it takes the keys. Also when
 * it doesn't take them: a person may have gone elsewhere.
 */
async function inFocus(page: Page): Promise<void> {
  const look = `() => new Promise(done => {
    const end = performance.now() + ${restlessMs};
    const isSeen = element => element.getClientRects().length > 0;
    const look = () => {
      const inFront = [...document.querySelectorAll('.monaco-dialog-box, .quick-input-widget')].find(isSeen);
      if (!inFront || inFront.contains(document.activeElement) || performance.now() > end) done();
      else setTimeout(look, 15);
    };
    look();
  })`;
  // A page that goes meanwhile is the key's to tell.
  await page.evaluate(`(${look})()`).catch(() => undefined);
}

/** Keys of a page go to what is in front of it. */
export function keysInFront(page: Page): void {
  const { keyboard } = page;
  for (const name of ['press', 'type', 'insertText'] as const) {
    const act = keyboard[name].bind(keyboard);
    keyboard[name] = async (text: string, options?: object) => {
      await inFocus(page);
      await act(text, options);
    };
  }
}

/**
 * Lets the locators of this process notice within a tenth of a second what they wait for: most of what comes later than
 * at once took 0.8 s in each test, several times. And lets them click only what has come to rest.
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
        return await waiting(() => waitFor.call(this, { ...options, timeout: Math.min(left, lookMs) }));
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
    await atRest(this);
    return click.call(this, options);
  };
}

/** Fills a field of an app as a person does: without the click, the page around it takes the focus from it again. */
export async function fillInApp(field: Locator, text: string): Promise<void> {
  await field.click();
  await field.fill(text);
}
