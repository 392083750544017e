export { sandboxNode } from './sandboxRows';
