import type { PlainState } from '../../editor/storage';
import type { KeptTask } from '../../host';

const KEY = 'tasks';

/** The tasks that outlive a reload of the window, in the state of its workspace. */
export const keptTasks = (state: PlainState) => ({
  get: () => state.get<readonly KeptTask[]>(KEY, []),
  set: (tasks: readonly KeptTask[]) => void state.update(KEY, tasks),
});
