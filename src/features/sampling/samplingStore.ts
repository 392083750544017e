import type * as vscode from 'vscode';
import { keepIn } from '../../editor/keepIn';
import type { SamplingChoice, SamplingScope, SamplingStore } from './core/policy';

const KEY = 'mcpHost.sampling';

/** Keeps policies in the extension's own storage, out of reach of settings and workspaces. */
export class SamplingStorage implements SamplingStore {
  readonly #mementos: Record<SamplingScope, vscode.Memento>;

  constructor({ workspaceState, globalState }: Pick<vscode.ExtensionContext, 'workspaceState' | 'globalState'>) {
    this.#mementos = { workspace: workspaceState, user: globalState };
  }

  get(scope: SamplingScope): unknown {
    return this.#mementos[scope].get(KEY);
  }

  async set(scope: SamplingScope, choices: Record<string, SamplingChoice>): Promise<void> {
    await keepIn(this.#mementos[scope], KEY, Object.keys(choices).length > 0 ? choices : undefined);
  }
}
