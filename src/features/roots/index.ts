export { rootsNode } from './rootRows';
export { WorkspaceRoots } from './workspaceRoots';
