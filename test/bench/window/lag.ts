// The longest turn of a page meanwhile: how long it would have kept a key waiting. Works in the window and in webviews.
import type { Page } from 'playwright-core';

/** What runs a function in a page: Playwright's page, or a locator of its body. */
export type InPage = Pick<Page, 'evaluate'>;

interface WatchedPage {
  benchLag?: { timer: number; longest: number };
  setInterval(look: () => void, ms: number): number;
  clearInterval(timer: number): void;
}

/** Runs `act`. @returns the longest turn of the page meanwhile, in milliseconds. */
export async function lagWhile(page: InPage, act: () => Promise<unknown>): Promise<number> {
  await page.evaluate(watch);
  await act();
  return page.evaluate(longest);
}

/** Runs in the page. */
function watch(): void {
  const page = globalThis as unknown as WatchedPage;
  let last = performance.now();
  const lag = { longest: 0, timer: 0 };
  lag.timer = page.setInterval(() => {
    const now = performance.now();
    lag.longest = Math.max(lag.longest, now - last);
    last = now;
  }, 1);
  page.benchLag = lag;
}

/** Runs in the page. */
function longest(): number {
  const page = globalThis as unknown as WatchedPage;
  if (!page.benchLag) throw new Error('The page is not watched.');
  page.clearInterval(page.benchLag.timer);
  return page.benchLag.longest;
}
