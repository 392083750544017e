import vscode = require('vscode');

import type { RowMark } from '../../editor/serverRows';
import { t } from '../../editor/window';
import type { ServerConnection } from '../../host';

/** A few words for a row. */
export function markText(mark: RowMark): string {
  return { new: t('new'), changed: t('changed'), blocked: t('changed: blocked') }[mark];
}

/** The meaning of a mark, for the tooltip. */
export function markExplanation(mark: RowMark): string {
  if (mark === 'new') return t('It was added after this server was first offered to a model.');
  const changed = t('This is not what you accepted. Click to see what has changed.');
  return mark === 'blocked' ? `${changed} ${t('It is blocked until you accept the change.')}` : changed;
}

/** Shows that something is not what was accepted; a click shows the change. New items look the same as others. */
export function markItem(item: vscode.TreeItem, mark: RowMark, node: object): void {
  if (mark === 'new') return;
  item.iconPath = new vscode.ThemeIcon(
    mark === 'blocked' ? 'shield' : 'warning',
    new vscode.ThemeColor('testing.iconQueued'),
  );
  item.contextValue = `${item.contextValue}.${mark}`;
  item.command = { command: 'mcpHost.reviewChanges', title: t('Review Changes'), arguments: [node] };
}

/** The row of instructions that are not what was accepted. */
export function instructionsItem(node: { server: ServerConnection }, mark: RowMark): vscode.TreeItem {
  const item = new vscode.TreeItem(t('Instructions'));
  item.description = mark === 'blocked' ? t('changed: withheld from models') : markText(mark);
  item.contextValue = 'instructions';
  item.tooltip = markExplanation(mark);
  markItem(item, mark, node);
  return item;
}
