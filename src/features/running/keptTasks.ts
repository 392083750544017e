import type * as vscode from 'vscode';
import type { KeptTask } from '../../host';

const KEY = 'tasks';

/** The tasks that outlive a reload of the window, in the state of its workspace. */
export const keptTasks = (state: vscode.Memento) => ({
  get: () => state.get<readonly KeptTask[]>(KEY, []),
  set: (tasks: readonly KeptTask[]) => void state.update(KEY, tasks),
});
