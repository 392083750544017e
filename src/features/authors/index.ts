export { compareSnapshots, type InterfaceChange, type InterfaceSnapshot, snapshotOf } from './core/interfaceSnapshot';
