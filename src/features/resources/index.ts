export { resourceFileName } from './core/fileName';
export { formatJson } from './core/json';
export { essence, extensionsOf } from './core/mime';
export { parseResourceUri, resourceUri } from './uri';
