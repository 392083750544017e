import { basename, dirname } from 'node:path';
import { type PlainText, plain } from '../../base/text';
import { errorText } from '../../editor/errorText';
import { t, window } from '../../editor/window';
import type { AppearedPlace, BlockedAttempt, ServerConnection } from '../../host';
import { askWhole, isDrawnByOthers } from '../review';
import type { HostAnswer } from './core/hostQuestions';
import type { WriteWish } from './core/refusals';
import { folderName } from './sandboxRows';

import vscode = require('vscode');

/** As many are named in one question. */
const MAX_NAMED = 3;

/** Something that appeared, with its folder: `src/.husky`. */
const nameOf = (path: string): string => `${folderName(dirname(path))}${basename(path)}`;

/** In a notification; on a page where others decide how those look. @param buttons titles by answer, in order: the last allows nothing. */
async function ask<A extends string>(text: PlainText, buttons: Readonly<Record<A, string>>): Promise<A | undefined> {
  const titles = Object.values<string>(buttons);
  const onPage = async () => {
    if ((await window.showWarningMessage(text, t('Review…'))) === undefined) return undefined;
    const [title, allow, others] = [t('MCP servers'), titles.slice(0, -1), titles.slice(-1)];
    return askWhole({ title, question: title, content: { text }, allow, others });
  };
  const pressed = await (isDrawnByOthers() ? onPage() : window.showWarningMessage(text, ...titles));
  return (Object.keys(buttons) as A[]).find(answer => buttons[answer] === pressed);
}

export function askAboutHosts(name: string, hosts: readonly string[]): Promise<HostAnswer> {
  return ask(t('"{0}" is confined and wants to reach {1}.', name, hosts.join(', ')), {
    these: hosts.length === 1 ? t('Allow Host') : t('Allow These Hosts'),
    any: t('Allow Any Host'),
    keep: t('Keep Blocked'),
  });
}

export function askAboutSockets(name: string): Promise<'allow' | 'any' | 'keep' | undefined> {
  const text = t(
    '"{0}" is confined and wants to open Unix sockets, as browsers do. It restarts if you allow that.',
    name,
  );
  return ask(text, { allow: t('Allow'), any: t('Allow with Any Host'), keep: t('Keep Blocked') });
}

/** Asks about one folder. It restarts if the person agrees, as its sandbox is made at its start. */
export function askAboutWriting(name: string, { path, isFolder }: WriteWish): Promise<'allow' | 'keep' | undefined> {
  const text = isFolder
    ? t('"{0}" is confined and wants to write in {1}. It restarts if you allow that.', name, folderName(path))
    : t('"{0}" is confined and wants to change {1}. It restarts if you allow that.', name, nameOf(path));
  return ask(text, { allow: isFolder ? t('Allow Folder') : t('Allow'), keep: t('Keep Blocked') });
}

export async function askAboutAppeared(
  server: ServerConnection,
  places: readonly AppearedPlace[],
): Promise<'keep' | 'remove' | undefined> {
  const { name } = server;
  const [{ path } = { path: '' }] = places;
  const named = places.slice(0, MAX_NAMED).map(place => nameOf(place.path));
  const rest = places.length - named.length;
  const list = rest > 0 ? t('{0} and {1} more', named.join(', '), rest) : named.join(', ');
  const text =
    places.length === 1
      ? t(
          '{0} appeared in {1}, where "{2}" may write. Other programs obey it, so it was moved away until you decide.',
          basename(path),
          folderName(dirname(path)),
          name,
        )
      : t(
          '{0} appeared where "{1}" may write. Other programs obey them, so they were moved away until you decide.',
          list,
          name,
        );
  // What is not named is not kept by one click.
  if (rest === 0) return ask(text, { keep: t('Keep'), remove: t('Remove') });
  const answer = await ask(text, { review: t('Review…'), remove: t('Remove') });
  if (answer === 'review') await vscode.commands.executeCommand('mcpHost.changeSandbox', { server });
  return answer === 'remove' ? answer : undefined;
}

/** Tells that it was refused something that can only be allowed in its rows. */
export async function tellOfRefusal(server: ServerConnection, { what }: BlockedAttempt): Promise<void> {
  const review = t('Review…');
  const text = t(
    '"{0}" is confined, and was refused {1}. More may be refused. See its rows.',
    server.name,
    what || t('Unix sockets'),
  );
  if ((await window.showWarningMessage(text, review)) === review) {
    await vscode.commands.executeCommand('mcpHost.changeSandbox', { server });
  }
}

/** Does something for each, and tells of the first that fails. */
export async function forEachPlace(
  places: readonly AppearedPlace[],
  what: (place: AppearedPlace) => Promise<void>,
): Promise<void> {
  const results = await Promise.allSettled(places.map(what));
  const failed = results.find(result => result.status === 'rejected');
  if (failed) void window.showErrorMessage(plain(errorText(failed.reason)));
}
