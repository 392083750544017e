export { essence, extensionsOf, resourceFileName } from './core/fileName';
export { parseResourceUri } from './core/resourceAddress';
export { formatJson, spreadJson } from './core/resourceContent';
export type { PageTemplates } from './openTemplate';
export { resourceUri } from './resourceTarget';
