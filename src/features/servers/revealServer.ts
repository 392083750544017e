import { until } from '../../base/events';
import type { ServerNode } from '../../editor/serverRows';
import type { ServerConnection, ServerSet } from '../../host';
import type { ServerId } from '../../host/definition';
import type { ServersTree } from './serversTree';

import vscode = require('vscode');

/** How long a server that was written into settings may take to be there. */
const READ_MS = 5_000;

interface RevealedView {
  readonly servers: ServerSet;
  readonly tree: () => Pick<ServersTree, 'announcedRow'>;
  readonly view: Pick<vscode.TreeView<ServerNode>, 'reveal'>;
}

/** Selects and focuses the row of a server, whose entry may be new. @returns the server; undefined: none. */
export async function revealServer(
  { servers, tree, view }: RevealedView,
  id: ServerId,
): Promise<ServerConnection | undefined> {
  await vscode.commands.executeCommand('mcpHost.servers.focus');
  await until(() => servers.get(id) !== undefined, [servers.onDidChange], { limitMs: READ_MS });
  const server = servers.get(id);
  if (server) {
    const row = await tree().announcedRow(server);
    // It may have gone from the view meanwhile.
    await view.reveal(row, { select: true, focus: true }).then(undefined, () => undefined);
  }
  return server;
}
