export { resourceFileName } from './core/fileName';
export { formatJson } from './core/formatJson';
export { essence, extensionsOf } from './core/mimeTypes';
export { parseResourceUri } from './core/resourceAddress';
export { resourceUri } from './resourceUri';
