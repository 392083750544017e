import vscode = require('vscode');

import type { ServerSet } from '../../host';
import type { ResourceNode } from './core/resourceNodes';
import type { ResourcesTree } from './resourcesTree';
import { targetOf } from './target';

/** Selects the row of a resource in the Resources view. */
export function revealResource(
  servers: ServerSet,
  rows: ResourcesTree,
  view: vscode.TreeView<ResourceNode>,
  argument: unknown,
): Thenable<void> {
  const { server, resource } = targetOf(servers, argument);
  const row = rows.find(server, resource.uri);
  if (!row) throw new Error(vscode.l10n.t('"{0}" does not list this resource.', server.name));
  return view.reveal(row, { select: true, focus: true });
}
