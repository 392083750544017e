import vscode = require('vscode');

import { type PlainText, plain, visible } from '../../base/text';
import type { ServerConnection } from '../../host';
import { plainTooltip } from '../tooltip';
import { joined, t } from '../window';
import type { DetailNode } from './serverNodes';

/** A row below a server that counts what is below it, such as "Events 3". */
interface CountedRow {
  /** Value of `contextValue`, and a part of the id. */
  readonly kind: string;
  readonly label: PlainText;
  readonly icon: string;
  readonly tooltip: PlainText;
  readonly count: number;
  readonly status: 'loading' | 'ready' | 'failed' | undefined;
  /** Behind the count. */
  readonly note: PlainText | false;
  readonly hasRows: boolean;
}

export function countedItem(server: ServerConnection, row: CountedRow): vscode.TreeItem {
  const { kind, label, icon, tooltip, count, status, note, hasRows } = row;
  const { Collapsed, None } = vscode.TreeItemCollapsibleState;
  const item = new vscode.TreeItem(label, hasRows ? Collapsed : None);
  item.id = `${server.id}\n${kind}`;
  item.description = joined<PlainText>(
    [count === 0 && status === 'loading' ? t('loading…') : plain(String(count)), note],
    ' · ',
  );
  item.iconPath = new vscode.ThemeIcon(status === 'failed' ? 'error' : icon);
  item.contextValue = kind;
  item.tooltip = tooltip;
  return item;
}

/** Why something is not there. */
export const messageNode = (server: ServerConnection, text: string): DetailNode => ({
  type: 'detail',
  server,
  item: () => {
    const item = new vscode.TreeItem(visible(text, 1_000));
    item.iconPath = new vscode.ThemeIcon('warning', new vscode.ThemeColor('testing.iconQueued'));
    item.tooltip = plainTooltip([text]);
    return item;
  },
});
