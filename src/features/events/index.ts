import { isObject } from '../../base/json';
import { ownUri } from '../../editor/virtualFiles';

import vscode = require('vscode');

import type { ServerId } from '../../host/definition';

export const EVENT_SCHEME = 'mcp-event';

/** The address of an event's document. The number makes it one of its own. */
export const eventUri = (serverId: ServerId, type: string, number: number): vscode.Uri =>
  ownUri({
    scheme: EVENT_SCHEME,
    path: `/${encodeURIComponent(serverId)}/${type.replace(/[^\w.-]+/g, '-').slice(0, 60)}-${number}.json`,
  });

/** The id of the server whose event a document shows. Undefined if it shows none. */
export function eventServerOf({ scheme, path }: vscode.Uri): string | undefined {
  return scheme === EVENT_SCHEME ? decodeURIComponent(path.split('/')[1] ?? '') : undefined;
}

export const isEventRow = (argument: unknown): boolean => isObject(argument) && 'event' in argument;
