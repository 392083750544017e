export {
  changeText,
  compareSnapshots,
  type InterfaceChange,
  type InterfaceSnapshot,
  snapshotOf,
} from './core/interfaceSnapshot';
export { type EvalQuestion, fits, readEvalFile, readText, unreadable } from './core/readTestFile';
export { RECORDABLE } from './core/recordable';
export type { TestDebugger } from './core/testSession';
export type { Snapshots } from './snapshots';
export { canTest } from './testFiles';
