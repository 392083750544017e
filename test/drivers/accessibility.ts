// What axe finds in a page of ours, in any theme.
import * as assert from 'node:assert/strict';
import axe, { type RunOptions } from 'axe-core';
import type { Locator } from 'playwright-core';
import { inPage } from './dom';
import { picturesOfPage } from './pagePictures';
import { takesPictures, type Workbench } from './workbench';

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

/** Takes a picture of a light window in the dark, if pictures are taken: to change the theme is what costs. */
export async function pictureInDark(w: Workbench, name: string): Promise<void> {
  if (!takesPictures()) return;
  await useTheme(w, 'Dark Modern', false);
  await w.picture(name);
  await useTheme(w, 'Default Light Modern', false);
}

/** What its own rows and key bindings break, whoever fills them. */
const OF_THE_EDITOR = ['aria-allowed-attr', 'aria-prohibited-attr'];

interface Looked {
  readonly faults: readonly string[];
  /** How many rules had something to look at. */
  readonly passes: number;
}

/**
 * Fails with what axe finds in the `main` of the page that is shown, or in another part of the window.
 * @param looks how many of its rules must have had a say.
 */
export async function assertAccessible(w: Workbench, looks = 11, part?: Locator): Promise<void> {
  const rules = part ? Object.fromEntries(OF_THE_EDITOR.map(rule => [rule, { enabled: false }])) : {};
  await assertNoFaults(part ?? w.wb.webview().locator('main'), { rules }, looks);
}

/** The same for colours alone: what else there is is alike in all themes. */
export const assertReadable = (w: Workbench, part?: Locator): Promise<void> =>
  assertNoFaults(part ?? w.wb.webview().locator('main'), { runOnly: ['color-contrast'] }, 1);

/** Fails with what axe finds in the page that is shown, in any theme; takes pictures in each, wide and narrow. */
export async function assertAccessibleInThemes(w: Workbench, picture: string, looks?: number): Promise<void> {
  for (const theme of THEMES) {
    await useTheme(w, theme);
    await (theme === THEMES[0] ? assertAccessible(w, looks) : assertReadable(w));
    await picturesOfPage(w, `${picture}-${theme.toLowerCase().replaceAll(' ', '-')}`);
  }
}

async function assertNoFaults(element: Locator, options: RunOptions, looks: number): Promise<void> {
  // Into the page alone: axe's own driver goes through every frame of the workbench, which takes ten times as long.
  if (!(await element.evaluate(inPage<boolean>("() => 'axe' in window"))))
    await element.evaluate(inPage(`() => { ${axe.source} }`));
  const run = `async element => {
    const { violations, passes } = await axe.run(element, ${JSON.stringify({ ...options, resultTypes: ['violations'] })});
    const faults = violations.flatMap(({ id, nodes }) =>
      nodes.map(({ html, any }) => id + ': ' + html + ' ' + any.map(({ message }) => message).join(' ')));
    return { faults, passes: passes.length };
  }`;
  const { faults, passes } = await element.evaluate(inPage<Promise<Looked>>(run));
  assert.deepEqual(faults, []);
  assert.ok(passes >= looks, `axe had ${passes} things to look at`);
}
