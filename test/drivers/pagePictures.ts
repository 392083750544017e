// Pictures of a whole page of ours at two widths, and what a person could not read there.
import * as assert from 'node:assert/strict';
import * as path from 'node:path';
import { waitFor } from '../servers/spawn';
import { artifacts } from '../setup/paths';
import { inPage, nextFrame } from './dom';
import type { Workbench } from './workbench';

/** Of the page, in pixels: an editor of a large window, and one beside another. */
const WIDTHS = { wide: 1_280, narrow: 420 };
const MOST_HEIGHT = 2_400;

/**
 * Takes pictures of the page that is shown, as high as its content, in `<name>-wide.png` and `<name>-narrow.png`. Fails with each
 * text that is cut at the edge of the page, or of a part that doesn't scroll, and with each short word that is broken. The window
 * gets its size back.
 */
export async function picturesOfPage(w: Workbench, name: string): Promise<void> {
  const before = w.page.viewportSize()!;
  const faults: string[] = [];
  for (const [size, width] of Object.entries(WIDTHS)) {
    await resize(w, width);
    for (const fault of await main(w).evaluate(inPage<string[]>(UNREADABLE))) faults.push(`${size}: ${fault}`);
    await w.page.mouse.move(2, 2); // no hover in the picture
    const clip = await frame(w);
    await w.page.screenshot({ path: path.join(artifacts(), `${name}-${size}.png`), clip });
  }
  await w.page.setViewportSize(before);
  assert.deepEqual(faults, []);
}

const main = (w: Workbench) => w.wb.webview().locator('main');

/** Where the window shows the page. */
async function frame(w: Workbench) {
  const box = await w.page.locator('iframe.webview.ready').filter({ visible: true }).first().boundingBox();
  assert.ok(box, 'a page');
  return box;
}

/** Gives the window the size in which the page has this width, and no scroll bar if it is not too high. */
async function resize(w: Workbench, width: number): Promise<void> {
  const size = inPage<{ width: number; height: number }>(
    '() => ({ width: innerWidth, height: document.documentElement.scrollHeight })',
  );
  for (const last of [false, true]) {
    const [box, window] = [await frame(w), w.page.viewportSize()!];
    const { height } = await main(w).evaluate(size);
    await w.page.setViewportSize({
      width: Math.round(window.width + width - box.width),
      height: Math.round(window.height + Math.min(last ? height : box.height, MOST_HEIGHT) - box.height),
    });
    const fits = async () => Math.abs((await main(w).evaluate(size)).width - width) < 3;
    await waitFor(fits, { what: () => `the page to be ${width} wide` });
  }
  await nextFrame(w.page);
}

/**
 * Texts that are cut, and words that are broken unless they are part of something long. What scrolls, or ends in an ellipsis, is
 * not cut.
 */
const UNREADABLE = `main => {
  const faults = new Set();
  const isRead = element => {
    const { visibility, clipPath } = getComputedStyle(element);
    return visibility === 'visible' && clipPath === 'none';
  };
  const cutAt = element => {
    for (let parent = element; parent; parent = parent.parentElement) {
      const style = getComputedStyle(parent);
      if (/auto|scroll/.test(style.overflowX) || style.textOverflow === 'ellipsis' || style.webkitLineClamp !== 'none') return;
      if (/hidden|clip/.test(style.overflowX)) return parent.getBoundingClientRect();
    }
    return { left: 0, right: document.documentElement.clientWidth };
  };
  const walker = document.createTreeWalker(main, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const element = node.parentElement;
    if (!node.data.trim() || !element.checkVisibility() || !isRead(element) || element.closest('option')) continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    const { left, right, width } = range.getBoundingClientRect();
    const edge = width > 1 && cutAt(element);
    if (edge && (right > edge.right + 1 || left < edge.left - 1)) faults.add('cut: ' + node.data.trim().slice(0, 80));
    for (const { 0: token, index: start } of node.data.matchAll(/\\S+/g)) {
      for (const { 0: word, index } of token.length > 24 ? [] : token.matchAll(/\\p{L}+/gu)) {
        range.setStart(node, start + index);
        range.setEnd(node, start + index + word.length);
        if (new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size > 1)
          faults.add('broken: ' + word + ' in ' + node.data.trim().slice(0, 80));
      }
    }
  }
  return [...faults].slice(0, 20);
}`;
