export { compareSnapshots, type InterfaceChange, type InterfaceSnapshot, snapshotOf } from './core/interfaceSnapshot';
export { RECORDABLE } from './core/recordable';
export { canTest } from './testFiles';
