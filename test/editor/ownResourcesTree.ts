import type { ResourceNode } from '../../src/features/resources/resourceItems';
import { ResourcesTree } from '../../src/features/resources/resourcesTree';
import { TemplateMemory } from '../../src/features/resources/templateMemory';
import type { ServerConnection } from '../../src/host';
import { MemoryMemento } from '../unit/editor/resources/memoryMemento';
import { api } from './window';

/** The tree with a memory of its own. */
export async function ownTree() {
  const { servers } = await api();
  const memory = new TemplateMemory(new MemoryMemento());
  const tree = new ResourcesTree(servers, { memory });
  const outline = (node?: ResourceNode, depth = 0): string[] => {
    const label = node ? [`${'  '.repeat(depth - 1)}${String(tree.getTreeItem(node).label)}`] : [];
    return [...label, ...tree.getChildren(node).flatMap(child => outline(child, depth + 1))];
  };
  const find = (server: ServerConnection, uri: string, node?: ResourceNode): ResourceNode | undefined => {
    const children = tree.getChildren(node);
    const isIt = (child: ResourceNode) =>
      (child.type === 'resource' || child.type === 'recent') && child.server === server && child.resource.uri === uri;
    return children.find(isIt) ?? children.map(child => find(server, uri, child)).find(found => found !== undefined);
  };
  return { tree, memory, outline, find };
}
