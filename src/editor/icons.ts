import type * as vscode from 'vscode';
import { Coalescer } from '../base/coalescer';
import { Emitter } from '../base/events';
import type { ServerConnection } from '../host';

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
  const { iconOf } = require('./serverIcons') as typeof import('./serverIcons');
  return iconOf(icons, server, () => announce.trigger());
}
