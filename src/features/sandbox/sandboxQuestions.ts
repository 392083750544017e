import { basename, dirname } from 'node:path';
import { plain } from '../../base/text';
import { errorText } from '../../editor/errorText';
import { t, window } from '../../editor/window';
import type { AppearedPlace, BlockedAttempt, ServerConnection } from '../../host';
import type { HostAnswer } from './core/hostQuestions';
import type { WriteWish } from './core/refusals';
import { folderName } from './sandboxRows';

import vscode = require('vscode');

/** As many are named in one question. */
const MAX_NAMED = 3;

/** Something that appeared, with its folder: `src/.husky`. */
const nameOf = (path: string): string => `${folderName(dirname(path))}${basename(path)}`;

export async function askAboutHosts(name: string, hosts: readonly string[]): Promise<HostAnswer> {
  const these = hosts.length === 1 ? t('Allow Host') : t('Allow These Hosts');
  const [any, keep] = [t('Allow Any Host'), t('Keep Blocked')];
  const text = t('"{0}" is confined and wants to reach {1}.', name, hosts.join(', '));
  const answer = await window.showWarningMessage(text, these, any, keep);
  if (answer === these) return 'these';
  if (answer === any) return 'any';
  return answer === keep ? 'keep' : undefined;
}

export async function askAboutSockets(name: string): Promise<'allow' | 'any' | 'keep' | undefined> {
  const [allow, any, keep] = [t('Allow'), t('Allow with Any Host'), t('Keep Blocked')];
  const text = t(
    '"{0}" is confined and wants to open Unix sockets, as browsers do. It restarts if you allow that.',
    name,
  );
  const answer = await window.showWarningMessage(text, allow, any, keep);
  if (answer === allow) return 'allow';
  if (answer === any) return 'any';
  return answer === keep ? 'keep' : undefined;
}

/** Asks about one folder. It restarts if the person agrees, as its sandbox is made at its start. */
export async function askAboutWriting(
  name: string,
  { path, isFolder }: WriteWish,
): Promise<'allow' | 'keep' | undefined> {
  const [allow, keep] = [isFolder ? t('Allow Folder') : t('Allow'), t('Keep Blocked')];
  const text = isFolder
    ? t('"{0}" is confined and wants to write in {1}. It restarts if you allow that.', name, folderName(path))
    : t('"{0}" is confined and wants to change {1}. It restarts if you allow that.', name, nameOf(path));
  const answer = await window.showWarningMessage(text, allow, keep);
  return answer === allow ? 'allow' : answer === keep ? 'keep' : undefined;
}

export async function askAboutAppeared(
  server: ServerConnection,
  places: readonly AppearedPlace[],
): Promise<'keep' | 'remove' | undefined> {
  const { name } = server;
  const [keep, remove, review] = [t('Keep'), t('Remove'), t('Review…')];
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
  const answer = await window.showWarningMessage(text, rest > 0 ? review : keep, remove);
  if (answer === review) await vscode.commands.executeCommand('mcpHost.changeSandbox', { server });
  return answer === keep ? 'keep' : answer === remove ? 'remove' : undefined;
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
