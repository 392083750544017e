import vscode = require('vscode');

import { visible } from '../../base/text';
import type { DetailNode } from '../../editor/servers/serverNodes';
import { t, verbatim } from '../../editor/window';
import type { BlockedAttempt, SandboxAttempts, ServerConnection } from '../../host';
import type { SandboxRefusal } from './core/proposal';

/** The row "Confined" of a server, with a row below it for each thing that it was refused, and each host that it reached. */
export function sandboxNode(
  server: ServerConnection,
  attempts: SandboxAttempts,
  refusals: readonly SandboxRefusal[],
): DetailNode {
  return {
    type: 'detail',
    server,
    item: () => {
      const count = refusals.filter(({ isKept }) => !isKept).length;
      const { Collapsed, Expanded, None } = vscode.TreeItemCollapsibleState;
      const hasRows = refusals.length > 0 || attempts.hosts.size > 0;
      const item = new vscode.TreeItem(t('Confined'), count > 0 ? Expanded : hasRows ? Collapsed : None);
      item.id = `${server.id}\nsandbox${count > 0 ? '\nblocked' : ''}`;
      const blocked = count > 0 ? t('{0} blocked', count) : '';
      item.description = [attempts.isWatched ? t('watched') : '', blocked].filter(Boolean).join(', ');
      item.accessibilityInformation = { label: [t('Confined'), item.description].filter(Boolean).join(', ') };
      item.iconPath = new vscode.ThemeIcon(attempts.isWatched ? 'eye' : 'lock');
      item.contextValue = attempts.isWatched ? 'sandbox.watched' : 'sandbox';
      item.tooltip = attempts.isWatched
        ? t('This server is watched. What is blocked and the hosts that it reaches become proposed rules.')
        : t('This server runs in a sandbox. It can access only what its settings allow.');
      return item;
    },
    children: () => [
      ...refusals.map(refusal => refusalNode(server, refusal)),
      ...[...attempts.hosts].map(([host, count]) => hostNode(server, host, count)),
    ],
  };
}

/** A server's wish in one line. */
export function wishText({ kind, what }: BlockedAttempt): string {
  const place = visible(what, 300);
  if (kind === 'sockets') return t('Wanted to open Unix sockets');
  if (kind === 'network') return verbatim('Wanted to reach {0}', place);
  return kind === 'read' ? verbatim('Wanted to read {0}', place) : verbatim('Wanted to write {0}', place);
}

/** A row of something that was refused: commands take the attempt from it. */
function refusalNode(
  server: ServerConnection,
  { attempt, isKept, allowances }: SandboxRefusal,
): DetailNode & { readonly attempt: BlockedAttempt } {
  return {
    type: 'detail',
    server,
    attempt,
    item: () => {
      const item = new vscode.TreeItem(wishText(attempt));
      item.id = `${server.id}\nsandbox\n${attempt.kind}\n${attempt.what}`;
      item.iconPath = new vscode.ThemeIcon('circle-slash');
      item.description = isKept ? t('stays blocked') : '';
      item.contextValue = ['blocked', ...allowances, ...(isKept ? [] : ['open'])].join('.');
      item.tooltip =
        attempt.kind === 'network'
          ? t('It was refused. Select it to allow this host.')
          : attempt.kind === 'sockets'
            ? t('Reported by the server itself. Browsers need Unix sockets. Select it to allow them.')
            : t('Reported by the server itself. Select it to allow this file or its folder.');
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
