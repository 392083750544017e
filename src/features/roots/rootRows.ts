import vscode = require('vscode');

import { visible } from '../../base/text';
import { plainTooltip } from '../../editor/markdown';
import type { DetailNode } from '../../editor/serverRows';
import { t } from '../../editor/window';
import type { ServerConnection } from '../../host';
import type { WantedRoot, WorkspaceRoots } from './workspaceRoots';

/** The row "Roots 2" of a server, with a row for each folder below it. */
export function rootsNode(server: ServerConnection, roots: WorkspaceRoots): DetailNode {
  return {
    type: 'detail',
    server,
    item: () => {
      const all = roots.review(server.definition);
      const { Collapsed, None } = vscode.TreeItemCollapsibleState;
      const item = new vscode.TreeItem(t('Roots'), all.length > 0 ? Collapsed : None);
      item.id = `${server.id}\nroots`;
      const count = all.filter(({ uri }) => uri).length;
      item.description =
        count > 0 ? String(count) : vscode.workspace.isTrusted ? t('none') : t('none (workspace not trusted)');
      // Else a screen reader has the hover in place of the name.
      item.accessibilityInformation = { label: `${t('Roots')}, ${item.description}` };
      item.iconPath = new vscode.ThemeIcon('root-folder');
      item.contextValue = 'roots';
      item.tooltip = vscode.workspace.isTrusted
        ? t('The folders that this server can ask for. It may be able to read others.')
        : t('This workspace is not trusted, so servers are not told about its folders.');
      return item;
    },
    children: () => roots.review(server.definition).map(root => rootNode(server, root)),
  };
}

function rootNode(server: ServerConnection, { path, name, uri, problem }: WantedRoot): DetailNode {
  return {
    type: 'detail',
    server,
    item: () => {
      const item = new vscode.TreeItem(visible(name));
      item.id = `${server.id}\nroots\n${path}`;
      item.description = [visible(path, 200), problem].filter(Boolean).join(' · ');
      item.iconPath = new vscode.ThemeIcon(uri ? 'folder' : 'warning');
      item.contextValue = 'root';
      item.tooltip = plainTooltip([path, problem]);
      return item;
    },
  };
}
