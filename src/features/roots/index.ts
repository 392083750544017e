export { rootsNode, WorkspaceRoots } from './workspaceRoots';
