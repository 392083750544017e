import { homedir } from 'node:os';
import { basename, dirname } from 'node:path';
import { visible } from '../../base/text';
import { type DetailNode, treeItem } from '../../editor/serverRows';
import { t, verbatim } from '../../editor/window';
import type { AppearedPlace, BlockedAttempt, SandboxAttempts, ServerConnection } from '../../host';
import { folderText, type SandboxRefusal } from './core/refusals';

import vscode = require('vscode');

/** As many rows are shown of what appeared: the others follow as these are decided on. */
const MAX_APPEARED = 50;

/** What the rows of a confined server tell. */
interface ConfinedFacts {
  readonly attempts: SandboxAttempts;
  readonly refusals: readonly SandboxRefusal[];
  readonly appeared: readonly AppearedPlace[];
  /** Folders that the person has allowed it to change, beside its entry. */
  readonly write: readonly string[];
}

/** The row "Confined": below it what appeared, was refused or granted, and the hosts that it reached. */
export function sandboxNode(
  server: ServerConnection,
  { attempts, refusals, appeared, write }: ConfinedFacts,
): DetailNode {
  return {
    type: 'detail',
    server,
    item: () => {
      const count = refusals.filter(({ isKept }) => !isKept).length;
      const isOpen = count + appeared.length > 0;
      const { Collapsed, Expanded, None } = vscode.TreeItemCollapsibleState;
      const hasRows = refusals.length + write.length + attempts.hosts.size > 0;
      const { isWatched } = attempts;
      const blocked = count > 0 ? t('{0} blocked', count) : '';
      const away = appeared.length > 0 ? t('{0} moved away', appeared.length) : '';
      const description = [isWatched ? t('watched') : '', blocked, away].filter(Boolean).join(', ');
      return treeItem(t('Confined'), {
        id: `${server.id}\nsandbox${isOpen ? '\nblocked' : ''}`,
        collapsibleState: isOpen ? Expanded : hasRows ? Collapsed : None,
        description,
        accessibilityInformation: { label: [t('Confined'), description].filter(Boolean).join(', ') },
        iconPath: new vscode.ThemeIcon(isWatched ? 'eye' : 'lock'),
        contextValue: 'sandbox',
        tooltip: isWatched
          ? t('This server is watched. What is blocked and the hosts that it reaches become proposed rules.')
          : t('This server runs in a sandbox. It can access only what its settings allow.'),
      });
    },
    children: () => [
      ...appeared.slice(0, MAX_APPEARED).map(place => appearedNode(server, place)),
      ...refusals.map(refusal => refusalNode(server, refusal)),
      ...write.map(folder => grantNode(server, folder)),
      ...[...attempts.hosts].map(([host, count]) => hostNode(server, host, count)),
    ],
  };
}

/** A server's wish in one line. */
export function wishText({ kind, what }: BlockedAttempt): string {
  const place = visible(what, 300);
  if (kind === 'sockets') return t('Wanted to open Unix sockets');
  if (kind === 'network') return verbatim('Wanted to reach {0}', place);
  return kind === 'read'
    ? verbatim('Wanted to read {0}', place)
    : verbatim('Wants to write in {0}', visible(folderName(dirname(what)), 300));
}

/** A row of something that appeared: commands take it from there. */
function appearedNode(server: ServerConnection, place: AppearedPlace): DetailNode & { readonly place: AppearedPlace } {
  const folder = visible(folderName(dirname(place.path)), 300);
  return {
    type: 'detail',
    server,
    place,
    item: () =>
      treeItem(verbatim('{0} appeared in {1}', visible(basename(place.path), 300), folder), {
        id: `${server.id}\nsandbox\nappeared\n${place.id}`,
        iconPath: new vscode.ThemeIcon('file-symlink-directory'),
        description: t('moved away'),
        contextValue: 'sandbox.row',
        tooltip: t('Other programs would obey it. Keep it to put it back, or remove it for good.'),
      }),
  };
}

/** A row of a folder that the person has allowed. */
const grantNode = (server: ServerConnection, folder: string): DetailNode & { readonly folder: string } => ({
  type: 'detail',
  server,
  folder,
  item: () =>
    treeItem(verbatim('May write in {0}', visible(folderName(folder), 300)), {
      id: `${server.id}\nsandbox\nwrite\n${folder}`,
      iconPath: new vscode.ThemeIcon('edit'),
      description: t('allowed by you'),
      contextValue: 'sandbox.row',
    }),
});

/** A row of something that was refused: commands take the attempt from it. */
function refusalNode(
  server: ServerConnection,
  { attempt, isKept }: SandboxRefusal,
): DetailNode & { readonly attempt: BlockedAttempt } {
  const { kind, what } = attempt;
  const name = kind === 'write' ? visible(basename(what), 300) : '';
  const file = t('Reported by the server itself. Select it to allow this file or its folder.');
  const tooltips = {
    network: t('It was refused. Select it to allow this host.'),
    read: file,
    sockets: t('Reported by the server itself. Browsers need Unix sockets. Select it to allow them.'),
    write: file,
  };
  return {
    type: 'detail',
    server,
    attempt,
    item: () =>
      treeItem(wishText(attempt), {
        id: `${server.id}\nsandbox\n${kind}\n${what}`,
        iconPath: new vscode.ThemeIcon('circle-slash'),
        description: [name, isKept ? t('stays blocked') : ''].filter(Boolean).join(', '),
        contextValue: 'sandbox.row',
        tooltip: tooltips[kind],
        command: { command: 'mcpHost.changeSandbox', title: t('Allow…'), arguments: [{ server, attempt }] },
      }),
  };
}

const hostNode = (server: ServerConnection, host: string, count: number): DetailNode => ({
  type: 'detail',
  server,
  item: () =>
    treeItem(visible(host, 300), {
      id: `${server.id}\nsandbox\nreached\n${host}`,
      description: count === 1 ? t('connected once') : t('connected {0} times', count),
      iconPath: new vscode.ThemeIcon('globe'),
    }),
});

/** A folder as the person knows it. */
export function folderName(folder: string): string {
  const folders = (vscode.workspace.workspaceFolders ?? []).flatMap(({ uri }) =>
    uri.scheme === 'file' ? [uri.fsPath] : [],
  );
  return folderText(folder, { folders, home: homedir() });
}
