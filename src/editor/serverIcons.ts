import vscode = require('vscode');

import type { ServerConnection } from '../host';
import { fetchedIcon } from './fetchedIcons';
import type { Icon } from './icons';
import { iconTypeOf } from './iconType';

// A bundle of its own (esbuild.js), loaded with the first item that has icons.

/** An icon is drawn only if it is small and an image by its bytes: in the message itself, or at the server's own origin. */
const SAFE_ICON = /^data:(image\/(?:png|jpe?g|webp|svg\+xml));base64,([A-Za-z0-9+/]+={0,2})$/;
const MAX_ICON_LENGTH = 32_768;
/** How many of one item's icons are looked at. */
const MAX_ICONS = 8;

/**
 * The icon that a server gives an item, if it is safe to draw; one for each theme if the server has both.
 * @param changed called when one that had to be fetched can be drawn.
 */
export function iconOf(
  icons: readonly Icon[],
  server: ServerConnection,
  changed: () => void,
): vscode.IconPath | undefined {
  const safe = icons.slice(0, MAX_ICONS).flatMap(({ src, theme }) => {
    const data = dataOf(src, server, changed);
    return data === undefined ? [] : [{ data, theme }];
  });
  const [any] = safe;
  if (!any) return undefined;
  const of = (theme: string) => vscode.Uri.parse((safe.find(icon => icon.theme === theme) ?? any).data);
  const [light, dark] = [of('light'), of('dark')];
  return light.toString() === dark.toString() ? light : { light, dark };
}

function dataOf(src: string, { definition: { entry } }: ServerConnection, changed: () => void): string | undefined {
  if (src.length > MAX_ICON_LENGTH) return undefined;
  const [, said, base64 = ''] = SAFE_ICON.exec(src) ?? [];
  if (said) {
    const type = iconTypeOf(Buffer.from(base64, 'base64'), said);
    return type && `data:${type};base64,${base64}`;
  }
  if (!entry || entry.type === 'stdio' || !/^https:/i.test(src)) return undefined;
  if (!URL.canParse(src) || !URL.canParse(entry.url)) return undefined;
  const url = new URL(src);
  // Whoever else is asked would learn who uses this server.
  if (url.origin !== new URL(entry.url).origin || url.username || url.password) return undefined;
  return fetchedIcon(url.href, changed);
}
