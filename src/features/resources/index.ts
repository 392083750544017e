export { resourceFileName } from './core/fileName';
export { formatJson } from './core/formatJson';
export { essence, extensionsOf } from './core/mimeTypes';
export { parseResourceUri, resourceUri } from './resourceUri';
