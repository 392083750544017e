import type * as vscode from 'vscode';

const TRIES = 10;

/**
 * Stores a value and makes sure that it stays stored: the editor drops an update if the notification of an earlier one, of
 * any key and even from another window, reaches it at the same moment. Something that the person has forbidden or revoked
 * would then still be allowed. Rejects if retrying does not help.
 * @param value `undefined` forgets.
 */
export async function keepIn(memento: vscode.Memento, key: string, value: unknown): Promise<void> {
  for (let tries = 0; tries < TRIES; tries++) {
    await memento.update(key, value);
    if (JSON.stringify(memento.get(key)) === JSON.stringify(value)) return;
  }
  throw new Error(`The editor does not keep "${key}".`);
}
