// What a person does on the page of a tool, a prompt or a template.
import type { Locator } from 'playwright-core';
import { inPage } from '../drivers/dom';
import type { Workbench } from '../drivers/workbench';
import { waitFor } from '../servers/spawn';

export function onPage(w: () => Workbench) {
  const page = () => w().wb.webview();
  /** What a person has done: clicks and keys. A word that is typed is one. */
  const acts: string[] = [];
  const field = (name: string) => page().getByRole('textbox', { name: new RegExp(`^${name} `) });
  const json = () => page().getByRole('textbox', { name: 'As JSON' });
  const runButton = () => page().getByRole('button', { name: 'Run (Ctrl+Enter)' });
  const outcome = (text: string) => page().locator('.outcome', { hasText: text }).waitFor();
  const result = (text: string) => page().locator('.result', { hasText: text }).waitFor();
  /** Whether keys go there: also the document of the page must have the focus. */
  const isFocused = (target: Locator) =>
    target.evaluate(inPage<boolean>('e => e === e.ownerDocument.activeElement && e.ownerDocument.hasFocus()'));
  const hasFocus = (target: Locator, what: string) =>
    waitFor(() => isFocused(target), { what: `the focus on ${what}` });
  const press = async (key: string) => {
    acts.push(key);
    await w().page.keyboard.press(key);
  };
  const type = async (text: string) => {
    acts.push(text);
    await w().page.keyboard.type(text);
  };
  /** Runs with the button until the page says that it did. */
  const runUntil = async (text: string) => {
    await runButton().click();
    await outcome(text);
  };
  return { acts, field, json, runButton, result, hasFocus, press, type, runUntil };
}
