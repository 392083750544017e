import type { PlainState } from '../../editor/storage';
import { parseResourceUri, type ResourceAddress } from './core/resourceAddress';

import vscode = require('vscode');

export const WATCHED_KEY = 'mcpHost.watchedResources';

/** Whether a resource is open or watched. */
export function followsResources(state: PlainState): boolean {
  return Boolean(state.get<readonly unknown[]>(WATCHED_KEY)?.length) || openResources().length > 0;
}

/** A resource in a tab, whether its editor could be filled or not. */
export interface OpenResource {
  readonly tab: vscode.Tab;
  readonly uri: vscode.Uri;
  readonly address: ResourceAddress;
}

/** Every resource that a tab shows. */
export function openResources(): OpenResource[] {
  return vscode.window.tabGroups.all
    .flatMap(({ tabs }) => tabs)
    .flatMap(tab =>
      urisOf(tab).flatMap(uri => {
        const address = parseResourceUri(uri);
        return address ? [{ tab, uri, address }] : [];
      }),
    );
}

/** The files that a tab shows, in whatever kind of editor. */
export function urisOf({ input }: vscode.Tab): vscode.Uri[] {
  if (input instanceof vscode.TabInputText || input instanceof vscode.TabInputCustom) return [input.uri];
  if (input instanceof vscode.TabInputTextDiff) return [input.original, input.modified];
  return [];
}
