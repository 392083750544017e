/** Tasks in both directions, in a bundle of their own (esbuild.js), which is loaded with the first one. */
export { ReceivedTasks } from './receivedTasks';
export { followTask } from './tasks';
