export { RunningRows } from './runningRows';
export { restoreTasks } from './taskNotice';
