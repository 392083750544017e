export { RECORDABLE } from './core/recordable';
export { canTest } from './testFiles';
