import type { Resource } from '@modelcontextprotocol/client';

import vscode = require('vscode');

import { plain, rowText, visible } from '../../base/text';
import { type PlainRow, t, window } from '../../editor/window';
import type { ServerConnection, ServerSet } from '../../host';
import { resourceFileName } from './core/fileName';
import { labelOf } from './core/resourceFolders';

interface ResourceRow extends PlainRow {
  server?: ServerConnection;
  resource?: Resource;
}

/** "Read Resource…": opens one of those that ready servers list, found by title or URI, or any other by its URI. */
export async function readResourceCommand(servers: ServerSet, argument?: unknown): Promise<void> {
  const only = (argument as { server?: ServerConnection } | undefined)?.server;
  const ready = (only ? [only] : servers.all).filter(({ info }) => info?.capabilities.resources);
  if (ready.length === 0) {
    void window.showInformationMessage(t('No running MCP server offers resources. Start one first.'));
    return;
  }
  const chosen = await window.showQuickPick(rows(ready), {
    title: t('Read Resource'),
    placeHolder: t('Title, URI or server'),
    matchOnDescription: true,
    matchOnDetail: true,
  });
  const target = chosen && (chosen.server ? chosen : await enterUri(ready));
  if (target?.server && target.resource) await vscode.commands.executeCommand('mcpHost.openResource', target);
}

function rows(servers: readonly ServerConnection[]): ResourceRow[] {
  const listed = servers.flatMap(server =>
    server.offers('resources').map(resource => ({
      label: rowText(labelOf(resource)),
      description: rowText(servers.length > 1 ? server.id : resourceFileName(resource)),
      detail: rowText(resource.uri, 300),
      iconPath: vscode.ThemeIcon.File,
      server,
      resource,
    })),
  );
  const separator: ResourceRow = { label: '', kind: vscode.QuickPickItemKind.Separator };
  return [...listed, separator, { label: t('$(edit) Enter a URI…'), alwaysShow: true }];
}

async function enterUri(servers: readonly ServerConnection[]): Promise<ResourceRow | undefined> {
  const server =
    servers.length === 1
      ? servers[0]
      : (
          await window.showQuickPick(
            servers.map(one => ({ label: rowText(one.id), server: one })),
            { placeHolder: t('Select an MCP server to read from') },
          )
        )?.server;
  if (!server) return undefined;
  const [template] = server.offers('resourceTemplates');
  const uri = await window.showInputBox({
    title: t('Read Resource from {0}', server.id),
    prompt: t('URI of the resource'),
    ...(template && { placeHolder: plain(visible(template.uriTemplate, 200)) }),
    ignoreFocusOut: true,
    validateInput: text => (text.trim() === '' ? t('Enter a URI.') : undefined),
  });
  return uri === undefined ? undefined : { label: '', server, resource: { uri: uri.trim(), name: '' } };
}
