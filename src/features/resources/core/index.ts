export { essence, extensionsOf, resourceFileName } from './fileName';
export { parseResourceUri } from './resourceAddress';
export { formatJson, spreadJson, textOfBlob } from './resourceContent';
