import vscode = require('vscode');

import type { ResourceNode } from './core/resourceNodes';
import type { resourceUri } from './resourceUri';

export const URI_LIST = 'text/uri-list';

/** Drags resources out of the Resources view. Chat and the editor area use the URI of the row itself. */
export class ResourceDrag implements vscode.TreeDragAndDropController<ResourceNode> {
  readonly dragMimeTypes = [URI_LIST];
  readonly dropMimeTypes = [];

  constructor(private readonly uriOf: typeof resourceUri) {}

  handleDrag(nodes: readonly ResourceNode[], data: vscode.DataTransfer): void {
    const files = nodes.flatMap(node =>
      node.type === 'resource' || node.type === 'recent' ? [this.uriOf(node.server.id, node.resource)] : [],
    );
    if (files.length > 0) data.set(URI_LIST, new vscode.DataTransferItem(files.map(String).join('\r\n')));
  }
}
