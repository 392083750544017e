import vscode = require('vscode');

import { t, window } from '../../../editor/window';
import type { ServerSet } from '../../../host';
import { pickResource } from './pickResource';

/** "Find Resource…": finds a resource of any server, and opens it, reveals it in the view or adds it to chat. */
export async function findResourceCommand(servers: ServerSet): Promise<void> {
  const offers = servers.all.some(server => server.offers('resources').length > 0);
  if (!offers) {
    void window.showInformationMessage(t('No running MCP server offers resources. Start one first.'));
    return;
  }
  const run = (command: string) => (target: object) => vscode.commands.executeCommand(`mcpHost.${command}`, target);
  const target = await pickResource(servers, {
    title: t('Find Resource'),
    actions: [
      { icon: 'list-tree', title: t('Reveal in Resources View'), run: run('revealResource') },
      { icon: 'comment-discussion', title: t('Add to Chat'), run: run('addResourceToChat') },
    ],
  });
  if (target) await run('openResource')(target);
}
