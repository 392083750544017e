export * from './core';
export type { PageTemplates } from './openTemplate';
export { resourceUri } from './resourceTarget';
