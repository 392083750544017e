export {
  changeText,
  compareSnapshots,
  type InterfaceChange,
  type InterfaceSnapshot,
  snapshotOf,
} from './core/interfaceSnapshot';
export { type EvalQuestion, fits, readEvalFile, readText, unreadable } from './core/readTestFile';
export type { TestDebugger } from './core/testSession';
export type { Snapshots } from './snapshots';
export { canTest } from './testFiles';

/** Requests that can be recorded as a step of a test (`recordedTest`). */
export const RECORDABLE: readonly string[] = [
  'tools/call',
  'tools/list',
  'prompts/get',
  'prompts/list',
  'resources/read',
  'resources/list',
  'resources/subscribe',
  'resources/templates/list',
  'completion/complete',
];
