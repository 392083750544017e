import type * as vscode from 'vscode';
import type { SamplingChoice, SamplingScope, SamplingStore as Store } from '../../host/sampling/policy';

const KEY = 'mcpHost.sampling';

/** Keeps policies in the extension's own storage, out of reach of settings and of what is in a workspace. */
export class SamplingStore implements Store {
  readonly #mementos: Record<SamplingScope, vscode.Memento>;

  constructor({ workspaceState, globalState }: Pick<vscode.ExtensionContext, 'workspaceState' | 'globalState'>) {
    this.#mementos = { workspace: workspaceState, user: globalState };
  }

  get(scope: SamplingScope): unknown {
    return this.#mementos[scope].get(KEY);
  }

  async set(scope: SamplingScope, choices: Record<string, SamplingChoice>): Promise<void> {
    const memento = this.#mementos[scope];
    const value = Object.keys(choices).length > 0 ? choices : undefined;
    // The editor drops an update when word of an earlier one, of any key, comes back to it in the same moment.
    for (let tries = 0; tries < 3; tries++) {
      await memento.update(KEY, value);
      if (JSON.stringify(memento.get(KEY)) === JSON.stringify(value)) return;
    }
  }
}
