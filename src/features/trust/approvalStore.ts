import type * as vscode from 'vscode';
import { keepIn } from '../../editor/keepIn';
import { parseAnswer, type ApprovalStore as Store, type StoredAnswer, type StoredApprovals } from './core/approvals';

const KEY = 'mcpHost.approvals';

/** Keeps approvals in the extension's own storage, out of reach of settings and workspaces. */
export class ApprovalStore implements Store {
  readonly #mementos: Record<'workspace' | 'user', vscode.Memento>;

  constructor({ workspaceState, globalState }: Pick<vscode.ExtensionContext, 'workspaceState' | 'globalState'>) {
    this.#mementos = { workspace: workspaceState, user: globalState };
  }

  get(scope: 'workspace' | 'user'): StoredApprovals {
    const stored = this.#mementos[scope].get<unknown>(KEY);
    if (typeof stored !== 'object' || stored === null) return {};
    // What a different version stored is ignored: without an answer, the person is asked.
    return Object.fromEntries(
      Object.entries(stored).flatMap(([key, kept]): [string, StoredAnswer][] => {
        const answer = parseAnswer(kept);
        return answer === undefined ? [] : [[key, answer]];
      }),
    );
  }

  async set(scope: 'workspace' | 'user', rules: StoredApprovals): Promise<void> {
    await keepIn(this.#mementos[scope], KEY, Object.keys(rules).length > 0 ? rules : undefined);
  }
}
