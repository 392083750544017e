import vscode = require('vscode');

import { rowText, visible } from '../../base/text';
import { type PlainRow, say, t, window } from '../../editor/window';
import type { ServerConnection } from '../../host';
import type { EventType } from './core/eventTypes';
import type { EventNotice } from './core/followedEvents';

/** A type of events of a server. */
export interface OfferedType {
  readonly server: ServerConnection;
  readonly type: EventType;
}

/** Lets the person choose one of the types that can be followed. */
export async function chooseType(types: readonly OfferedType[]): Promise<OfferedType | undefined> {
  if (types.length === 0) {
    void window.showInformationMessage(t('No running MCP server offers events that can be followed here.'));
    return undefined;
  }
  const rows = types.map(one => ({
    label: rowText(one.type.name),
    description: rowText(one.server.name),
    detail: rowText(one.type.description ?? ''),
    one,
  }));
  const placeHolder = t('Select the events to follow');
  return (await window.showQuickPick(rows, { placeHolder, matchOnDescription: true, matchOnDetail: true }))?.one;
}

/** Asks how the person wants to be told of events. Undefined: they gave up. */
export async function chooseNotice(
  { server, type }: OfferedType,
  current: EventNotice | undefined,
): Promise<EventNotice | undefined> {
  const rows: (PlainRow & { notice: EventNotice })[] = [
    {
      iconPath: new vscode.ThemeIcon('bell-slash'),
      label: t('In the view only'),
      detail: t('Events become rows below their type. Nothing else happens.'),
      notice: 'silent',
    },
    {
      iconPath: new vscode.ThemeIcon('info'),
      label: t('In the status bar'),
      detail: t('Also a short message in the status bar.'),
      notice: 'statusBar',
    },
    {
      iconPath: new vscode.ThemeIcon('bell'),
      label: t('As notifications'),
      detail: t('Also a notification. Events that come fast are summed up in one.'),
      notice: 'notification',
    },
  ];
  const marked = rows.map(row => ({ ...row, ...(row.notice === current && { description: t('current') }) }));
  const title = say`${visible(type.name, 80)} · ${server.name}`;
  const placeHolder = t('How do you want to be told? No model sees an event unless you ask about it.');
  return (await window.showQuickPick(marked, { title, placeHolder, ignoreFocusOut: true }))?.notice;
}
