// What a screen reader finds in a part of the window, as text.
import * as assert from 'node:assert/strict';
import type { Locator } from 'playwright-core';
import { eventually } from './dom';

/**
 * Fails unless the accessibility tree of the part has these lines (role, name and state, as Playwright writes them), in this order,
 * with others between them; one that ends with … may go on. Times are `<time>`, durations `<ms>`; what a row draws beside its name
 * is left out.
 */
export async function assertRead(part: Locator, expected: string): Promise<void> {
  await eventually(async () => {
    const tree = readable(await part.ariaSnapshot());
    const lines = tree.split('\n');
    let from = 0;
    for (const line of expected.trim().split('\n')) {
      const wanted = line.trim();
      const fits = (read: string) => (wanted.endsWith('…') ? read.startsWith(wanted.slice(0, -1)) : read === wanted);
      const at = lines.findIndex((read, index) => index >= from && fits(read));
      assert.ok(at >= 0, `no ${wanted} after ${lines[from - 1] ?? 'the beginning'} in\n${tree}`);
      from = at + 1;
    }
  });
}

const readable = (tree: string) =>
  tree
    .replace(/[\ue000-\uf8ff]/g, '') // icons are letters of a font
    .replace(/\b\d+:\d\d:\d\d [AP]M/g, '<time>')
    .replace(/\b[\d.]+ m?s\b/g, '<ms>')
    .split('\n')
    .map(line =>
      line
        .trim()
        .replace(/^(- treeitem ".*" (?:\[[^\]]+\] ?)+):.*$/, '$1')
        .replace(/^(- link) " +/, '$1 "'),
    )
    .join('\n');
