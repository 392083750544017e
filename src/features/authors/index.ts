export { compareSnapshots, type InterfaceChange, type InterfaceSnapshot, snapshotOf } from './core/interfaceSnapshot';
export type { EvalQuestion } from './core/readEvalFile';
export { RECORDABLE } from './core/recordable';
export type { TestDebugger } from './core/testSession';
export type { Snapshots } from './snapshots';
export { canTest } from './testFiles';

/** What is behind the door to `test-engine.js`. */
export type TestEngine = typeof import('./core/engine');
