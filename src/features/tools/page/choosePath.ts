import vscode = require('vscode');

import { textFor } from '../core/fieldChecks';
import type { ArgumentForm } from '../core/page/argumentForm';
import { valueAt } from '../core/schemaForm';

/** Has the person choose a file or folder for a field. @returns the new text of the field; undefined if they cancelled. */
export async function choosePath(
  form: ArgumentForm,
  index: number,
  paths: Readonly<Record<string, 'directory' | 'file'>> = {},
): Promise<string | undefined> {
  const step = form.steps[index];
  const kind = step && paths[step.path[0] ?? ''];
  if (!kind) return undefined;
  const canSelectMany = step.kind === 'list';
  const canSelectFolders = kind === 'directory';
  const chosen = await vscode.window.showOpenDialog({
    canSelectFiles: !canSelectFolders,
    ...{ canSelectFolders, canSelectMany },
  });
  if (!chosen || chosen.length === 0) return undefined;
  const before = valueAt(form.args, step.path);
  const all = chosen.map(({ fsPath }) => fsPath);
  return textFor(step, canSelectMany ? [...(Array.isArray(before) ? before : []), ...all] : all[0]);
}
