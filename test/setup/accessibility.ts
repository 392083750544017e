// What axe finds in a page of ours, in any theme.
import * as assert from 'node:assert/strict';
import axe, { type AxeResults } from 'axe-core';
import type { Locator } from 'playwright-core';
import { inPage } from './dom';
import type { Workbench } from './workbench';

/** The body of each webview has one of these classes. */
const themes = {
  'Default Light Modern': 'vscode-light',
  'Dark Modern': 'vscode-dark',
  'Default High Contrast': 'vscode-high-contrast',
  'Default High Contrast Light': 'vscode-high-contrast-light',
} as const;

/** Light, dark, and both with high contrast. */
export const THEMES = Object.keys(themes) as (keyof typeof themes)[];

/** What the window itself has instead. */
const windowThemes = {
  'Default Light Modern': 'vs',
  'Dark Modern': 'vs-dark',
  'Default High Contrast': 'hc-black',
  'Default High Contrast Light': 'hc-light',
} as const;

/** Changes the colours of the window, and waits until it has them, and its page if it shows one. */
export async function useTheme(w: Workbench, theme: keyof typeof themes, hasPage = true): Promise<void> {
  await w.host.eval(
    (vscode, id) => vscode.workspace.getConfiguration().update('workbench.colorTheme', id, true),
    theme as string,
  );
  await w.page.locator(`.monaco-workbench.${windowThemes[theme]}`).waitFor();
  if (hasPage) await w.wb.webview().locator(`body.${themes[theme]}`).waitFor();
}

/** What its own rows and key bindings break, whoever fills them. */
const OF_THE_EDITOR = ['aria-allowed-attr', 'aria-prohibited-attr'];

/**
 * Fails with what axe finds in the `main` of the page that is shown, or in another part of the window.
 * @param looks how many of its rules must have had a say.
 */
export async function assertAccessible(w: Workbench, looks = 11, part?: Locator): Promise<void> {
  const main = part ?? w.wb.webview().locator('main');
  // Into the page alone: axe's own driver goes through every frame of the workbench, which takes ten times as long.
  await main.evaluate(inPage(`() => { ${axe.source} }`));
  const options = part ? { rules: Object.fromEntries(OF_THE_EDITOR.map(rule => [rule, { enabled: false }])) } : {};
  const run = `element => axe.run(element, ${JSON.stringify(options)})`;
  const found = await main.evaluate(inPage<Promise<AxeResults>>(run));
  const faults = found.violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, any }) => `${id}: ${html} ${any.map(({ message }) => message).join(' ')}`),
  );
  assert.deepEqual(faults, []);
  assert.ok(found.passes.length >= looks, `axe had ${found.passes.length} things to look at`);
}
