export { RunningRows } from './runningRows';
export { tellOfTask } from './taskNotice';
