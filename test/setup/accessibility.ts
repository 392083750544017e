// What axe finds in a page of ours, in any theme.
import * as assert from 'node:assert/strict';
import AxeBuilder from '@axe-core/playwright';
import { waitFor } from '../servers/spawn';
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
  const analyze = async () => {
    const axe = new AxeBuilder({ page: w.page as never }).include([
      'iframe.webview.ready',
      'iframe#active-frame',
      'main',
    ]);
    const results = await axe.analyze();
    return results.passes.length >= looks && results;
  };
  // On a busy machine axe gives up on a frame that did not take its script within a second, and has looked at nothing then.
  const found = await waitFor(analyze, { timeoutMs: 30_000, what: `axe to look at ${looks} things` });
  const faults = found.violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, any }) => `${id}: ${html} ${any.map(({ message }) => message).join(' ')}`),
  );
  assert.deepEqual(faults, []);
}
