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

/** Where something of the person's is kept: for all workspaces, or for this one. */
type Scope = 'user' | 'workspace';

/** Keeps a value for each scope in the extension's own storage, out of reach of settings and workspaces. */
export abstract class ScopedStorage {
  readonly #mementos: Record<Scope, vscode.Memento>;

  constructor(
    { workspaceState, globalState }: Pick<vscode.ExtensionContext, 'workspaceState' | 'globalState'>,
    private readonly key: string,
  ) {
    this.#mementos = { workspace: workspaceState, user: globalState };
  }

  /** As some version of this extension has stored it. */
  protected stored(scope: Scope): unknown {
    return this.#mementos[scope].get(this.key);
  }

  /** @param value what has nothing in it is forgotten. */
  protected keep(scope: Scope, value: object): Promise<void> {
    return keepIn(this.#mementos[scope], this.key, Object.keys(value).length > 0 ? value : undefined);
  }
}
