// Changes what the active editor shows. Not typed: the editor would close quotes and brackets on its own.
import type { Locator } from 'playwright-core';
import type { Bridge } from './bridge';
import { attemptMs, persist, settled } from './dom';
import type { Workbench } from './workbench';

/**
 * Puts another text in place of all. An editor is the active one a moment after its tab is there.
 * @param file the end of its name, where another editor may still be the active one.
 */
export function writeInEditor(host: Bridge, text: string, file = ''): Promise<unknown> {
  return host.until(
    async (vscode, written, name) => {
      const editor = vscode.window.activeTextEditor;
      if (!editor?.document.uri.path.endsWith(name as string)) return false;
      const all = new vscode.Range(0, 0, editor.document.lineCount, 0);
      return editor.edit(change => change.replace(all, written as string));
    },
    text,
    file,
  );
}

/** Replaces a part of the text, once it is there. */
export function replaceInEditor(host: Bridge, from: string, to: string): Promise<unknown> {
  return host.until(
    async (vscode, found, wanted) => {
      const editor = vscode.window.activeTextEditor;
      const at = editor?.document.getText().indexOf(found as string) ?? -1;
      if (!editor || at < 0) return false;
      const { document } = editor;
      const range = new vscode.Range(document.positionAt(at), document.positionAt(at + (found as string).length));
      return editor.edit(change => change.replace(range, wanted as string));
    },
    from,
    to,
  );
}

/** Opens the list of what can be done about the problem at the cursor, once the editor says by its light bulb that there is. */
export async function openQuickFixes({ page, host }: Workbench): Promise<Locator> {
  const list = page.locator('.action-widget').filter({ visible: true });
  await persist(async () => {
    await page.locator('.part.editor [class*="lightbulb"]').filter({ visible: true }).first().waitFor();
    await host.command('editor.action.quickFix');
    await list.waitFor({ timeout: attemptMs }); // it does not come where problems are being looked for anew
  }, 'the list of what can be done');
  await settled(list);
  return list;
}
