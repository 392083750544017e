import vscode = require('vscode');

import { Emitter } from '../base/events';
import { inlineIcon } from '../base/inlineIcon';
import { Coalescer } from '../base/queue';
import type { ServerConnection } from '../host';
import { bestFirst, fetchedIcon, type Icon, iconFor } from './fetchedIcons';

const MAX_URL_LENGTH = 8_192;

const loaded = new Emitter<void>();
const announce = new Coalescer(() => loaded.fire(), { quietMs: 100, maxMs: 1_000 });

/** Icons that were fetched can be drawn now: rows have to be built again. */
export const onDidLoadIcons = loaded.event;

/** The icon that a server gives an item, if it is safe to draw: see `iconOf`. */
export function safeIcon(icons: readonly Icon[] | undefined, server: ServerConnection): vscode.IconPath | undefined {
  if (!icons?.length) return undefined;
  return iconOf(icons, server, () => announce.trigger());
}

/**
 * The icon that a server gives an item, if it is safe to draw (`inlineIcon`), in the message itself or at the server's own origin: the one that fits a row best, and one for each theme if the
 * server has both.
 * @param changed called when one that had to be fetched can be drawn.
 */
export function iconOf(
  icons: readonly Icon[],
  server: ServerConnection,
  changed: () => void,
): vscode.IconPath | undefined {
  const safe = bestFirst(icons).flatMap(({ src, theme }) => {
    const data = dataOf(src, server, changed);
    return data === undefined ? [] : [{ data, theme }];
  });
  const [light, dark] = [iconFor('light', safe), iconFor('dark', safe)].map(
    icon => icon && vscode.Uri.parse(icon.data),
  );
  if (!light || !dark) return undefined;
  return light.toString() === dark.toString() ? light : { light, dark };
}

function dataOf(src: string, { definition: { entry } }: ServerConnection, changed: () => void): string | undefined {
  const inline = inlineIcon(src);
  if (inline) return inline;
  if (!entry || entry.type === 'stdio' || !/^https:/i.test(src) || src.length > MAX_URL_LENGTH) return undefined;
  if (!URL.canParse(src) || !URL.canParse(entry.url)) return undefined;
  const url = new URL(src);
  // Whoever else is asked would learn who uses this server.
  if (url.origin !== new URL(entry.url).origin || url.username || url.password) return undefined;
  return fetchedIcon(url.href, changed);
}
