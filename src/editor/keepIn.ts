import type * as vscode from 'vscode';

const TRIES = 10;

/**
 * Keeps a value and sees to it that it is kept: the editor drops an update when word of an earlier one, of any key and also
 * of another window, comes back to it in the same moment. What a person has forbidden or taken back would still be allowed.
 * Rejects when that does not help.
 * @param value `undefined` forgets.
 */
export async function keepIn(memento: vscode.Memento, key: string, value: unknown): Promise<void> {
  for (let tries = 0; tries < TRIES; tries++) {
    await memento.update(key, value);
    if (JSON.stringify(memento.get(key)) === JSON.stringify(value)) return;
  }
  throw new Error(`The editor does not keep "${key}".`);
}
