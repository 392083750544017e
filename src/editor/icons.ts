import vscode = require('vscode');

import { Coalescer } from '../base/coalescer';
import { Emitter } from '../base/events';
import type { ServerConnection } from '../host';
import { fetchedIcon } from './fetchedIcons';
import { iconTypeOf } from './iconType';

/** An icon is drawn only if it is small and an image by its bytes: in the message itself, or at the server's own origin. */
const SAFE_ICON = /^data:(image\/(?:png|jpe?g|webp|svg\+xml));base64,([A-Za-z0-9+/]+={0,2})$/;
const MAX_ICON_LENGTH = 32_768;
/** How many of one item's icons are looked at. */
const MAX_ICONS = 8;
/** Rows draw an icon at 16 pixels; on a fine screen these are 32. */
const WANTED = 32;

/** As a server describes it (spec 2025-11-25, 2026-07-28: basic#icons). */
export interface Icon {
  readonly src: string;
  readonly theme?: string | undefined;
  /** `48x48`, or `any` for one that scales. */
  readonly sizes?: readonly string[] | undefined;
}

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
 * The icon that a server gives an item, if it is safe to draw: the one that fits a row best, and one for each theme if the
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
  const [any] = safe;
  if (!any) return undefined;
  const of = (theme: string) => vscode.Uri.parse((safe.find(icon => icon.theme === theme) ?? any).data);
  const [light, dark] = [of('light'), of('dark')];
  return light.toString() === dark.toString() ? light : { light, dark };
}

/** The icons that fit a row best first. */
export const bestFirst = (icons: readonly Icon[]): Icon[] =>
  icons.slice(0, MAX_ICONS).sort((a, b) => misfit(a) - misfit(b));

/** How far an icon is from the wanted size: what scales fits, and a larger one is better than one that has to be stretched. */
function misfit({ sizes, src }: Icon): number {
  if (!Array.isArray(sizes) || sizes.length === 0) return /^data:image\/svg|\.svg$/i.test(src) ? 0 : WANTED;
  const fits = sizes.slice(0, MAX_ICONS).map(size => {
    if (size === 'any') return 0;
    const side = Number(/^(\d{1,5})x\d{1,5}$/.exec(String(size))?.[1] ?? Number.NaN);
    if (Number.isNaN(side)) return WANTED;
    return side >= WANTED ? (side - WANTED) / WANTED : (WANTED - side) * 10;
  });
  return Math.min(...fits);
}

function dataOf(src: string, { definition: { entry } }: ServerConnection, changed: () => void): string | undefined {
  if (src.length > MAX_ICON_LENGTH) return undefined;
  if (SAFE_ICON.test(src)) return inlineIcon(src);
  if (!entry || entry.type === 'stdio' || !/^https:/i.test(src)) return undefined;
  if (!URL.canParse(src) || !URL.canParse(entry.url)) return undefined;
  const url = new URL(src);
  // Whoever else is asked would learn who uses this server.
  if (url.origin !== new URL(entry.url).origin || url.username || url.password) return undefined;
  return fetchedIcon(url.href, changed);
}

/** The icon in a `data:` URI, if it is small and an image by its bytes. */
export function inlineIcon(src: string): string | undefined {
  if (src.length > MAX_ICON_LENGTH) return undefined;
  const [, said, base64 = ''] = SAFE_ICON.exec(src) ?? [];
  const type = said && iconTypeOf(Buffer.from(base64, 'base64'), said);
  return type && `data:${type};base64,${base64}`;
}
