import vscode = require('vscode');

import { visible } from '../../base/text';
import type { DetailNode } from '../../editor/servers/serverNodes';
import type { BlockedAttempt, SandboxAttempts, ServerConnection } from '../../host';

const { t } = vscode.l10n;

/** The row "Confined" of a server, with a row below it for each thing that it was refused, and each host that it reached. */
export function sandboxNode(server: ServerConnection, attempts: SandboxAttempts): DetailNode {
  return {
    type: 'detail',
    server,
    item: () => {
      const count = attempts.blocked.length;
      const { Collapsed, Expanded, None } = vscode.TreeItemCollapsibleState;
      const item = new vscode.TreeItem(
        t('Confined'),
        count > 0 ? Expanded : attempts.hosts.size > 0 ? Collapsed : None,
      );
      item.id = `${server.id}\nsandbox${count > 0 ? '\nblocked' : ''}`;
      item.description = count > 0 ? t('{0} blocked', count) : '';
      item.accessibilityInformation = { label: [t('Confined'), item.description].filter(Boolean).join(', ') };
      item.iconPath = new vscode.ThemeIcon('lock');
      item.contextValue = 'sandbox';
      item.tooltip = t('This server runs in a sandbox: it may touch only what was agreed.');
      return item;
    },
    children: () => [
      ...attempts.blocked.map(attempt => blockedNode(server, attempt)),
      ...[...attempts.hosts].map(([host, count]) => hostNode(server, host, count)),
    ],
  };
}

function blockedNode(server: ServerConnection, attempt: BlockedAttempt): DetailNode {
  const what = visible(attempt.what, 300);
  return {
    type: 'detail',
    server,
    item: () => {
      const item = new vscode.TreeItem(
        attempt.kind === 'network' ? t('Wanted to reach {0}', what) : t('Wanted to write {0}', what),
      );
      item.id = `${server.id}\nsandbox\n${attempt.kind}\n${attempt.what}`;
      item.iconPath = new vscode.ThemeIcon('circle-slash');
      item.contextValue = 'blocked';
      item.tooltip =
        attempt.kind === 'network'
          ? t('It was refused. Select it to allow this host.')
          : t('The server says so itself. Select it to allow this file or its folder.');
      item.command = { command: 'mcpHost.changeSandbox', title: t('Allow…'), arguments: [{ server, attempt }] };
      return item;
    },
  };
}

function hostNode(server: ServerConnection, host: string, count: number): DetailNode {
  return {
    type: 'detail',
    server,
    item: () => {
      const item = new vscode.TreeItem(visible(host, 300));
      item.id = `${server.id}\nsandbox\nreached\n${host}`;
      item.description = count === 1 ? t('connected once') : t('connected {0} times', count);
      item.iconPath = new vscode.ThemeIcon('globe');
      return item;
    },
  };
}
