// What the drivers of the workbench share.
import type { Locator, Page } from 'playwright-core';

/** The text as a person sees it: without what is hidden, with the line breaks of the layout. */
export function shownText(locator: Locator): Promise<string> {
  return locator.innerText();
}

/** Resolves when the page has drawn what happened so far. */
export async function nextFrame(page: Page): Promise<void> {
  await page.evaluate('new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))');
}
