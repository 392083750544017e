export * from './core';
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
