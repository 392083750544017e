// What axe finds in a page of ours, in any theme.
import * as assert from 'node:assert/strict';
import axe, { type AxeResults } from 'axe-core';
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

/** Changes the colours of the window, and waits until its page has them. */
export async function useTheme(w: Workbench, theme: keyof typeof themes): Promise<void> {
  await w.host.eval(
    (vscode, id) => vscode.workspace.getConfiguration().update('workbench.colorTheme', id, true),
    theme as string,
  );
  await w.wb.webview().locator(`body.${themes[theme]}`).waitFor();
}

/** Fails with what axe finds in the `main` of the page that is shown. @param looks how many of its rules must have had a say. */
export async function assertAccessible(w: Workbench, looks = 11): Promise<void> {
  const page = w.wb.webview();
  const main = page.locator('main');
  // Into the page alone: axe's own driver goes through every frame of the workbench, which takes ten times as long.
  await main.evaluate(inPage(`() => { ${axe.source} }`));
  const found = await main.evaluate(inPage<Promise<AxeResults>>('element => axe.run(element)'));
  const faults = found.violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, any }) => `${id}: ${html} ${any.map(({ message }) => message).join(' ')}`),
  );
  assert.deepEqual(faults, []);
  assert.ok(found.passes.length >= looks, `axe had ${found.passes.length} things to look at`);
}
