// What axe finds in a page of ours, in any theme.
import * as assert from 'node:assert/strict';
import AxeBuilder from '@axe-core/playwright';
import type { Workbench } from './workbench';

/** The body of each webview has one of these classes. */
const themes = {
  'Dark Modern': 'vscode-dark',
  'Default High Contrast': 'vscode-high-contrast',
  'Default High Contrast Light': 'vscode-high-contrast-light',
} as const;

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
  const found = await new AxeBuilder({ page: w.page as never })
    .include(['iframe.webview.ready', 'iframe#active-frame', 'main'])
    .analyze();
  assert.ok(found.passes.length >= looks, `axe looked at ${found.passes.length} things only`);
  const faults = found.violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, any }) => `${id}: ${html} ${any.map(({ message }) => message).join(' ')}`),
  );
  assert.deepEqual(faults, []);
}
