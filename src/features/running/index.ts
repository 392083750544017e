export { RunningRows, restoreTasks } from './runningRows';
