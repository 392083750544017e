export {
  changeText,
  compareSnapshots,
  type InterfaceChange,
  type InterfaceSnapshot,
  snapshotOf,
} from './interfaceSnapshot';
export { type EvalQuestion, fits, readEvalFile, readText, unreadable } from './readTestFile';
export type { TestDebugger } from './testSession';
