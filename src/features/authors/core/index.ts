export {
  changeText,
  compareSnapshots,
  type InterfaceChange,
  type InterfaceSnapshot,
  snapshotOf,
  snapshotOfServer,
} from './interfaceSnapshot';
export { type EvalQuestion, fits, readEvalFile } from './readEvalFile';
export { readText, unreadable } from './readTestFile';
export type { TestDebugger } from './testSession';
